//! Flash requests and responses, at the grain of phases: the firmware schedules (Cosmos+ Table 2).

use crate::{BufferId, CommandTag, Location, Span};

/// One phase of a flash operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum FlashOperation {
    /// Start a page read: the array moves into the chip's page register.
    ReadTrigger,
    /// Move the page register over the bus, through descrambler and ECC, into a buffer entry.
    ReadTransfer,
    /// Move a buffer entry through ECC and scrambler to the chip and program it. Where flash pages are programmed together,
    /// move one of them; the chip programs with the last of a pass.
    Program,
    /// Erase the block that the row lies in.
    Erase,
    /// Ask the chip for the result of the last trigger, program, erase, reset or change of its read level.
    StatusCheck,
    /// Reset the chip of the way. What it was doing is broken off.
    Reset,
    /// Have the chip read at another read level from now on: other thresholds between the states of its cells.
    SetLevel,
    /// Have the chip stop its program or erase for a while, so that other pages can be read. Where that is over already, nothing
    /// happens. Only with [`crate::Configuration::suspends`].
    Suspend,
    /// Have the chip go on with what it was told to stop.
    Resume,
}

/// A request to a channel controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashRequest {
    /// What to do.
    pub operation: FlashOperation,
    /// Channel, way and row.
    pub location: Location,
    /// What is read of the page, the same for a trigger and its transfer: a whole flash page, or units of
    /// [`crate::Configuration::read_unit_bytes`] in a flash page. What is programmed of it: a whole flash page; the flash pages
    /// of a page come one after the other, in each pass. Ignored by other operations.
    pub part: Span,
    /// The read level that is set; 0 is the level that chips have at power-on. Ignored by all but [`FlashOperation::SetLevel`].
    pub level: u8,
    /// Buffer entry for transfer and program, its metadata included where that is the last flash page of its page; a part is at its own
    /// place in it. Ignored by the others.
    pub buffer: BufferId,
    /// Command on whose behalf it is, if any, for who observes a body; controllers ignore it.
    pub command: Option<CommandTag>,
}

/// How a phase ended, the answer to a status check or a transfer. Media faults are data, not errors of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum FlashOutcome {
    /// Done. For a transfer, with the bits that ECC corrected.
    Success {
        /// Corrected bits in the page.
        corrected_bits: u32,
        /// Most of them in a chunk.
        most_bits: u8,
    },
    /// The chip reports a failed program or erase.
    Failed,
    /// ECC could not correct the page.
    Uncorrectable,
    /// The chip was busy for longer than its controller waits, and is until it is reset.
    TimedOut,
    /// The chip has stopped its program or erase, and goes on when it is told: the answer to the first status check
    /// behind [`FlashOperation::Suspend`].
    Suspended,
    /// A transfer has ended, of a page that is erased. It came as zeroes, without metadata.
    Erased,
}

/// One read of a channel controller's status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelStatus {
    /// A bit a way: set when the controller holds nothing for the way and the chip is ready, or was busy for
    /// longer than the controller waits.
    pub ready: u64,
    /// A bit a way: set when a response waits.
    pub responses: u64,
    /// Requests that the controller takes now.
    pub room: u32,
}
