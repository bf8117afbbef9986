//! The border between the NVMe manager and the flash translation layer.

use contract::{CachePolicy, CommandTag, Completer, DmaDirection, Hardware};

use super::lifetime::{Lifetime, PowerOff};

/// What an I/O command does to its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum IoKind {
    /// Flash or buffer to host.
    Read,
    /// Host to buffer, and to flash where durability asks for it.
    Write,
    /// Blocks read as zero afterwards.
    WriteZeroes,
    /// Whole mapping units in the range are freed and read as zero; the rest of the range is kept.
    Deallocate,
    /// Host data against stored data.
    Compare,
    /// All that was completed before is in flash afterwards. The range is ignored.
    Flush,
}

/// When a write counts as done, and where a read takes its data from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Durability {
    /// As the cache policy says; from the data buffer where it has them.
    Cached,
    /// In flash, and from flash (force unit access).
    Durable,
}

/// A checked I/O command: the range lies inside the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct IoCommand {
    /// The command's slot.
    pub tag: CommandTag,
    /// What to do.
    pub kind: IoKind,
    /// First logical block.
    pub start: u64,
    /// Logical blocks, 1 and up (ignored by a flush).
    pub blocks: u32,
    /// Durability of a write, or of what is read.
    pub durability: Durability,
}

/// How an I/O command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum IoOutcome {
    /// All done.
    Success,
    /// Flash could not give the data back.
    UnrecoveredRead,
    /// Flash could not take the data.
    WriteFault,
    /// Host data differ from stored data.
    CompareFailure,
    /// The command's data pointer was bad.
    TransferError,
    /// The drive ran out of spare blocks and takes no more writes.
    ReadOnly,
}

/// Counters of the media for the SMART log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Spare blocks left, in percent of those at start, of the way that has the fewest.
    pub available_spare_percent: u8,
    /// Mean erase count over rated cycles, in percent, at most 255.
    pub percentage_used: u8,
    /// Reads that stayed uncorrectable and programs or erases that failed for good.
    pub media_errors: u64,
    /// The drive takes no more writes.
    pub read_only: bool,
    /// It cannot save its data buffer when the power goes away, which it is built for.
    pub backup_failed: bool,
}

/// Whether what is in the data buffer outlasts the power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// The drive has nothing for that.
    None,
    /// It does.
    Holds,
    /// It is built for that, and cannot do it: changes count as written once they are in flash.
    Failed,
}

/// What outlasts power: what the drive has been through, and how power would go away.
pub type Past = (Lifetime, PowerOff);

/// When something is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// When there is something else to be written.
    Later,
    /// At once.
    AtOnce,
}

/// What the NVMe manager asks of the layers below it.
pub trait Storage {
    /// Logical blocks of the namespace in the present format.
    fn blocks(&self) -> u64;
    /// Logical blocks that hold data.
    fn blocks_in_use(&self) -> u64;
    /// Bytes a logical block.
    fn block_bytes(&self) -> u32;
    /// Bytes a mapping unit (one flash page).
    fn unit_bytes(&self) -> u32;
    /// Takes a command, and tells who completes it if nothing fails. There is always room: no more commands
    /// than tags exist.
    fn submit(&mut self, hw: &mut impl Hardware, command: IoCommand) -> Completer;
    /// Takes the next finished command.
    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)>;
    /// Whether it can take commands: it knows where its data are.
    fn is_ready(&self) -> bool {
        true
    }
    /// Whether no command, flash operation or DMA is under way and no dirty data is left.
    fn is_quiet(&self) -> bool;
    /// Frees every block and changes the logical block size. Only when quiet.
    fn format(&mut self, block_bytes: u32);
    /// Changes the cache policy for commands to come.
    fn set_cache(&mut self, cache: CachePolicy);
    /// Moves the first `length` bytes of the control page, one transfer at a time.
    fn start_control(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        transfer: (DmaDirection, u32),
    );
    /// Whether the control transfer has ended, and how; `None` while it runs.
    fn control_done(&mut self) -> Option<IoOutcome>;
    /// Whether what is in the data buffer outlasts the power.
    fn protection(&self) -> Protection {
        Protection::None
    }
    /// Counters for the SMART log.
    fn health(&self) -> Health;
    /// What it has kept over the power loss, once after each power-on.
    fn take_past(&mut self) -> Option<Past> {
        None
    }
    /// Whether it is to be told anew what it is to keep.
    fn wants_past(&self) -> bool {
        false
    }
    /// States what is to outlast power. Storage that keeps nothing forgets it.
    fn keep_past(&mut self, _past: Past, _keep: Keep) {}
    /// Whether it holds what it was to keep at once.
    fn is_past_kept(&self) -> bool {
        true
    }
}
