//! A request under way, in the slot that a worker has for it.

use machine::{Accounts, CommandTimes};
use nvme::status::Status;
use report::Split;

use crate::job::{Request, RequestKind};

/// A request under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub request: Request,
    /// When it was submitted.
    pub submitted_ps: u64,
    /// Bytes for which commands were taken.
    pub taken_bytes: u64,
    /// Commands taken and not completed.
    pub outstanding: u32,
    /// The first failure among its commands.
    pub status: Status,
    /// LBA of the command that failed.
    pub failed_lba: u64,
    /// The first block that holds what nobody has written.
    pub unproven_lba: Option<u64>,
    /// The placement identifier that its commands name, if they do.
    pub identifier: u16,
    /// Times of the command that was posted last; of a request that the job has seen, its whole time.
    pub times: CommandTimes,
}

impl Slot {
    /// A slot without a request.
    pub const NOTHING: Slot = Slot {
        request: Request { kind: RequestKind::Flush, offset_bytes: 0, length_bytes: 0 },
        submitted_ps: 0,
        taken_bytes: 0,
        outstanding: 0,
        status: Status::SUCCESS,
        failed_lba: 0,
        unproven_lba: None,
        identifier: 0,
        times: CommandTimes::NONE,
    };

    /// A request gets the slot that is submitted at `submitted_ps`.
    #[inline]
    pub fn open(&mut self, request: Request, submitted_ps: u64) {
        (self.request, self.submitted_ps) = (request, submitted_ps);
        (self.taken_bytes, self.outstanding) = (0, 0);
        (self.status, self.failed_lba, self.unproven_lba) = (Status::SUCCESS, 0, None);
    }

    /// The job sees at `now_ps` that the request has completed.
    #[inline]
    pub fn see(&mut self, now_ps: u64, accounts: Accounts) {
        if accounts == Accounts::Kept {
            self.times.split(self.submitted_ps, now_ps);
        }
    }

    /// Where the time went of a request that the job has seen, where the drive tells.
    #[inline]
    pub fn split(&self, accounts: Accounts) -> Option<&Split> {
        (accounts == Accounts::Kept).then_some(&self.times.inside)
    }
}
