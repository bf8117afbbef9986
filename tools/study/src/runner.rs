//! Does the runs of a plan side by side.

use std::cell::RefCell;
use std::sync::mpsc::Sender;

use channel::BusStep;
use host::job::JobFile;
use host::{Control, Course, Preconditioned, Preconditioning, RunError, RunRequest, Watchers};
use report::RunResult;
use runs::pool::{side_by_side, Queue};
use timeline::Recorder;

use crate::course::CourseWatcher;
use crate::error::StudyError;
use crate::flash_load::Observed;
use crate::measurement::Measurement;
use crate::plan::{PlannedRun, Watching, Work};
use crate::setup::Setup;
use crate::spread::SpreadWatcher;

/// How far the runs have come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs that are done.
    pub done: usize,
    /// All runs.
    pub runs: usize,
    /// Share of the work that is done, 0 to 1, as far as it is known beforehand.
    pub fraction: f64,
}

/// Share of a run that bringing its drive into the steady state counts for.
const PREPARED: f64 = 0.2;

/// What a thread has to tell.
enum News {
    /// This share of a run is done.
    Advanced(usize, f64),
    /// A run is over.
    Ended(usize, Box<Result<Measurement, StudyError>>),
}

/// Does all runs on `threads` threads and gives back what they measured, in their order. The result
/// does not depend on the number of threads.
///
/// # Errors
/// That of the first run, from the longest to the shortest, that fails.
pub(crate) fn run_all(
    runs: &[PlannedRun],
    threads: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Measurement>, StudyError> {
    let mut go_on = |told| {
        progress(told);
        true
    };
    Ok(run_all_while(runs, threads, &mut go_on)?.expect("nobody ended the runs"))
}

/// As [`run_all`], while `progress` says so. Once it does not, no other run is begun, and nothing comes of those that were.
///
/// # Errors
/// As those of [`run_all`].
pub(crate) fn run_all_while(
    runs: &[PlannedRun],
    threads: usize,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Option<Vec<Measurement>>, StudyError> {
    // The longest come first, so that no thread is left alone with one at the end.
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|a, b| runs[*b].cost.total_cmp(&runs[*a].cost).then(a.cmp(b)));
    let queue = Queue::new(0..order.len() as u64);
    // Once a run failed, no other is begun. Those begun before it are finished, so that the first failure in the order is
    // always found.
    let work = |sender: &Sender<News>| {
        // Nobody listens only after a panic elsewhere, which ends the program.
        let tell = |news| drop(sender.send(news));
        while let Some(place) = queue.take() {
            let nth = order[place as usize];
            let result = run(&runs[nth], &mut |fraction| tell(News::Advanced(nth, fraction)));
            if result.is_err() {
                queue.close();
            }
            tell(News::Ended(nth, Box::new(result)));
        }
    };
    let mut ledger = Ledger::new(runs);
    let mut goes_on = true;
    side_by_side(threads.min(runs.len()), &work, |news| {
        let mut tell = |ledger: &Ledger| {
            goes_on = goes_on && progress(ledger.progress());
            if !goes_on {
                queue.close();
            }
        };
        tell(&ledger);
        for message in news {
            ledger.note(message);
            tell(&ledger);
        }
    });
    goes_on.then(|| ledger.results(&order)).transpose()
}

/// What is known of all runs.
struct Ledger {
    costs: Vec<f64>,
    fractions: Vec<f64>,
    results: Vec<Option<Result<Measurement, StudyError>>>,
}

impl Ledger {
    fn new(runs: &[PlannedRun]) -> Ledger {
        // A run that costs nothing is still something to do.
        let costs: Vec<f64> = runs.iter().map(|run| run.cost.max(1.0)).collect();
        Ledger {
            fractions: vec![0.0; runs.len()],
            results: runs.iter().map(|_| None).collect(),
            costs,
        }
    }

    fn note(&mut self, news: News) {
        match news {
            News::Advanced(nth, fraction) => self.fractions[nth] = fraction,
            News::Ended(nth, result) => {
                self.fractions[nth] = 1.0;
                self.results[nth] = Some(*result);
            }
        }
    }

    fn progress(&self) -> Progress {
        let all: f64 = self.costs.iter().sum();
        let done: f64 =
            self.costs.iter().zip(&self.fractions).map(|(cost, part)| cost * part).sum();
        Progress {
            done: self.results.iter().flatten().count(),
            runs: self.results.len(),
            fraction: if all > 0.0 { done / all } else { 1.0 },
        }
    }

    fn results(mut self, order: &[usize]) -> Result<Vec<Measurement>, StudyError> {
        let failed = |nth: &usize| matches!(self.results[*nth], Some(Err(_)));
        if let Some(nth) = order.iter().copied().find(failed) {
            if let Some(Err(error)) = self.results[nth].take() {
                return Err(error);
            }
        }
        self.results
            .into_iter()
            .map(|result| result.expect("every run ended, as none failed"))
            .collect()
    }
}

/// Does one run.
fn run(planned: &PlannedRun, progress: &mut dyn FnMut(f64)) -> Result<Measurement, StudyError> {
    match &planned.work {
        Work::Job(jobs) => run_job(planned, jobs, progress),
        Work::Flash(load) if planned.watching == Watching::Timeline => {
            let geometry = planned.board.firmware.geometry;
            let mut recorder = Recorder::of_all(geometry.channels, geometry.ways);
            let mut watcher = Observed::new(&mut recorder);
            let outcome =
                crate::flash_load::run(&planned.board, load, planned.setup.seed, &mut watcher);
            let mut measurement = Measurement::of_flash(&outcome);
            measurement.timeline = Some(Box::new(recorder.trace()));
            Ok(measurement)
        }
        Work::Flash(load) => {
            let mut nobody = |_: u8, _: BusStep| ();
            let outcome =
                crate::flash_load::run(&planned.board, load, planned.setup.seed, &mut nobody);
            Ok(Measurement::of_flash(&outcome))
        }
        Work::Cells(load) => {
            let failed = |error: crate::cell_load::RunError| StudyError::Cells {
                point: planned.name.clone(),
                message: error.to_string(),
            };
            let outcome = crate::cell_load::run(&planned.board, load, planned.setup.seed);
            Ok(Measurement::of_cells(outcome.map_err(failed)?))
        }
        Work::Area(luts) => Ok(Measurement::of_area(*luts)),
    }
}

/// Runs fio's job on a drive.
fn run_job(
    planned: &PlannedRun,
    jobs: &JobFile,
    progress: &mut dyn FnMut(f64),
) -> Result<Measurement, StudyError> {
    let request = RunRequest {
        seed: planned.setup.seed,
        precondition: planned.setup.precondition.for_host(),
        course: Course::Left,
        ..RunRequest::new(&planned.board, jobs, &planned.name)
    };
    let prepared = match request.precondition {
        Preconditioning::Steady | Preconditioning::SteadyRun => PREPARED,
        _ => 0.0,
    };
    let progress = RefCell::new(progress);
    let mut show = |how_far: host::Progress| {
        (progress.borrow_mut())(prepared + (1.0 - prepared) * how_far.fraction);
    };
    let mut prepare = |Preconditioned { written, most, .. }| {
        (progress.borrow_mut())(prepared * written as f64 / most.max(1) as f64);
    };
    let control = Control { preparing: Some(&mut prepare), ..Control::default() };
    let failed =
        |error: RunError| StudyError::Run { point: planned.name.clone(), error: Box::new(error) };
    match planned.watching {
        Watching::No | Watching::Timeline => {
            let watchers = Watchers { control, ..Watchers::default() };
            let result = host::run_watched(request, watchers, &mut show).map_err(failed)?;
            Ok(Measurement::new(measured(result, planned)?, None))
        }
        Watching::Course => {
            let mut watcher = CourseWatcher::new(planned.board.firmware.geometry);
            let watchers =
                Watchers { observer: Some(&mut watcher), control, ..Watchers::default() };
            let result = host::run_watched(request, watchers, &mut show).map_err(failed)?;
            let result = measured(result, planned)?;
            let starts = result.jobs.iter().map(|job| job.start_ps).min().unwrap_or(0);
            let ends = result.jobs.iter().map(|job| job.end_ps).max().unwrap_or(0);
            let mut measurement = Measurement::new(result, None);
            measurement.course = Some(Box::new(watcher.between(starts, ends)));
            Ok(measurement)
        }
        Watching::Spread => {
            let mut watcher = SpreadWatcher::new(planned.board.firmware.geometry);
            let watchers =
                Watchers { observer: Some(&mut watcher), control, ..Watchers::default() };
            let result = host::run_watched(request, watchers, &mut show).map_err(failed)?;
            Ok(Measurement::new(measured(result, planned)?, watcher.mean()))
        }
    }
}

/// The result without the jobs that ran before or beside, unless one ended with an error.
fn measured(mut result: RunResult, planned: &PlannedRun) -> Result<RunResult, StudyError> {
    if !planned.setup.is_alone() {
        result = checked(result, planned)?;
        result.jobs.retain(|job| job.name == Setup::MEASURED);
    }
    checked(result, planned)
}

/// The result, unless a job ended with an error.
fn checked(result: RunResult, planned: &PlannedRun) -> Result<RunResult, StudyError> {
    match result.jobs.iter().find_map(|job| job.error.as_ref()) {
        None => Ok(result),
        Some(error) => Err(StudyError::Job {
            point: planned.name.clone(),
            message: format!("{} (error {})", error.message, error.number),
        }),
    }
}
