//! A format, and how far it has come.

use contract::CommandTag;

/// How far a format has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) enum Step {
    /// I/O commands accepted before are still under way.
    Drain,
    /// Cached data is going to flash.
    Flush,
    /// Background work is coming to its end.
    Settle,
    /// The blocks are being freed, and had so many bytes before.
    Erase { former_bytes: u32 },
}

/// A format under way.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Format {
    pub(in crate::nvme) tag: CommandTag,
    pub(in crate::nvme) block_bytes: u32,
    pub(in crate::nvme) step: Step,
}

impl Format {
    /// Whether new transfers of the control page have to wait, so that storage can come to rest.
    pub fn holds_control(&self) -> bool {
        matches!(self.step, Step::Settle | Step::Erase { .. })
    }
}
