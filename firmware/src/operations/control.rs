//! Transfers of the control page.

use contract::{CommandTag, Completer, DmaDirection, DmaMemory, DmaRequest};

/// A transfer of the first bytes of the control page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ControlTransfer {
    /// Which way.
    pub direction: DmaDirection,
    /// Bytes, at most a page.
    pub length: u32,
    /// Where in the command's data.
    pub host_offset: u32,
    /// Bytes of the command's whole data.
    pub command_bytes: u32,
}

impl ControlTransfer {
    /// Of all of a command's data.
    pub const fn whole(direction: DmaDirection, length: u32) -> Self {
        ControlTransfer { direction, length, host_offset: 0, command_bytes: length }
    }

    /// To the host, of the first page of a command's data and no more. How much the command asks for decides what its PRP entry 2 is:
    /// a page, or a list of them.
    pub const fn first_page(command_bytes: u32) -> Self {
        let length = if command_bytes < 4096 { command_bytes } else { 4096 };
        let direction = DmaDirection::ToHost;
        ControlTransfer { direction, length, host_offset: 0, command_bytes }
    }

    /// What the DMA engine is to do for it.
    pub const fn request(self, tag: CommandTag) -> DmaRequest {
        let ControlTransfer { direction, length, host_offset, command_bytes } = self;
        DmaRequest {
            tag,
            direction,
            host_offset,
            length,
            command_length: command_bytes,
            completer: Completer::Firmware,
            memory: DmaMemory::Control,
        }
    }
}
