//! The host side: commands, DMA, completions, queues.

use crate::BufferId;

/// Slot of a command that was fetched and not yet completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct CommandTag(pub u16);

/// A fetched submission queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct HostCommand {
    /// Slot that the host interface gave it.
    pub tag: CommandTag,
    /// Submission queue it came from; 0 is the admin queue.
    pub queue: u16,
    /// The 64 bytes, as 16 little-endian dwords (NVMe 1.4 figure 104).
    pub entry: [u32; 16],
}

/// What the host interface has for the firmware, one a read of its command register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum HostEvent {
    /// Nothing.
    None,
    /// CC.EN went from 0 to 1.
    Enable,
    /// CC.EN went from 1 to 0. The interface already dropped its I/O queues and drops all further
    /// DMA and completions of commands fetched before.
    Disable,
    /// CC.SHN asks for a shutdown.
    Shutdown,
    /// A doorbell was written wrongly (NVMe 1.4 figure 147: 00h unknown register, 01h bad value).
    DoorbellError(u8),
    /// A command was fetched from a submission queue.
    Command(HostCommand),
    /// The power has gone away, and [`crate::Configuration::reserve`] is what is left. The host is gone with it: nothing
    /// comes from it any more, no DMA ends, and nothing reaches it. The last event.
    PowerLoss,
}

/// Direction of a host DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum DmaDirection {
    /// Rx: host memory to the drive.
    FromHost,
    /// Tx: the drive to host memory.
    ToHost,
}

/// The drive's end of a DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaMemory {
    /// User data in a buffer entry.
    Buffer {
        /// Entry of the data buffer that the bytes come from or go to.
        entry: BufferId,
        /// Byte in the entry, a multiple of the logical block.
        offset: u32,
    },
    /// The 4 KiB control page: identify data, logs, range lists.
    Control,
}

/// A request to the host DMA engine, which walks the command's PRPs and moves 4 KiB units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaRequest {
    /// The command whose data pointer is used.
    pub tag: CommandTag,
    /// Which way.
    pub direction: DmaDirection,
    /// Byte from the start of the command's data.
    pub host_offset: u32,
    /// Bytes to move, at most one flash page.
    pub length: u32,
    /// Bytes of the command's whole data, which decide whether PRP2 is a page or a list.
    pub command_length: u32,
    /// Who completes the command once all of its data have moved.
    pub completer: Completer,
    /// The drive's end.
    pub memory: DmaMemory,
}

/// A list of 8-byte numbers in host memory that a command names (Open-Channel SSD Specification 2.0, section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOf {
    /// The list that dwords 10 and 11 name: the command's blocks.
    Blocks,
    /// The list that dwords 14 and 15 name: the blocks to which these are copied.
    Destinations,
}

/// A list that is read from host memory ([`crate::Hardware::fetch_addresses`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressesOf {
    /// The command.
    pub tag: CommandTag,
    /// Which of its lists.
    pub list: ListOf,
    /// Where it begins, as the command says.
    pub address: u64,
}

/// Who posts the completion of a command whose data have all moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Completer {
    /// The firmware, by [`crate::Hardware::complete`].
    Firmware,
    /// The host interface, with success, as soon as it has moved [`DmaRequest::command_length`] bytes of it
    /// without a fault. The firmware completes the command all the same when something failed, in which case
    /// it leaves data unmoved. The tag is free once the completion is posted and a progress read has shown
    /// the end of the last request.
    Interface,
}

/// One read of the DMA engine's status registers. Requests of a direction finish in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaProgress {
    /// Finished requests from the host, free-running.
    pub from_host: u32,
    /// Finished requests to the host, free-running.
    pub to_host: u32,
    /// Some command has met a bad data pointer since it was fetched.
    pub fault: bool,
}

/// A completion to post. It frees the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The command.
    pub tag: CommandTag,
    /// Status field without the phase bit: bits 14:0 of NVMe 1.4 figure 124.
    pub status: u16,
    /// Command-specific dwords 0 and 1. Dword 1 is 0 but of commands of open-channel drives, and a body that has none of
    /// these need not carry it.
    pub result: u64,
}

/// A completion queue to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletionQueue {
    /// Identifier, 1 and up.
    pub id: u16,
    /// Entries, 2 and up.
    pub entries: u32,
    /// Host address, page aligned, physically contiguous.
    pub base: u64,
    /// Interrupt vector, where interrupts are enabled.
    pub vector: Option<u16>,
}

/// A submission queue to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubmissionQueue {
    /// Identifier, 1 and up.
    pub id: u16,
    /// Entries, 2 and up.
    pub entries: u32,
    /// Host address, page aligned, physically contiguous.
    pub base: u64,
    /// Completion queue it completes to.
    pub completion_queue: u16,
    /// Priority class (QPRIO): 0 urgent, 1 high, 2 medium, 3 low.
    pub priority: u8,
}

/// Weights of weighted round robin (feature 01h); each is the number of commands minus one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct QueueWeights {
    /// Commands fetched at a time: 2 to the power of this, 7 meaning no limit.
    pub burst: u8,
    /// Low priority weight.
    pub low: u8,
    /// Medium priority weight.
    pub medium: u8,
    /// High priority weight.
    pub high: u8,
}

/// Interrupt coalescing (features 08h and 09h).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct InterruptCoalescing {
    /// Completions to gather before an interrupt, minus one.
    pub threshold: u8,
    /// Longest wait, in 100 us; 0 turns coalescing off.
    pub time: u8,
}
