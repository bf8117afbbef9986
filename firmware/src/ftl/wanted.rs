//! What a command wants in flash at once.

use contract::{BufferId, CommandTag, Metadata};

/// Entries that a command wants in flash, and that are not programmed yet: fewer than fill a page.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Wanted {
    pub entries: [BufferId; Metadata::MOST_UNITS],
    pub count: usize,
    pub tag: CommandTag,
}

impl Wanted {
    /// The command wants nothing more.
    pub const NONE: Wanted =
        Wanted { entries: [BufferId(0); Metadata::MOST_UNITS], count: 0, tag: CommandTag(0) };

    #[inline]
    pub fn entries(&self) -> &[BufferId] {
        &self.entries[..self.count]
    }
}
