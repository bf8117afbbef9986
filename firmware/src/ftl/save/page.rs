//! What the save area tells of a mapping unit.

use contract::Lpn;

use crate::operations::Place;

/// A mapping unit that was saved when the power went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct SavedPage {
    /// The logical page.
    pub lpn: Lpn,
    /// When it was planned.
    pub sequence: u64,
    /// Where it is.
    pub place: Place,
    /// Its data had been lost before.
    pub lost: bool,
}
