//! A whole run: from a board and jobs to their results.

use std::time::Instant;

use cpu_time::ProcessTime;
use machine::{Machine, Observer, Payload, Unobserved, Watched};
use monitor::Sampler;
use report::{QueueResult, RunResult, Speed};
use sim::Audience;

use crate::advice::{remarks, Before};
use crate::contained::{contained, Source};
use crate::control::Control;
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::job::Grouping;
use crate::log::{JobLogs, RequestLog};
use crate::oracle::Oracle;
use crate::power_on::Powered;
use crate::request::{Outcome, Progress, RunRequest};
use crate::session::{Ended, Session, Ticks};
use crate::statistics::Snapshot;

/// The release of fio whose report is imitated.
pub const FIO_VERSION: &str = "fio-3.33";

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
    run_watched(request, Watchers::default(), progress)
}

/// Who looks on while jobs run. They cannot change the result, but for [`RunResult::monitored`].
#[derive(Default)]
pub struct Watchers<'a> {
    /// An observer of the drive.
    pub observer: Option<&'a mut dyn Observer>,
    /// The operation monitor.
    pub monitor: Option<&'a mut Sampler>,
    /// Whether the jobs' logs are written.
    pub logs: JobLogs,
    /// Where every measured request is kept, if somewhere.
    pub requests: Option<RequestLog>,
    /// Who follows the preconditioning, and may end the run: then [`RunResult::cut`] is set.
    pub control: Control<'a>,
    /// Who is told what came out so far.
    pub status: Option<Status<'a>>,
}

/// Who is told what came out so far, again and again.
pub struct Status<'a> {
    /// Virtual time between two reports, from the start of the first job; not zero.
    pub interval_ps: u64,
    /// Is given the result of the time until now.
    pub tell: &'a mut dyn FnMut(&RunResult),
}

/// As [`run`], with watchers, and with logs if they are to be written.
///
/// # Errors
/// As those of [`run`].
pub fn run_watched(
    request: RunRequest<'_>,
    mut watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunResult, RunError> {
    match watchers.observer.take() {
        None => run_observed(request, Unobserved, watchers, progress),
        Some(observer) => {
            let observer: Watched<'_> = Box::new(observer);
            run_observed(request, observer, watchers, progress)
        }
    }
}

/// A run on a drive that is compiled for one kind of observer.
fn run_observed<O: Audience>(
    request: RunRequest<'_>,
    observer: O,
    mut watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunResult, RunError> {
    // What an image holds that was there before may have been made by hand.
    let image = request.image.map(|image| image.path).filter(|path| path.exists());
    contained(image.map(Source::Image), || {
        let session = Session::open(request, observer, &mut watchers.control)?;
        Ok(run_session(request, session, watchers, progress)?.0)
    })
}

/// Runs jobs on a drive that has power, whichever body it has; no observer is told of it.
///
/// # Errors
/// As those of [`run`].
pub fn run_powered<D: Machine<FioHost>>(
    request: RunRequest<'_>,
    powered: Powered<D>,
    watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunResult, RunError> {
    Ok(run_and_keep(request, powered, watchers, progress)?.0)
}

/// As [`run_powered`]; gives the drive back.
pub(crate) fn run_and_keep<D: Machine<FioHost>>(
    request: RunRequest<'_>,
    powered: Powered<D>,
    watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunResult, Left<D>), RunError> {
    run_session(request, Session::over(request, powered)?, watchers, progress)
}

/// What a run leaves.
pub(crate) struct Left<D> {
    /// The drive, which was shut down.
    pub drive: D,
    /// What stands for user data on it.
    pub payload: Payload,
    /// Logical blocks of its namespace.
    pub blocks: u64,
    /// What is known of them.
    pub oracle: Oracle,
}

fn run_session<'a, D: Machine<FioHost>>(
    request: RunRequest<'a>,
    mut session: Session<'a, D>,
    watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunResult, Left<D>), RunError> {
    let Watchers { observer: _, mut monitor, logs, requests, status, control } = watchers;
    let files = session.open_logs(logs, requests)?;
    let account = Account::open(request, Snapshot::of(session.drive()));
    let mut tick = status.map(|Status { interval_ps, tell }| {
        let tell = |session: &Session<'a, D>| {
            tell(
                &account
                    .result(session.so_far(), &Snapshot::at_end(session.drive(), request.course)),
            );
        };
        (interval_ps, tell)
    });
    let ticks = tick.as_mut().map(|(interval_ps, tell)| Ticks { interval_ps: *interval_ps, tell });
    let ran = session.run_jobs(progress, (monitor.as_deref_mut(), ticks), &control.stop);
    let spent = account.spent();
    files.finish()?;
    ran?;
    let after = Snapshot::at_end(session.drive(), request.course);
    let (host_ftl, over_time) = (session.host_ftl(), session.over_time());
    let ended = session.close()?;
    let Ended { drive, payload, blocks, engine, specs, writes, precision, warnings } = ended;
    let (totals, elapsed_ps) = (engine.totals(), engine.elapsed_ps());
    let cut = engine.was_cut();
    let lanes = engine.lane_of().to_vec();
    let (mut jobs, series, oracle) = engine.into_results();
    let queues = QueueResult::of(jobs.iter().zip(lanes));
    for (job, writes) in jobs.iter_mut().zip(writes) {
        job.writes = Some(writes);
    }
    let specs = &specs;
    let outcome =
        Outcome { jobs, series, totals, elapsed_ps, specs, warnings, host_ftl, over_time, queues };
    let mut result = account.result(outcome, &after);
    result.cut = cut;
    result.precision = precision;
    (result.speed.wall_s, result.speed.cpu_s) = spent;
    if let Some(sampler) = monitor {
        result.monitored = sampler.history().intervals().to_vec();
    }
    Ok((result, Left { drive, payload, blocks, oracle }))
}

/// A run as it was when its jobs began.
struct Account<'a> {
    request: RunRequest<'a>,
    before: Snapshot,
    wall: Instant,
    cpu: ProcessTime,
}

impl<'a> Account<'a> {
    fn open(request: RunRequest<'a>, before: Snapshot) -> Self {
        Account { request, before, wall: Instant::now(), cpu: ProcessTime::now() }
    }

    /// Seconds that passed, by the wall clock and of the processor.
    fn spent(&self) -> (f64, f64) {
        (self.wall.elapsed().as_secs_f64(), self.cpu.elapsed().as_secs_f64())
    }

    /// The result of jobs that left the drive as it is `after` them.
    fn result(&self, outcome: Outcome<'_>, after: &Snapshot) -> RunResult {
        let Outcome {
            jobs,
            series,
            totals,
            elapsed_ps,
            specs,
            mut warnings,
            host_ftl,
            over_time,
            queues,
        } = outcome;
        let board = self.request.board;
        for (spec, job) in specs.iter().zip(&jobs) {
            let measured = job.directions.iter().flatten().any(|direction| direction.ios > 0);
            if spec.timing.ramp_ps > 0 && !measured {
                let what = "the job ended within it, so nothing was measured";
                warnings.push(format!("{}: ramp_time: {what}", spec.name));
            }
        }
        let (wall_s, cpu_s) = self.spent();
        let simulated_s = elapsed_ps as f64 / 1e12;
        let mut result = RunResult {
            version: FIO_VERSION.to_string(),
            board: board.name.clone(),
            job_file: self.request.job_file.to_string(),
            seed: self.request.seed,
            provenance: None,
            global_options: self.request.jobs.global_options.clone(),
            jobs,
            series,
            drive: after.since(&self.before, board, totals),
            over_time,
            blocks: after.blocks(),
            queues,
            page_bytes: board.firmware.geometry.page_bytes,
            host_ftl,
            monitored: Vec::new(),
            pacing: None,
            speed: Speed { simulated_s, wall_s, cpu_s, requests: totals.requests },
            cut: None,
            warnings,
            precision: Vec::new(),
            over_seeds: None,
            waits: None,
            guest_processor: None,
            further: Vec::new(),
        };
        let capacity_bytes = board.capacity().host_bytes;
        let before = Before { state: self.request.precondition, capacity_bytes };
        result.warnings.extend(remarks(specs, &result, before));
        for spec in specs.iter().filter(|spec| spec.report.grouping == Grouping::Summed) {
            result.merge_group(spec.group);
        }
        result
    }
}
