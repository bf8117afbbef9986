//! How operations came to their dies, for those that waited for them on a buffer entry.

use contract::Needs;
use machine::{ChannelWaits, EntryWaits, NEVER};

/// How an operation came to its die. Times are picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// When it became its die's first; never as long as it has not.
    first: u64,
    /// The die's time on internal work, and on erases, when it was planned; from then on what of it came before it.
    internal: u64,
    erases: u64,
    /// When nothing on its buffer entry came before it any more.
    free: u64,
}

impl Default for Way {
    fn default() -> Self {
        Way::planned(0, 0)
    }
}

impl Way {
    /// An operation is planned on a die that has worked for the drive itself, and erased, for so long.
    #[inline(always)]
    pub fn planned(internal: u64, erases: u64) -> Self {
        Way { first: NEVER, internal, erases, free: 0 }
    }

    /// It becomes the first of its die, which has worked for the drive itself, and erased, for so long.
    #[inline(always)]
    pub fn comes_first(&mut self, now: u64, internal: u64, erases: u64) {
        if self.first == NEVER {
            self.first = now;
            self.internal = internal.saturating_sub(self.internal);
            self.erases = erases.saturating_sub(self.erases);
        }
    }

    /// Nothing on its buffer entry comes before it any more.
    #[inline(always)]
    pub fn is_free(&mut self, now: u64) {
        self.free = now;
    }

    /// It has ended: its time is added to what its channel's operations took. Returns this time.
    #[inline(always)]
    pub fn ends(&self, now: u64, waits: &mut ChannelWaits) -> u64 {
        let first = self.first.min(now).max(self.free);
        waits.operations += 1;
        waits.queued_ps += first - self.free;
        waits.served_ps += now.saturating_sub(first);
        now.saturating_sub(self.free)
    }

    /// What an operation with these needs was doing while others waited for it, from when until when. Of the time in the
    /// queue of its die, erases come first, then the drive's other work, each as far as there was some.
    pub fn told(&self, needs: Needs, from: u64, now: u64) -> EntryWaits {
        let mut told = EntryWaits::default();
        let all_ps = now.saturating_sub(from);
        match needs {
            Needs::Processor => told.firmware_ps = all_ps,
            Needs::DmaEngine => told.host_ps = all_ps,
            Needs::Die(_) => {
                let queued_ps = self.first.clamp(from, now.max(from)) - from;
                told.flash_ps = all_ps - queued_ps;
                told.erase_ps = self.erases.min(queued_ps);
                let left_ps = queued_ps - told.erase_ps;
                told.internal_ps = self.internal.saturating_sub(self.erases).min(left_ps);
                told.die_ps = left_ps - told.internal_ps;
            }
        }
        told
    }
}
