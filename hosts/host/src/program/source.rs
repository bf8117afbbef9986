//! The requests of a program, one call at a time, in virtual time.

use std::sync::Arc;

use report::JobError;

use super::{Completion, FittedProgram, Limits, Program, Setting, Step};
use crate::job::{Next, Request};
use crate::source::Seen;

/// Error number of a job whose program wants what cannot be done.
const EINVAL: u32 = 22;

/// What a worker asks for requests, in place of [`crate::job::Workload`], with the same promises: at most so many requests in
/// flight as there are slots, and times that never run back.
#[derive(Debug)]
pub struct ProgramSource {
    program: Box<dyn Program>,
    limits: Limits,
    /// When the job started.
    start_ps: Option<u64>,
    /// What the program calls the request in each slot.
    tags: Vec<u64>,
    in_flight: u32,
    is_over: bool,
    failure: Option<JobError>,
}

impl ProgramSource {
    /// The requests of a program that begins.
    pub fn new(fitted: &Arc<FittedProgram>, seed: u64) -> Self {
        let FittedProgram { load, limits } = &**fitted;
        let setting = Setting { limits: *limits, depth: load.depth, seed };
        ProgramSource {
            program: (load.begin)(setting),
            limits: *limits,
            start_ps: None,
            tags: vec![0; load.depth as usize],
            in_flight: 0,
            is_over: false,
            failure: None,
        }
    }

    /// What to do at `now_ps`. A request that is returned counts as issued, in this slot.
    pub fn next(&mut self, now_ps: u64, slot: u32) -> Next {
        let start_ps = *self.start_ps.get_or_insert(now_ps);
        if self.is_over {
            return self.rest();
        }
        let at_ps = now_ps - start_ps;
        match self.program.next(at_ps) {
            Step::Request { tag, request } => match self.limits.check(&request) {
                Ok(()) => {
                    self.tags[slot as usize] = tag;
                    self.in_flight += 1;
                    Next::Io(request)
                }
                Err(refused) => self.fail(refused.to_string()),
            },
            Step::WaitUntil(until_ps) if until_ps > at_ps => {
                Next::Wait { until_ps: start_ps.saturating_add(until_ps) }
            }
            Step::WaitUntil(until_ps) => {
                let expected = format!("a time after now, which is {at_ps} ps");
                self.fail(format!("wait: until: found {until_ps} ps, expected {expected}"))
            }
            Step::Wait if self.in_flight > 0 => Next::Drain,
            Step::Wait | Step::End => {
                self.is_over = true;
                self.rest()
            }
        }
    }

    /// Lets the job end.
    pub fn stop(&mut self) {
        self.is_over = true;
    }

    /// Takes note that a request completed.
    ///
    /// # Panics
    /// If nothing is in flight.
    pub fn completed(&mut self, request: &Request, seen: Seen) {
        assert!(self.in_flight > 0, "a completion without a request in flight");
        self.in_flight -= 1;
        let start_ps = self.start_ps.unwrap_or_default();
        self.program.completed(&Completion {
            tag: self.tags[seen.slot as usize],
            request: *request,
            submitted_ps: seen.submitted_ps - start_ps,
            completed_ps: seen.now_ps - start_ps,
            status: seen.status,
        });
    }

    /// Whether requests that complete at `now_ps` count: the job has started.
    pub fn measuring(&self, now_ps: u64) -> bool {
        self.start_ps.is_some_and(|start_ps| now_ps >= start_ps)
    }

    /// Requests issued and not yet completed.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Whether the program still hears of requests that fail, and can do something about it.
    pub fn hears(&self) -> bool {
        !self.is_over && self.program.hears()
    }

    /// What ended the job before its program did.
    pub fn failure(&self) -> Option<JobError> {
        self.failure.clone()
    }

    #[cold]
    fn fail(&mut self, message: String) -> Next {
        self.is_over = true;
        self.failure = Some(JobError { number: EINVAL, message });
        self.rest()
    }

    /// What comes when nothing more is issued.
    fn rest(&self) -> Next {
        match self.in_flight {
            0 => Next::Done,
            _ => Next::Drain,
        }
    }
}
