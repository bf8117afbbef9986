//! What pages say of themselves in their metadata.

use contract::{Metadata, UnitState};

/// What the metadata of a page say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Label {
    /// The number of its first block.
    pub lpn: u32,
    /// Blocks in it.
    pub count: u32,
    /// It holds no data.
    pub is_blank: bool,
    pub epoch: u32,
    pub sequence: u64,
}

impl Label {
    /// From metadata; none if they name no block.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        let (lpn, state) = metadata.lpns.iter().next()?;
        Some(Label {
            lpn: lpn.0,
            count: metadata.lpns.count() as u32,
            is_blank: state == UnitState::Lost,
            epoch: metadata.epoch,
            sequence: metadata.sequence,
        })
    }
}
