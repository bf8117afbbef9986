//! LRU: the least recently used entry, as in Cosmos+ section 3.3.2.

use contract::{BufferId, Configuration, Settings};

use super::{Candidate, Place, Policy, Verdict};

/// Whatever is used is the newest.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Lru;

impl Policy for Lru {
    fn new(_: &Configuration, _: &Settings) -> Self {
        Lru
    }

    #[inline]
    fn judge(&mut self, _: Candidate) -> Verdict {
        Verdict::Take
    }

    #[inline]
    fn read(&mut self, _: BufferId) -> Place {
        Place::Newest
    }
}
