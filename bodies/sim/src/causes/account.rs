//! One account of a command's time.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Cause, Part, Split};

/// The time since a command's fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Account {
    /// Up to when it is told.
    pub(super) last: u64,
    pub(super) split: Split,
}

impl Account {
    /// All time since the last charge, until `until`, goes to a cause.
    #[inline]
    pub(super) fn charge(&mut self, part: Part, cause: Cause, until: u64) {
        assert!(until >= self.last, "an account is charged in the order of time");
        self.split.add(part, cause, until - self.last);
        self.last = until;
    }

    /// What was charged beyond `until` is taken back, as the chip does not do it yet: from the chip's share, and from that of
    /// the way to it.
    pub(super) fn take_back(&mut self, part: Part, until: u64) {
        let mut left = self.last.saturating_sub(until);
        for cause in [Cause::Flash, Cause::Memory, Cause::Transfer, Cause::Bus] {
            left -= self.split.take(part, cause, left);
        }
        assert_eq!(left, 0, "what was charged ahead is the hardware's");
        self.last = self.last.min(until);
    }

    /// The same, but at most `most` of it goes to the cause; the rest stays to be charged.
    #[inline]
    pub(super) fn charge_most(&mut self, part: Part, cause: Cause, (most, until): (u64, u64)) {
        self.charge(part, cause, until.min(self.last + most));
    }
}
