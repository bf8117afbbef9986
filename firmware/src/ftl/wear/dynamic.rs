//! Dynamic levelling: the free superblock with the fewest erases is opened first, and data stay where they are.

use contract::{Configuration, Settings};

use super::{Policy, Way};

/// Nothing is emptied.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Dynamic;

impl Policy for Dynamic {
    const LEAST_WORN_FIRST: bool = true;
    const EMPTIES: bool = false;

    fn new(_: &Configuration, _: &Settings) -> Self {
        Dynamic
    }

    fn due(&mut self, _: &Way<'_>) -> Option<u32> {
        None
    }
}
