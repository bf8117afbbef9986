//! FIFO: the entry whose data came first, from the host or from flash. Reads that find their page change nothing, which
//! saves their work on the order.

use contract::{BufferId, Configuration, Settings};

use super::{Candidate, Place, Policy, Verdict};

/// Whatever comes in is the newest, until something else comes in.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Fifo;

impl Policy for Fifo {
    fn new(_: &Configuration, _: &Settings) -> Self {
        Fifo
    }

    fn judge(&mut self, _: Candidate) -> Verdict {
        Verdict::Take
    }

    fn read(&mut self, _: BufferId) -> Place {
        Place::Kept
    }
}
