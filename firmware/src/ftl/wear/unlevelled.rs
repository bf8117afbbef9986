//! No levelling, as in the published firmware of Cosmos+: free superblocks are opened in the order in which they were
//! erased, and data stay where they are.

use contract::{Configuration, Settings};

use super::{Policy, Way};

/// Nothing is done.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Unlevelled;

impl Policy for Unlevelled {
    const LEAST_WORN_FIRST: bool = false;
    const EMPTIES: bool = false;

    fn new(_: &Configuration, _: &Settings) -> Self {
        Unlevelled
    }

    fn due(&mut self, _: &Way<'_>) -> Option<u32> {
        None
    }
}
