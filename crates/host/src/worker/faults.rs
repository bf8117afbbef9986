//! What ends a worker's job before it is done.

use nvme::status::Status;
use report::{Direction, JobError};

use super::{Life, Worker};
use crate::error::{self, error_number};
use crate::job::{AfterFault, RequestKind};

impl Worker {
    /// The job ends because a request has failed.
    #[cold]
    pub(super) fn fail(&mut self, kind: RequestKind, (status, failed_lba): (Status, u64)) {
        let what = kind.name();
        let message = match kind {
            RequestKind::Flush => format!("{what}: {status}"),
            _ => format!("{what} of LBA {failed_lba}: {status}"),
        };
        self.end_with(error_number(status), message);
    }

    /// Ends the job if a request took longer than it may.
    #[inline]
    pub(super) fn check_latency(&mut self, direction: Direction, latency_ps: u64) {
        let most = &self.faults.most_latency_ps;
        let most_ps = match direction {
            Direction::Read => most.read,
            Direction::Write => most.write,
            Direction::Trim => most.trim,
        };
        if latency_ps > most_ps {
            let [found, most] = [latency_ps, most_ps].map(|ps| ps / 1000);
            let message = format!("latency of {found} nsec exceeds max_latency of {most} nsec");
            self.end_with(error::ETIMEDOUT, message);
        }
    }

    /// The job ends because a block holds what nobody has written.
    #[cold]
    pub(super) fn fail_proof(&mut self, lba: u64) {
        self.end_with(error::EILSEQ, format!("verify: bad magic header at LBA {lba}"));
    }

    /// The job ends with an error.
    #[cold]
    fn end_with(&mut self, number: u32, mut message: String) {
        if self.faults.after == AfterFault::GoOn {
            message +=
                "; the job ends there, as going on after it (continue_on_error) is not modelled";
        }
        self.measure.fail(JobError { number, message });
        self.life = Life::Ending;
    }
}
