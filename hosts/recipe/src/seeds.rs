//! The same run with several seeds, and what their figures have in common.

use std::num::NonZeroU32;
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use contract::Cause;
use host::{Control, Course, RunRequest, Stop, Watchers};
use report::{Direction, DirectionResult, OverSeeds, PreciseFigure, RunResult, Unit};
use runs::confidence::{Interval, Level};
use runs::pool::{side_by_side, Queue};

use crate::body::Body;
use crate::failure::{job_errors, Failure};
use crate::recipe::Recipe;

/// Most seeds of a run.
pub const MOST_SEEDS: u32 = 10_000;
/// Time between two looks while the seeds run.
const LOOK: Duration = Duration::from_millis(50);

/// Does a run.
type Run<'a> = dyn Fn(RunRequest<'_>, Watchers<'_>) -> Result<RunResult, Failure> + Sync + 'a;

/// How the other seeds of a recipe are run.
pub struct OtherSeeds<'a> {
    /// Ends them.
    pub stop: &'a Stop,
    /// Does one run.
    pub run: &'a Run<'a>,
    /// Is called now and then while they run, and may ask for their end.
    pub look: &'a mut dyn FnMut(),
}

/// Figures of one run: what they are of, and their values.
type Figures = Vec<(Named, f64)>;

/// Label of the job, direction, name and unit of a figure.
type Named = (Option<String>, Option<Direction>, &'static str, Unit);

/// Runs the other seeds of a recipe, of whose first `first` is the result. None if there is one seed only, or if that run did not
/// come to its end.
///
/// # Errors
/// When one of them fails, or is ended by a signal.
pub fn over_seeds(
    recipe: &Recipe,
    first: &RunResult,
    seeds: OtherSeeds<'_>,
) -> Result<Option<OverSeeds>, Failure> {
    let Some(count) = recipe.provenance.seeds.and_then(NonZeroU32::new) else { return Ok(None) };
    if first.cut.is_some() || job_errors(first).is_err() {
        return Ok(None);
    }
    let numbers: Vec<u64> =
        (0..count.get()).map(|nth| first.seed.wrapping_add(u64::from(nth))).collect();
    let mut all = vec![figures(first)];
    all.extend(others(recipe, &numbers[1..], seeds)?);
    let level = Level::USUAL;
    let over = all[0].iter().filter_map(|(named, _)| {
        // What did not happen with one of the seeds has no mean over them.
        let values: Option<Vec<f64>> = all.iter().map(|own| value(own, named)).collect();
        precise(named, values?, level)
    });
    let figures = over.filter(PreciseFigure::took_part).collect();
    Ok(Some(OverSeeds { seeds: numbers, level: level.share(), figures }))
}

/// The same figures of a run with one seed, whose intervals nobody knows.
pub fn figures_of_one(run: &RunResult) -> Vec<PreciseFigure> {
    let figure = |(named, value): &(Named, f64)| precise(named, vec![*value], Level::USUAL);
    figures(run).iter().filter_map(figure).filter(PreciseFigure::took_part).collect()
}

/// A figure of its values with each seed; none without any.
fn precise(named: &Named, values: Vec<f64>, level: Level) -> Option<PreciseFigure> {
    let Interval { mean, half_width } = Interval::of(&values, level)?;
    let (job, direction, figure, unit) = named.clone();
    Some(PreciseFigure {
        job,
        direction: direction.map(|direction| direction.name().to_owned()),
        figure: figure.to_owned(),
        unit,
        value: mean,
        half_width,
        values,
        is_good: None,
    })
}

fn value(figures: &Figures, named: &Named) -> Option<f64> {
    figures.iter().find(|(own, _)| own == named).map(|(_, value)| *value)
}

/// Figures of the other seeds, in their order, run on all cores. Hardware is run one after the other: each has threads and
/// much memory of its own.
fn others(recipe: &Recipe, seeds: &[u64], how: OtherSeeds<'_>) -> Result<Vec<Figures>, Failure> {
    let OtherSeeds { stop, run, look } = how;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = if recipe.body == Body::Rtl { 1 } else { cores.min(seeds.len()) };
    let queue = Queue::new(0..seeds.len() as u64);
    let work = |tell: &Sender<_>| {
        while let Some(nth) = queue.take() {
            let nth = nth as usize;
            let figures = one(recipe, seeds[nth], (stop, run));
            // Nothing is gained from more seeds where one has failed.
            if figures.is_err() {
                queue.close();
            }
            if tell.send((nth, figures)).is_err() {
                return;
            }
        }
    };
    let done = side_by_side(threads, &work, |told| {
        let mut done: Vec<Option<Result<Figures, Failure>>> = seeds.iter().map(|_| None).collect();
        loop {
            match told.recv_timeout(LOOK) {
                Ok((nth, figures)) => done[nth] = Some(figures),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return done,
            }
            look();
        }
    });
    done.into_iter().flatten().collect()
}

fn one(recipe: &Recipe, seed: u64, (stop, run): (&Stop, &Run<'_>)) -> Result<Figures, Failure> {
    // Figures are all that is wanted of it, and no course over time.
    let request = RunRequest { seed, course: Course::Left, ..recipe.request() };
    let control = Control { stop: stop.clone(), preparing: None };
    let watchers = Watchers { control, ..Watchers::default() };
    let at_seed = |line: String| format!("seed {seed}: {line}");
    let result = run(request, watchers)
        .and_then(|result| job_errors(&result).map(|()| result))
        .map_err(|failure| match failure {
            Failure::Drive(line) => Failure::Drive(at_seed(line)),
            Failure::Input(line) => Failure::Input(at_seed(line)),
            other => other,
        })?;
    match result.cut {
        None => Ok(figures(&result)),
        Some(cut) => {
            let line = format!("terminating on signal {} while seed {seed} ran", cut.signal);
            Err(Failure::Stopped(line))
        }
    }
}

/// Rates, mean and percentiles of completion latency of each job, what it is made of by cause if somebody asked, and write
/// amplification of the drive.
fn figures(result: &RunResult) -> Figures {
    let labels = result.labels();
    let of_jobs = labels.iter().zip(&result.jobs).flat_map(|(label, job)| {
        Direction::ALL.into_iter().flat_map(move |direction| {
            let of_direction = job.active(direction).map(of_direction).unwrap_or_default();
            of_direction.into_iter().map(move |(name, unit, value)| {
                ((Some(label.clone()), Some(direction), name, unit), value)
            })
        })
    });
    let of_drive = result.drive.write_amplification();
    let of_drive = of_drive.map(|factor| ((None, None, "waf", Unit::Ratio), factor));
    of_jobs.chain(of_drive).collect()
}

fn of_direction(result: &DirectionResult) -> Vec<(&'static str, Unit, f64)> {
    let mean = result.clat.mean_ns();
    let percentile = |percent| result.clat.percentile_ns(percent) as f64;
    let mut figures = vec![
        ("rate", Unit::Iops, result.iops()),
        ("bandwidth", Unit::BytesS, result.bandwidth()),
        ("mean", Unit::Ns, mean),
        ("p50", Unit::Ns, percentile(50.0)),
        ("p99", Unit::Ns, percentile(99.0)),
        ("p99.9", Unit::Ns, percentile(99.9)),
    ];
    if result.has_causes() {
        let shares = Cause::ALL.into_iter().zip(result.cause_shares());
        figures.extend(shares.map(|(cause, share)| (cause.name(), Unit::Ns, share * mean)));
    }
    figures
}
