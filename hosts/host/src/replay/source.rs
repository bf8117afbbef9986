//! The requests of a trace, one call at a time, in virtual time.

use std::sync::Arc;

use machine::NEVER;
use trace::{Reader, Record, UNKNOWN};

use super::{FittedTrace, Timing};
use crate::job::{Next, Request, RequestKind};

/// Requests that have completed before they had in the trace, and are remembered until then.
const REMEMBERED: usize = 4096;
/// The time of a slot in which nothing is under way.
const FREE: u64 = u64::MAX;

/// What a worker asks for requests, in place of [`crate::job::Workload`], with the same promises: at most so many requests in
/// flight as there are slots, and times that never run back.
#[derive(Debug)]
pub struct TraceSource {
    fitted: Arc<FittedTrace>,
    reader: Option<Reader>,
    /// The next record, if it was read.
    record: Option<Record>,
    /// When the job started.
    start_ps: Option<u64>,
    /// When the request before was issued, and its time in the trace; for pauses.
    before: Option<(u64, u64)>,
    /// When the request that was returned last was due, in an open loop.
    due_ps: Option<u64>,
    in_flight: u32,
    /// A flush of a closed loop, which nothing overtakes.
    barrier: bool,
    is_over: bool,
    order: Order,
    failure: Option<String>,
}

/// What a request by dependency waits for.
///
/// A request waits for all that had completed in the trace when it arrived. Those that are under way here are looked through
/// by slot; of those that have completed here, but had not yet in the trace, ends are remembered. Of all that the present
/// request had to wait for, the one that had completed last counts: the pause of the trace is made after its end here.
#[derive(Debug, Default)]
struct Order {
    /// End in the trace of what is under way in each slot, [`FREE`] for nothing.
    under_way: Vec<u64>,
    /// End in the trace, and end here.
    early: Vec<(u64, u64)>,
    /// Of all that had completed in the trace, the last, and its end here.
    last: Option<(u64, u64)>,
}

impl Order {
    /// When a request that arrived at `arrived_ns` may be issued; none if something has to complete first. `pause_ps` says how
    /// long a pause of the trace takes, `start_ps` when the job started.
    fn due_ps(
        &mut self,
        arrived_ns: u64,
        start_ps: u64,
        pause_ps: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        if self.under_way.iter().any(|&end_ns| end_ns <= arrived_ns) {
            return None;
        }
        let last = &mut self.last;
        self.early.retain(|&(end_ns, done_ps)| {
            let has_come = end_ns <= arrived_ns;
            if has_come {
                *last = (*last).max(Some((end_ns, done_ps)));
            }
            !has_come
        });
        let (end_ns, done_ps) = self.last.unwrap_or((0, start_ps));
        Some(done_ps.saturating_add(pause_ps(arrived_ns - end_ns)))
    }

    fn issue(&mut self, slot: u32, end_ns: u64) {
        let slot = slot as usize;
        if self.under_way.len() <= slot {
            self.under_way.resize(slot + 1, FREE);
        }
        // One that never ends in the trace is waited for by nothing.
        self.under_way[slot] = end_ns.min(FREE - 1);
    }

    fn complete(&mut self, slot: u32, now_ps: u64) {
        let end_ns = std::mem::replace(&mut self.under_way[slot as usize], FREE);
        if self.early.len() < REMEMBERED {
            self.early.push((end_ns, now_ps));
        }
    }
}

impl TraceSource {
    /// The requests of a trace. A file that cannot be opened any more is a failure of the job.
    pub fn new(fitted: &Arc<FittedTrace>) -> Self {
        let (reader, failure) = match fitted.trace.reader() {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(error.to_string())),
        };
        TraceSource {
            fitted: fitted.clone(),
            is_over: reader.is_none(),
            reader,
            record: None,
            start_ps: None,
            before: None,
            due_ps: None,
            in_flight: 0,
            barrier: false,
            order: Order { early: Vec::with_capacity(REMEMBERED), ..Order::default() },
            failure,
        }
    }

    /// What to do at `now_ps`. A request that is returned counts as issued, in this slot.
    #[inline]
    pub fn next(&mut self, now_ps: u64, slot: u32) -> Next {
        let (delay_ps, limit_ps) = self.fitted.window_ps;
        let start_ps = *self.start_ps.get_or_insert(now_ps.saturating_add(delay_ps));
        if now_ps < start_ps && !self.is_over {
            return Next::Wait { until_ps: start_ps };
        }
        if limit_ps.is_some_and(|limit_ps| now_ps - start_ps.min(now_ps) >= limit_ps) {
            self.stop();
        }
        let Some(record) = self.peek() else {
            return if self.in_flight > 0 { Next::Drain } else { Next::Done };
        };
        let speed = self.fitted.replay.speed;
        match self.fitted.replay.timing {
            Timing::Arrival => {
                let due_ps = start_ps.saturating_add(speed.scaled_ps(record.time_ns));
                if due_ps > now_ps {
                    return Next::Wait { until_ps: due_ps };
                }
                self.due_ps = Some(due_ps);
            }
            Timing::Stalls(_) => {
                if self.barrier {
                    return Next::Drain;
                }
                let due_ps = self.paused_until(&record);
                if due_ps > now_ps {
                    return Next::Wait { until_ps: due_ps };
                }
                self.before = Some((now_ps, record.time_ns));
            }
            Timing::Depth(_) => {
                if self.barrier {
                    return Next::Drain;
                }
            }
            Timing::Dependency => {
                let pause_ps = |ns| speed.scaled_ps(ns);
                match self.order.due_ps(record.time_ns, start_ps, pause_ps) {
                    None => return Next::Drain,
                    Some(due_ps) if due_ps > now_ps => return Next::Wait { until_ps: due_ps },
                    Some(_) => {}
                }
                let took_ns = match record.response_ns {
                    UNKNOWN => self.fitted.replay.assumed_ns,
                    known => known,
                };
                self.order.issue(slot, record.time_ns.saturating_add(took_ns));
            }
        }
        self.record = None;
        self.in_flight += 1;
        let request = self.fitted.placement.of(&record);
        self.barrier = request.kind == RequestKind::Flush;
        Next::Io(request)
    }

    /// When the pause before a request ends.
    fn paused_until(&self, record: &Record) -> u64 {
        match self.before {
            None => 0,
            Some((issued_ps, time_ns)) => {
                let pause_ns = record.time_ns.saturating_sub(time_ns);
                issued_ps.saturating_add(self.fitted.replay.speed.scaled_ps(pause_ns))
            }
        }
    }

    /// When the request that was returned last should have been issued, if its time was that of the trace.
    #[inline]
    pub fn due_ps(&self) -> Option<u64> {
        self.due_ps
    }

    /// Lets the job end.
    pub fn stop(&mut self) {
        self.is_over = true;
        self.record = None;
    }

    /// Takes note that a request completed at `now_ps`.
    ///
    /// # Panics
    /// If nothing is in flight.
    #[inline]
    pub fn completed(&mut self, request: &Request, (slot, now_ps): (u32, u64)) {
        assert!(self.in_flight > 0, "a completion without a request in flight");
        self.in_flight -= 1;
        self.barrier &= request.kind != RequestKind::Flush;
        if self.fitted.replay.timing == Timing::Dependency {
            self.order.complete(slot, now_ps);
        }
    }

    /// Whether requests that complete at `now_ps` count: the job has started.
    pub fn measuring(&self, now_ps: u64) -> bool {
        self.start_ps.is_some_and(|start_ps| now_ps >= start_ps)
    }

    /// Requests issued and not yet completed.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// What ended the job before the trace did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The next record; none if there is no other.
    #[inline]
    fn peek(&mut self) -> Option<Record> {
        if self.record.is_none() && !self.is_over {
            self.record = self.reader.as_mut().and_then(Reader::next);
            if self.record.is_none() {
                self.end();
            }
        }
        self.record
    }

    /// The trace has ended. If it is not what it was before the run, nothing is what it seems.
    #[cold]
    fn end(&mut self) {
        self.is_over = true;
        let (found, expected) =
            (self.reader.as_ref().map_or(0, Reader::records), self.fitted.requests);
        if found != expected {
            let path = self.fitted.path.display();
            let line =
                format!("{path}: found {found} records, expected {expected}, as before the run");
            self.failure = Some(line);
        }
    }
}

/// A time that is never reached is one that nothing waits for.
const _: () = assert!(NEVER == u64::MAX);

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
