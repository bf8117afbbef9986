//! Runs the points that have no row yet, on several threads.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use runs::pool::{side_by_side, Queue};

use crate::definition::Sweep;
use crate::error::SweepError;
use crate::journal::{Journal, Row};
use crate::point::{Outcome, Runner};
use crate::shared::Shared;

/// How far a sweep has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Points that have a row.
    pub done: u64,
    /// Those of them that have an error.
    pub failed: u64,
    /// All points.
    pub points: u64,
}

/// Where the time of a sweep went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// From the first point to the last row.
    pub wall: Duration,
    /// In points, over all threads.
    pub in_points: Duration,
    /// Threads that ran points side by side.
    pub threads: usize,
    /// Points that ran.
    pub ran: u64,
}

/// Whether no other point is to be begun.
type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// What is run.
pub struct What<'a> {
    /// What makes a point of a number.
    pub sweep: &'a Sweep,
    /// Its points that are wanted, in the order in which they are run.
    pub points: &'a [u64],
    /// Points that run side by side.
    pub threads: usize,
    /// Whether no other point is to be begun.
    pub stop: &'a Stop<'a>,
}

/// How long rows may wait in memory.
const KEPT_FOR: Duration = Duration::from_millis(200);
/// Points that a thread takes at a time: neighbours share their board or their jobs.
const TAKEN_AT_ONCE: u64 = 8;

/// Runs the points of which the journal has no row, until somebody says stop. What a row holds does not depend on the threads.
///
/// # Errors
/// If a row cannot be written.
pub fn run(
    what: &What<'_>,
    journal: &mut Journal,
    progress: &mut dyn FnMut(Progress),
) -> Result<Time, SweepError> {
    let What { sweep, points, threads, stop } = *what;
    let left: Vec<u64> = points.iter().copied().filter(|&point| !journal.has(point)).collect();
    let threads = threads.clamp(1, left.len().max(1));
    // One for each thread, and the one that the next of them asks for.
    let shared = Shared::new(threads + 1);
    let queue = Queue::new(0..left.len() as u64);
    let left = Left { sweep, shared: &shared, left: &left, queue: &queue, stop };
    let began = Instant::now();
    let mut time = Time { threads, ..Time::default() };
    side_by_side(threads, &|rows| left.work(rows), |rows| {
        take_rows(&rows, journal, (&mut time, progress)).inspect_err(|_| queue.close())
    })?;
    time.wall = began.elapsed();
    Ok(time)
}

/// Writes rows until there are no more.
fn take_rows(
    rows: &Receiver<(Row, Duration)>,
    journal: &mut Journal,
    (time, progress): (&mut Time, &mut dyn FnMut(Progress)),
) -> Result<(), SweepError> {
    let failed = journal.rows().filter(|row| row.error.is_some()).count() as u64;
    let points = journal.rows.len() as u64;
    let mut reached = Progress { done: journal.done(), failed, points };
    let mut flushed = Instant::now();
    progress(reached);
    loop {
        let next = rows.recv_timeout(KEPT_FOR);
        let is_over = matches!(next, Err(RecvTimeoutError::Disconnected));
        if let Ok((row, took)) = next {
            time.in_points += took;
            time.ran += 1;
            reached.done += 1;
            reached.failed += u64::from(row.error.is_some());
            journal.add(row)?;
        }
        if is_over || flushed.elapsed() >= KEPT_FOR {
            journal.flush()?;
            flushed = Instant::now();
            progress(reached);
        }
        if is_over {
            return Ok(());
        }
    }
}

/// Points that wait for a thread.
struct Left<'a> {
    sweep: &'a Sweep,
    shared: &'a Shared,
    left: &'a [u64],
    queue: &'a Queue,
    stop: &'a Stop<'a>,
}

impl Left<'_> {
    /// Runs points until none is left.
    fn work(&self, sender: &Sender<(Row, Duration)>) {
        let mut runner = Runner::new(self.sweep, self.shared);
        loop {
            let places = self.queue.take_some(TAKEN_AT_ONCE);
            if places.is_empty() {
                return;
            }
            for &number in &self.left[places.start as usize..places.end as usize] {
                if (self.stop)() {
                    return;
                }
                let (row, time) = attempt((self.sweep, self.shared), &mut runner, number);
                // Nobody listens once a row could not be written.
                if sender.send((row, time)).is_err() {
                    return;
                }
            }
        }
    }
}

/// Runs points that somebody else hands out, on another computer for example.
pub struct Worker {
    sweep: Sweep,
    shared: Shared,
}

impl Worker {
    /// A worker on a sweep. It keeps the drive that points asked for last, and the one before.
    pub fn new(sweep: Sweep) -> Worker {
        Worker { sweep, shared: Shared::new(2) }
    }

    /// Rows of points, which are those that [`run`] gives them, and the time that they took.
    ///
    /// # Panics
    /// If the sweep has no such point.
    pub fn run(&self, points: &[u64]) -> (Vec<Row>, Duration) {
        let mut runner = Runner::new(&self.sweep, &self.shared);
        let mut all = Duration::ZERO;
        let rows = points.iter().map(|&point| {
            assert!(point < self.sweep.points(), "a point beyond the last");
            let (row, took) = attempt((&self.sweep, &self.shared), &mut runner, point);
            all += took;
            row
        });
        (rows.collect(), all)
    }
}

/// Runs a point. A fault of the program in it is an error like others: the other points go on.
fn attempt<'a>(
    (sweep, shared): (&'a Sweep, &'a Shared),
    runner: &mut Runner<'a>,
    number: u64,
) -> (Row, Duration) {
    let began = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| runner.run(&sweep.point(number))));
    let outcome = outcome.unwrap_or_else(|_| {
        *runner = Runner::new(sweep, shared);
        Outcome { board: String::new(), figures: Err("internal error".to_owned()) }
    });
    (Row::new(number, outcome), began.elapsed())
}
