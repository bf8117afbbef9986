//! The command `run`.

use std::cell::RefCell;

use ::timeline::Recorder;
use host::{JobLogs, Prepared, RequestLog};
use recipe::{job_errors, Failure, Keep, Recipe};
use report::RunResult;

use crate::arguments::RunArguments;
use crate::inputs::Inputs;
use crate::progress::ProgressLine;
use crate::reports::{Others, Reports};
use crate::timeline_around::{write_timeline, First};
use crate::{boards, body, fio_help, fio_showcmd};
use crate::{signals, tell};

/// Runs the jobs and writes the reports. `options` are fio's, which stand in for a job file.
///
/// # Errors
/// When the input cannot be used, found before anything runs, when the drive failed, and when a signal
/// ended the run. Jobs that ended with errors or early are reported before they fail the command.
pub fn run(arguments: &RunArguments, options: &[(String, String)]) -> Result<(), Failure> {
    if let Some(name) = &arguments.fio.cmdhelp {
        return fio_help::tell(name);
    }
    if let Some(name) = &arguments.fio.enghelp {
        return fio_help::tell_engine(name);
    }
    let inputs = Inputs::read(arguments, options)?;
    if arguments.fio.showcmd {
        return fio_showcmd::show(&inputs);
    }
    if arguments.fio.parse_only {
        tell_warnings(&inputs);
        return Ok(());
    }
    go(arguments, inputs.recipe(arguments)?)
}

/// Tells what is to be told of jobs that are read and not run.
pub fn tell_warnings(inputs: &Inputs) {
    inputs.jobs.warnings.iter().for_each(|line| warn(line));
}

/// Does what was asked for and writes the reports.
///
/// # Errors
/// As those of [`run`].
pub fn go(arguments: &RunArguments, recipe: Recipe) -> Result<(), Failure> {
    boards::warn_of_unused(&recipe.board);
    if arguments.timeline.is_some() {
        recipe::check_drawn(&recipe.board)?;
    }
    let others = Others {
        timeline: arguments.timeline.as_deref(),
        requests: arguments.requests.as_deref(),
        save: arguments.save.as_deref(),
        from: arguments.from.as_deref(),
        image: arguments.image.as_deref(),
        logs: recipe.jobs.log_paths(),
    };
    let reports = Reports::new(&arguments.reports, others)?;
    recipe.jobs.warnings.iter().for_each(|line| warn(line));
    let request = recipe.request();
    let mut sampler = reports.sampler(arguments.monitor_interval)?;
    let stop = signals::stop()?;
    let line = RefCell::new(ProgressLine::new(arguments.eta));
    let mut show = |progress| line.borrow_mut().show(&progress);
    let mut prepare = |preconditioned| line.borrow_mut().prepare(preconditioned);
    let control = host::Control { stop: stop.clone(), preparing: Some(&mut prepare) };
    let monitor = sampler.as_mut();
    let logs = JobLogs::Written;
    let mut refused = None;
    let mut tell = |result: &RunResult| {
        let told = reports.write_status(result);
        refused = refused.take().or(told.err());
    };
    let status =
        arguments.status_interval.map(|interval_ps| host::Status { interval_ps, tell: &mut tell });
    let mut first = arguments.timeline_around.map(First::new);
    let mut recorder = reports.timeline().filter(|_| first.is_none()).map(|_| {
        let geometry = &recipe.board.firmware.geometry;
        Recorder::new(arguments.timeline_window, geometry.channels, geometry.ways)
    });
    let requests = match &first {
        Some(first) => Some(first.requests.clone()),
        None => reports.requests().map(|_| RequestLog::default()),
    };
    let kept_requests = requests.clone();
    let observer = match (&mut recorder, &mut first) {
        (Some(recorder), _) => Some(recorder as &mut dyn machine::Observer),
        (None, first) => first.as_mut().and_then(First::observer),
    };
    let watchers = host::Watchers { observer, monitor, logs, requests, status, control };
    let keep = if reports.save().is_some() { Keep::Drive } else { Keep::Nothing };
    let result = body::run(&recipe, (request, keep), (watchers, &mut show));
    drop(line);
    let (mut result, kept) = result?;
    body::tell_speed(recipe.body, &result, &recipe.board);
    refused.map_or(Ok(()), Err)?;
    // The reports of the first seed are written even if another one fails or is ended.
    let others = body::over_seeds(&recipe, &result, &stop).map(|over| result.over_seeds = over);
    result.provenance = Some(recipe.provenance.clone());
    reports.end_monitor(sampler.map_or(Ok(()), |sampler| sampler.finish().map(|_| ())))?;
    warn_of(&result, recipe.jobs.warnings.len());
    reports.write(&result)?;
    if let (Some(file), Some(requests)) = (reports.requests(), kept_requests) {
        requests.seen(|requests| file.write(requests))?;
    }
    save(&reports, (&recipe, kept), &result)?;
    write_timeline(&reports, recorder.as_ref())?;
    if let (Some(first), None) = (first, &result.cut) {
        first.again(&recipe, &reports, stop)?;
    }
    others?;
    ended(&result)
}

/// Warns of what the run found, but for so many warnings of its jobs, which come first and were told before.
fn warn_of(result: &RunResult, told: usize) {
    for stage in result.precision.iter().filter(|stage| !stage.converged) {
        warn(&stage.summary());
    }
    result.warnings.iter().skip(told).for_each(|line| warn(line));
}

/// How the run ended, once its reports are written.
fn ended(result: &RunResult) -> Result<(), Failure> {
    if let Some(cut) = result.cut {
        let line = format!("terminating on signal {}: the reports tell what was done", cut.signal);
        return Err(Failure::Stopped(line));
    }
    job_errors(result)
}

/// Writes the snapshot of the drive as the run has left it.
fn save(
    reports: &Reports<'_>,
    (recipe, kept): (&Recipe, Option<Prepared>),
    result: &RunResult,
) -> Result<(), Failure> {
    let (Some(file), Some(drive)) = (reports.save(), kept) else { return Ok(()) };
    if result.cut.is_some() {
        warn("the run was cut, and where depends on the moment: no snapshot is written");
        return Ok(());
    }
    recipe::check_at_rest(&drive)?;
    file.write_bytes(|out| drive.write(&recipe.board, out))
}

pub(crate) fn warn(warning: &str) {
    tell(&format!("firmament: warning: {warning}"));
}
