//! Second chance, or CLOCK (F. J. Corbató, "A Paging Experiment with the Multics System", 1968): FIFO, but an entry that
//! was read since it came in is let off once. Reads set a bit and do no work on the order.

use alloc::vec::Vec;
use contract::{BufferId, Configuration, Settings};

use super::{Candidate, Place, Policy, Verdict};

/// The oldest entry that was not read since it was the newest.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct SecondChance {
    /// By entry, whether it was read.
    was_read: Vec<bool>,
}

impl Policy for SecondChance {
    fn new(config: &Configuration, _: &Settings) -> Self {
        SecondChance { was_read: alloc::vec![false; config.buffer_entries as usize] }
    }

    fn judge(&mut self, candidate: Candidate) -> Verdict {
        let was_read = &mut self.was_read[candidate.entry.0 as usize];
        if core::mem::take(was_read) {
            Verdict::Renew
        } else {
            Verdict::Take
        }
    }

    fn read(&mut self, entry: BufferId) -> Place {
        self.was_read[entry.0 as usize] = true;
        Place::Kept
    }
}
