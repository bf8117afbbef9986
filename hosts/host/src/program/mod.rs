//! Programs as load: whoever decides on requests one by one, and is told what became of each.
//!
//! A program is one job with its own queue pair and the whole drive. It is asked for requests when there is room for one, and
//! told of completions as they are seen ([`ProgramSource`]). Everything else is as for fio jobs: the queues, the host's own
//! times, the oracle that checks each read, the measurements.

mod fit;
mod limits;
mod source;

use std::fmt;
use std::sync::Arc;

use nvme::status::Status;

use crate::job::Request;

pub(crate) use self::fit::fit;
pub use self::limits::{Limits, Refused};
pub use self::source::ProgramSource;

/// Somebody who decides on requests. All times are picoseconds of virtual time from the start of its job, which is that of
/// the run.
pub trait Program: fmt::Debug {
    /// What to do at `now_ps`. It is asked again after each request, until it wants to wait; after completions; and maybe
    /// before, so that what it says depends on what it knows, and not on how often it was asked.
    fn next(&mut self, now_ps: u64) -> Step;

    /// A request has completed. Those that complete together are told in the order in which they came, before the next
    /// question.
    fn completed(&mut self, completion: &Completion);

    /// Whether it does something about requests that fail. Where nobody does, they are the job's error, and end it.
    fn hears(&self) -> bool {
        true
    }
}

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Issues this request now.
    Request {
        /// Comes back with the completion; the program may use it as it likes.
        tag: u64,
        /// What is to be read, written, deallocated or flushed.
        request: Request,
    },
    /// Issues nothing before a completion. If nothing is under way, none will come, and this is the end.
    Wait,
    /// Issues nothing before this time, which has to be after now, or before a completion, whichever is first.
    WaitUntil(u64),
    /// Issues nothing any more. What is under way completes; if one of these requests fails, the job does.
    End,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// As in [`Step::Request`].
    pub tag: u64,
    /// What was asked for.
    pub request: Request,
    /// When its doorbell was rung.
    pub submitted_ps: u64,
    /// When the host saw that it had completed.
    pub completed_ps: u64,
    /// What the drive said: a request that failed is told, and the run goes on.
    pub status: Status,
}

impl Completion {
    /// From the doorbell until the host saw the completion: what reports call completion latency.
    pub fn latency_ps(&self) -> u64 {
        self.completed_ps - self.submitted_ps
    }
}

/// What a program is told when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What requests have to keep to.
    pub limits: Limits,
    /// Requests under way at the most.
    pub depth: u32,
    /// Seed of the run.
    pub seed: u64,
}

/// Begins a program, once a run.
pub type Begin = Arc<dyn Fn(Setting) -> Box<dyn Program> + Send + Sync>;

/// A program to run.
#[derive(Clone)]
pub struct ProgramLoad {
    /// Name of its job.
    pub name: String,
    /// Requests under way at the most.
    pub depth: u32,
    /// Most bytes of a read or a write.
    pub most_bytes: u64,
    /// Called at the start of the run, with what the program may know.
    pub begin: Begin,
}

impl fmt::Debug for ProgramLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProgramLoad { name, depth, most_bytes, begin: _ } = self;
        let mut shown = f.debug_struct("ProgramLoad");
        shown.field("name", name).field("depth", depth).field("most_bytes", most_bytes);
        shown.finish_non_exhaustive()
    }
}

/// A program, fitted to a drive: what its job needs to know.
#[derive(Clone, Debug)]
pub struct FittedProgram {
    /// The program.
    pub load: ProgramLoad,
    /// What its requests have to keep to.
    pub limits: Limits,
}

impl PartialEq for FittedProgram {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.load.begin, &other.load.begin) && self.limits == other.limits
    }
}
