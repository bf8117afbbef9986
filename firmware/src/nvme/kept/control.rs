//! Who uses the control page, and who waits for it.

use alloc::collections::VecDeque;
use contract::CommandTag;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) enum Owner {
    /// Nobody.
    None,
    /// A transfer for this command is under way.
    Moving(CommandTag),
    /// The page holds ranges that this command still has to work through.
    Holding(CommandTag),
}

/// Who uses the control page, and who waits for it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Control {
    pub(in crate::nvme) owner: Owner,
    /// Bytes that were sent of what is larger than the page.
    pub(in crate::nvme) sent: u64,
    /// Of a report of zones, the next zone that may be listed.
    pub(in crate::nvme) next_zone: u32,
    pub(in crate::nvme) waiting: VecDeque<CommandTag>,
}

impl Control {
    /// Free, with room for every command to wait.
    pub fn new(slots: u32) -> Self {
        Control {
            owner: Owner::None,
            sent: 0,
            next_zone: 0,
            waiting: VecDeque::with_capacity(slots as usize),
        }
    }

    /// Whether somebody uses or waits for the page.
    pub fn is_busy(&self) -> bool {
        self.owner != Owner::None || !self.waiting.is_empty()
    }
}
