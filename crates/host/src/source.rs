//! Where the requests of a worker come from: a job of fio's, or a trace.

use crate::job::{JobSpec, Next, Request, Workload};
use crate::replay::TraceSource;

/// The requests of a worker.
#[derive(Debug)]
// There is one a worker, and the larger kind is the usual one.
#[allow(clippy::large_enum_variant)]
pub enum Source {
    /// Drawn as a job says.
    Job(Workload),
    /// Read from a trace.
    Trace(Box<TraceSource>),
}

impl Source {
    /// The requests of `spec` for a run with this seed.
    pub fn new(spec: &JobSpec, seed: u64) -> Self {
        match &spec.replay {
            None => Source::Job(Workload::new(spec, seed)),
            Some(trace) => Source::Trace(Box::new(TraceSource::new(trace))),
        }
    }

    /// What to do at `now_ps`. A request that is returned counts as issued, in this slot.
    #[inline]
    pub fn next(&mut self, now_ps: u64, slot: u32) -> Next {
        match self {
            Source::Job(workload) => workload.next(now_ps),
            Source::Trace(trace) => trace.next(now_ps, slot),
        }
    }

    /// When the request that was returned at `now_ps` should have been issued: from there its latency counts.
    #[inline]
    pub fn due_ps(&self, now_ps: u64) -> u64 {
        match self {
            Source::Job(_) => now_ps,
            Source::Trace(trace) => trace.due_ps().unwrap_or(now_ps),
        }
    }

    /// Lets the job end.
    pub fn stop(&mut self) {
        match self {
            Source::Job(workload) => workload.stop(),
            Source::Trace(trace) => trace.stop(),
        }
    }

    /// Takes note that the request of a slot completed at `now_ps`.
    ///
    /// # Panics
    /// If nothing is in flight.
    #[inline]
    pub fn completed(&mut self, request: &Request, (slot, now_ps): (u32, u64)) {
        match self {
            Source::Job(workload) => workload.completed(request, now_ps),
            Source::Trace(trace) => trace.completed(request, (slot, now_ps)),
        }
    }

    /// Whether requests that complete at `now_ps` count.
    #[inline]
    pub fn measuring(&self, now_ps: u64) -> bool {
        match self {
            Source::Job(workload) => workload.measuring(now_ps),
            Source::Trace(trace) => trace.measuring(now_ps),
        }
    }

    /// Requests issued and not yet completed.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        match self {
            Source::Job(workload) => workload.in_flight(),
            Source::Trace(trace) => trace.in_flight(),
        }
    }

    /// What ended the job before it was done.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Source::Job(_) => None,
            Source::Trace(trace) => trace.failure(),
        }
    }
}
