//! Measurements, several at a time.

use crate::rig::{Load, Tally};
use crate::set_up::SetUp;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runs::pool::in_order;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What comes of measurements, by their names.
pub type Outcomes<T> = BTreeMap<String, T>;

/// What comes of those of a flash channel.
pub type Results = Outcomes<Tally>;

/// Something that is measured by itself.
pub trait Measurement: Send {
    /// What comes of it.
    type Outcome: Send;
    /// Names the result.
    fn name(&self) -> String;
    /// Measures. A line that says why not.
    fn measure(self) -> Result<Self::Outcome, String>;
}

/// Makes a load for a set-up.
pub type MakeLoad = Box<dyn FnOnce(&SetUp) -> Box<dyn Load> + Send>;

/// Requests on a channel of its own.
pub struct Job {
    /// Names the result.
    pub name: String,
    pub set_up: SetUp,
    /// Runs first and to its end, with so many answers.
    pub prepare: Option<(MakeLoad, u64)>,
    pub load: MakeLoad,
    /// Answers until the channel is in its stride.
    pub warm_up: u64,
    /// Answers that are measured.
    pub answers: u64,
}

impl Measurement for Job {
    type Outcome = Tally;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn measure(self) -> Result<Tally, String> {
        let mut rig = self.set_up.rig();
        if let Some((load, answers)) = self.prepare {
            rig.advance(load(&self.set_up).as_mut(), answers)?;
        }
        let mut load = (self.load)(&self.set_up);
        rig.advance(load.as_mut(), self.warm_up)?;
        rig.advance(load.as_mut(), self.answers)
    }
}

/// Runs all jobs, as many at a time as there are cores. No result depends on that.
///
/// # Errors
/// With the first job that fails, by name.
pub fn run<M: Measurement>(jobs: Vec<M>) -> Result<Outcomes<M::Outcome>, String> {
    let bar = bar(jobs.len() as u64);
    // Those at the end are begun first.
    let waiting: Vec<_> = jobs.into_iter().rev().map(|job| Mutex::new(Some(job))).collect();
    let work = |nth: usize| {
        let job = waiting[nth].lock().unwrap_or_else(PoisonError::into_inner).take();
        let job = job.expect("each job is taken once");
        let name = job.name();
        bar.set_message(name.clone());
        (name, job.measure())
    };
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let done: BTreeMap<_, _> =
        in_order(waiting.len(), cores, &work, &mut |_| bar.inc(1)).into_iter().collect();
    bar.finish_and_clear();
    done.into_iter()
        .map(|(name, result)| match result {
            Ok(outcome) => Ok((name, outcome)),
            Err(fault) => Err(format!("{name}: {fault}")),
        })
        .collect()
}

/// A bar on a terminal, nothing elsewhere.
fn bar(jobs: u64) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}")
        .expect("the template is well formed");
    ProgressBar::with_draw_target(Some(jobs), target).with_style(style)
}
