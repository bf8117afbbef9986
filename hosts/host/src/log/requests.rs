//! Requests in memory, for whoever asks for all of them after the run.

use std::cell::RefCell;
use std::rc::Rc;

use report::{Cause, Completion, Direction, Split};

/// The measured requests of all jobs of a run, in the order in which they completed. Copies are of the same log.
#[derive(Clone, Debug, Default)]
pub struct RequestLog(Rc<RefCell<RequestColumns>>);

/// Requests as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestColumns {
    /// Names of the jobs.
    pub jobs: Vec<String>,
    /// Index of the job.
    pub job: Vec<u16>,
    /// Index of the direction in [`Direction::ALL`].
    pub direction: Vec<u8>,
    /// When the job saw the completion, in picoseconds from the start of the run.
    pub end_ps: Vec<u64>,
    /// First byte, from the start of the drive.
    pub offset_bytes: Vec<u64>,
    /// Number of bytes.
    pub length_bytes: Vec<u64>,
    /// From the job's decision to the doorbell.
    pub submission_ps: Vec<u64>,
    /// From the doorbell to the job's sight of the completion.
    pub completion_ps: Vec<u64>,
    /// How much of that is of each cause, by [`Cause`]. Empty where nobody asked for causes, or nothing had this one.
    pub causes_ps: [Vec<u64>; Cause::COUNT],
}

impl RequestLog {
    /// What was logged; the log is empty then.
    pub fn take(&self) -> RequestColumns {
        self.0.take()
    }

    /// What was logged, for `see` to look at.
    pub fn seen<T>(&self, see: impl FnOnce(&RequestColumns) -> T) -> T {
        see(&self.0.borrow())
    }

    /// Another job, whose index is told.
    pub(super) fn add_job(&self, name: &str) -> u16 {
        let mut columns = self.0.borrow_mut();
        columns.jobs.push(name.to_owned());
        u16::try_from(columns.jobs.len() - 1).expect("a run has at most 4096 jobs")
    }

    pub(super) fn add(
        &self,
        job: u16,
        (direction, offset_bytes): (Direction, u64),
        (completion, split): (&Completion, Option<&Split>),
    ) {
        let columns = &mut *self.0.borrow_mut();
        columns.job.push(job);
        columns.direction.push(direction as u8);
        columns.end_ps.push(completion.at_ps);
        columns.offset_bytes.push(offset_bytes);
        columns.length_bytes.push(completion.bytes);
        columns.submission_ps.push(completion.submission_ps);
        columns.completion_ps.push(completion.completion_ps);
        let Some(split) = split else { return };
        let requests = columns.completion_ps.len();
        for (column, time_ps) in columns.causes_ps.iter_mut().zip(split.by_cause()) {
            if time_ps > 0 || !column.is_empty() {
                // Requests before the first one with this cause had none of it.
                column.resize(requests - 1, 0);
                column.push(time_ps);
            }
        }
    }
}
