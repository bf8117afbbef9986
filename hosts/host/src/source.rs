//! Where the requests of a worker come from: a job of fio's, a trace, or a program.

use nvme::status::Status;
use report::JobError;

use crate::error_number::EIO;
use crate::job::{JobSpec, Load, Next, Request, Workload};
use crate::program::ProgramSource;
use crate::replay::TraceSource;

/// How a worker saw that a request had completed.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Where it was kept.
    pub slot: u32,
    /// When the worker saw it.
    pub now_ps: u64,
    /// When it was submitted.
    pub submitted_ps: u64,
    /// What became of it.
    pub status: Status,
}

/// The requests of a worker.
#[derive(Debug)]
// There is one a worker, and the larger kind is the usual one.
#[allow(clippy::large_enum_variant)]
pub enum Source {
    /// Drawn as a job says.
    Job(Workload),
    /// Read from a trace.
    Trace(Box<TraceSource>),
    /// Decided on by a program.
    Program(Box<ProgramSource>),
}

impl Source {
    /// The requests of `spec` for a run with this seed.
    pub fn new(spec: &JobSpec, seed: u64) -> Self {
        match &spec.load {
            Load::Drawn => Source::Job(Workload::new(spec, seed)),
            Load::Trace(trace) => Source::Trace(Box::new(TraceSource::new(trace))),
            Load::Program(program) => Source::Program(Box::new(ProgramSource::new(program, seed))),
        }
    }

    /// What to do at `now_ps`. A request that is returned counts as issued, in this slot.
    #[inline]
    pub fn next(&mut self, now_ps: u64, slot: u32) -> Next {
        match self {
            Source::Job(workload) => workload.next(now_ps),
            Source::Trace(trace) => trace.next(now_ps, slot),
            Source::Program(program) => program.next(now_ps, slot),
        }
    }

    /// When the job starts, of which `next` was the first answer, at `now_ps`.
    pub fn start_ps(&self, now_ps: u64, next: Next) -> u64 {
        match (self, next) {
            (Source::Job(_) | Source::Trace(_), Next::Wait { until_ps }) => until_ps,
            _ => now_ps,
        }
    }

    /// When the request that was returned at `now_ps` should have been issued: from there its latency counts.
    #[inline]
    pub fn due_ps(&self, now_ps: u64) -> u64 {
        match self {
            Source::Job(_) | Source::Program(_) => now_ps,
            Source::Trace(trace) => trace.due_ps().unwrap_or(now_ps),
        }
    }

    /// Lets the job end.
    pub fn stop(&mut self) {
        match self {
            Source::Job(workload) => workload.stop(),
            Source::Trace(trace) => trace.stop(),
            Source::Program(program) => program.stop(),
        }
    }

    /// Takes note that a request completed.
    ///
    /// # Panics
    /// If nothing is in flight.
    #[inline]
    pub fn completed(&mut self, request: &Request, seen: Seen) {
        match self {
            Source::Job(workload) => workload.completed(request, seen.now_ps),
            Source::Trace(trace) => trace.completed(request, (seen.slot, seen.now_ps)),
            Source::Program(program) => program.completed(request, seen),
        }
    }

    /// Whether requests that complete at `now_ps` count.
    #[inline]
    pub fn measuring(&self, now_ps: u64) -> bool {
        match self {
            Source::Job(workload) => workload.measuring(now_ps),
            Source::Trace(trace) => trace.measuring(now_ps),
            Source::Program(program) => program.measuring(now_ps),
        }
    }

    /// Requests issued and not yet completed.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        match self {
            Source::Job(workload) => workload.in_flight(),
            Source::Trace(trace) => trace.in_flight(),
            Source::Program(program) => program.in_flight(),
        }
    }

    /// The job, if it is one of fio's.
    pub fn job(&self) -> Option<&Workload> {
        match self {
            Source::Job(workload) => Some(workload),
            Source::Trace(_) | Source::Program(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn job_mut(&mut self) -> Option<&mut Workload> {
        match self {
            Source::Job(workload) => Some(workload),
            Source::Trace(_) | Source::Program(_) => None,
        }
    }

    /// Whether a request that fails is told to somebody who goes on; otherwise it ends the job.
    pub fn hears(&self) -> bool {
        match self {
            Source::Job(_) | Source::Trace(_) => false,
            Source::Program(program) => program.hears(),
        }
    }

    /// What ended the job before it was done.
    pub fn failure(&self) -> Option<JobError> {
        match self {
            Source::Job(workload) => workload.failure().cloned(),
            Source::Trace(trace) => {
                trace.failure().map(|line| JobError { number: EIO, message: line.to_owned() })
            }
            Source::Program(program) => program.failure(),
        }
    }
}
