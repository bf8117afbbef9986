//! Parts of the map that come back to memory: reads of their newest snapshots.

mod bring;

use alloc::vec::Vec;
use contract::Recovery;

use super::snapshots::snapshots_at_once;

/// Reads of parts.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Loads {
    first_entry: u32,
    /// The part that each entry is for.
    parts: Vec<Option<u32>>,
}

impl Loads {
    /// None is under way. Entries behind those of snapshots are for them.
    pub fn new(first_entry: u32, settings: &Recovery) -> Self {
        let taken = snapshots_at_once(settings);
        let count = settings.log_entries - super::journal::ENTRIES - taken;
        Loads { first_entry: first_entry + taken, parts: alloc::vec![None; count as usize] }
    }

    /// Parts that can be read at once.
    pub fn at_once(&self) -> u32 {
        self.parts.len() as u32
    }
}
