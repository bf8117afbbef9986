//! A whole run: from a board and jobs to their results.

use std::time::Instant;

use board::Board;
use cpu_time::ProcessTime;
use firmware::ftl::precondition::Precondition;
use monitor::Sampler;
use report::{RunResult, Speed};
use sim::{Observer, Polling, Unobserved};

use crate::control::Control;
use crate::error::RunError;
use crate::job::{Grouping, JobFile};
use crate::log::JobLogs;
use crate::session::Session;
use crate::statistics::Snapshot;

/// The release of fio whose report is imitated.
pub const FIO_VERSION: &str = "fio-3.33";

/// What stands for user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadForm {
    /// A stamp of LBA and version for each logical block.
    Stamps,
    /// All bytes.
    Bytes,
}

/// What the drive went through before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preconditioning {
    /// Nothing.
    None,
    /// It was written once, in order.
    Sequential,
    /// It was written once, in random order.
    Random,
    /// It was written once, then overwritten at random until write amplification settled.
    Steady,
}

impl Preconditioning {
    /// The firmware's name of it, with the seed of what is random.
    pub fn state(self, seed: u64) -> Precondition {
        match self {
            Preconditioning::None => Precondition::None,
            Preconditioning::Sequential => Precondition::Sequential,
            Preconditioning::Random => Precondition::Random(seed),
            Preconditioning::Steady => Precondition::Steady(seed),
        }
    }
}

/// A run to do.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The drive.
    pub board: &'a Board,
    /// The jobs.
    pub jobs: &'a JobFile,
    /// Name of the job file, or what stands in for one; for the report.
    pub job_file: &'a str,
    /// Seed of every random stream.
    pub seed: u64,
    /// What stands for user data.
    pub payload: PayloadForm,
    /// State of the drive at the start.
    pub precondition: Preconditioning,
    /// How idle turns of the firmware are run.
    pub polling: Polling,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Share of the work that is done, 0 to 1, as far as it is known beforehand.
    pub fraction: f64,
    /// Virtual time since the first job started, in picoseconds.
    pub elapsed_ps: u64,
    /// Requests completed so far.
    pub requests: u64,
    /// Requests a second of virtual time since the last report.
    pub iops: f64,
}

/// Runs jobs on a drive. `progress` is called every 65,536 requests or 50 ms of wall time; what it
/// does cannot change the result. [`RunResult::speed`] covers the time in which jobs ran.
///
/// # Errors
/// When board and jobs do not go together, the drive fails or returns wrong data, or the run was
/// ended before its jobs began.
pub fn run(
    request: RunRequest<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunResult, RunError> {
    run_watched(request, Watchers::new(Unobserved), progress).map(|(result, _)| result)
}

/// Who looks on while jobs run. They cannot change the result, but for [`RunResult::monitored`].
pub struct Watchers<'a, O> {
    /// An observer of the drive.
    pub observer: O,
    /// The operation monitor.
    pub monitor: Option<&'a mut Sampler>,
    /// Whether the jobs' logs are written.
    pub logs: JobLogs,
    /// Who follows the preconditioning, and may end the run: then [`RunResult::cut`] is set.
    pub control: Control<'a>,
}

impl<O> Watchers<'_, O> {
    /// An observer alone, and no logs.
    pub fn new(observer: O) -> Self {
        Watchers { observer, monitor: None, logs: JobLogs::Off, control: Control::default() }
    }
}

/// As [`run`], with watchers, and with logs if they are to be written; the observer is given back with the result.
///
/// # Errors
/// As those of [`run`].
pub fn run_watched<O: Observer>(
    request: RunRequest<'_>,
    watchers: Watchers<'_, O>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunResult, O), RunError> {
    let Watchers { observer, mut monitor, logs, mut control } = watchers;
    let mut session = Session::open(request, observer, &mut control)?;
    let files = session.open_logs(logs)?;
    let before = Snapshot::of(session.drive());
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let ran = session.run_jobs(progress, monitor.as_deref_mut(), &control.stop);
    let (wall, cpu) = (wall.elapsed(), cpu.elapsed());
    files.finish()?;
    ran?;
    let after = Snapshot::of(session.drive());
    let ended = session.close()?;

    let totals = ended.engine.totals();
    let speed = Speed {
        simulated_s: ended.engine.elapsed_ps() as f64 / 1e12,
        wall_s: wall.as_secs_f64(),
        cpu_s: cpu.as_secs_f64(),
        requests: totals.requests,
    };
    let cut = ended.engine.was_cut();
    let (mut jobs, series) = ended.engine.into_results();
    for (job, writes) in jobs.iter_mut().zip(ended.writes) {
        job.writes = Some(writes);
    }
    let mut warnings = ended.warnings;
    for (spec, job) in ended.specs.iter().zip(&jobs) {
        let measured = job.directions.iter().flatten().any(|direction| direction.ios > 0);
        if spec.timing.ramp_ps > 0 && !measured {
            let what = "the job ended within it, so nothing was measured";
            warnings.push(format!("{}: ramp_time: {what}", spec.name));
        }
    }
    let mut result = RunResult {
        version: FIO_VERSION.to_string(),
        board: request.board.name.clone(),
        job_file: request.job_file.to_string(),
        seed: request.seed,
        provenance: None,
        global_options: request.jobs.global_options.clone(),
        jobs,
        series,
        drive: after.since(&before, request.board, totals),
        page_bytes: request.board.firmware.geometry.page_bytes,
        monitored: monitor.map_or_else(Vec::new, |s| s.history().intervals().to_vec()),
        pacing: None,
        speed,
        cut,
        warnings,
    };
    for spec in ended.specs.iter().filter(|spec| spec.report.grouping == Grouping::Summed) {
        result.merge_group(spec.group);
    }
    Ok((result, ended.observer))
}
