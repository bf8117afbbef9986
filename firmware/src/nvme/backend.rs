//! The border between the NVMe manager and the flash translation layer.

use contract::{CachePolicy, CommandTag, Completer, Hardware};
use nvme::open_channel::{ChunkDescriptor, Geometry, VectorKind};
use nvme::zones::{ZoneAction, ZoneState};

use super::lifetime::{Lifetime, PowerOff};
use crate::operations::ControlTransfer;

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
    /// Whether the blocks could be read.
    Verify,
}

impl IoKind {
    /// Whether it looks at what is stored and changes nothing.
    #[inline]
    pub const fn reads(self) -> bool {
        matches!(self, IoKind::Read | IoKind::Compare | IoKind::Verify)
    }
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

/// A checked I/O command: the range lies inside of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct IoCommand {
    /// The command's slot.
    pub tag: CommandTag,
    /// What to do.
    pub kind: IoKind,
    /// First logical block of the drive.
    pub start: u64,
    /// Logical blocks, 1 and up (ignored by a flush).
    pub blocks: u32,
    /// Durability of a write, or of what is read.
    pub durability: Durability,
    /// Placement handle of a write, below [`Placement::handles`]; 0 where there are none.
    pub handle: u8,
}

/// How a drive places data by the handles that the host says (Flexible Data Placement, TP4146).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Placement handles, 1 to [`contract::MOST_HANDLES`].
    pub handles: u8,
    /// Logical blocks of a reclaim unit.
    pub unit_blocks: u64,
    /// Bytes of pages that flash has taken since power-on, those of collection among them.
    pub media_bytes: u64,
    /// Bytes of blocks that were erased since power-on.
    pub erased_bytes: u64,
}

/// Something that has happened to a reclaim unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum ReclaimEvent {
    /// It is full, and the next data of its handle go to another one.
    Full {
        /// Whose reclaim unit it was.
        handle: u8,
    },
    /// The host wants another one for a handle, and this one was not full.
    NotFull {
        /// Whose reclaim unit it was.
        handle: u8,
    },
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
    /// A write that is not the next one of its chunk, or to a chunk that takes none.
    OutOfOrder,
    /// Flash could not take the data, and their chunk takes no more.
    ClosedEarly,
    /// A reset of a chunk that is of no use any more.
    Offline,
    /// A reset of a chunk that is not closed.
    InvalidReset,
    /// An address that names no block.
    OutOfRange,
    /// A write that leaves its chunk in the middle of the least that can be written, or a reset by another address than that
    /// of the first block of a chunk.
    Misaligned,
    /// The host took it back before all of it was carried out.
    Aborted,
    /// Blocks of several zones, or behind the capacity of one.
    ZoneBoundary,
    /// A write to a zone that takes nothing more.
    ZoneFull,
    /// A write to a zone that can be read alone.
    ZoneReadOnly,
    /// A zone that is of no use any more.
    ZoneOffline,
    /// A write that does not begin at the write pointer of its zone.
    ZoneInvalidWrite,
    /// As many zones are active as may be.
    TooManyActive,
    /// As many zones are open as may be.
    TooManyOpen,
    /// An action that is none for the state of its zone.
    InvalidTransition,
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
    /// Now, though nothing else is to be written.
    AtOnce,
}

/// A checked command that names blocks by a list of their addresses.
#[derive(Clone, Copy, Debug)]
pub struct VectorIo<'a> {
    /// The command's slot.
    pub tag: CommandTag,
    /// What to do.
    pub kind: VectorKind,
    /// The blocks: 1 to [`nvme::open_channel::MOST_ADDRESSES`].
    pub addresses: &'a [u64],
    /// As many, where a copy goes to; none in other commands.
    pub destinations: &'a [u64],
}

/// Why a command with a list of addresses did not do all, or was not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The first reason.
    pub outcome: IoOutcome,
    /// A bit for each address of the list that is concerned, the first the lowest.
    pub addresses: u64,
}

/// A namespace in whose chunks the host places its data: they are written in order and reset as a whole.
pub trait Chunked {
    /// How many chunks there are, and what can be done with them.
    fn geometry(&self) -> Geometry;
    /// Chunks, those of a parallel unit one after the other.
    fn chunks(&self) -> u32;
    /// One of them.
    fn describe(&self, chunk: u32) -> ChunkDescriptor;
    /// Takes a command, and tells who completes it if nothing fails. There is always room.
    ///
    /// # Errors
    /// If an address of it cannot be meant. Then nothing of the command is done.
    fn submit(
        &mut self,
        hw: &mut impl Hardware,
        command: VectorIo<'_>,
    ) -> Result<Completer, Refused>;
    /// A bit for each address that a command, which has ended with a failure, was not done for.
    fn failed(&self, tag: CommandTag) -> u64;
}

/// No namespace has chunks.
#[derive(Clone, Copy, Debug)]
pub enum NoChunks {}

impl Chunked for NoChunks {
    fn geometry(&self) -> Geometry {
        match *self {}
    }

    fn chunks(&self) -> u32 {
        match *self {}
    }

    fn describe(&self, _: u32) -> ChunkDescriptor {
        match *self {}
    }

    fn submit(&mut self, _: &mut impl Hardware, _: VectorIo<'_>) -> Result<Completer, Refused> {
        match *self {}
    }

    fn failed(&self, _: CommandTag) -> u64 {
        match *self {}
    }
}

/// A checked Zone Append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppendIo {
    /// The command's slot.
    pub tag: CommandTag,
    /// The logical block that it names, which has to be the first of a zone.
    pub start: u64,
    /// Logical blocks, 1 and up.
    pub blocks: u32,
    /// Durability of what is written.
    pub durability: Durability,
}

/// Sizes of zones, and how many of them a host may use at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneShape {
    /// Zones of the namespace.
    pub zones: u32,
    /// Logical blocks from the start of a zone to that of the next.
    pub zone_blocks: u64,
    /// Logical blocks of a zone that can be written.
    pub capacity: u64,
    /// Most open zones.
    pub most_open: u32,
    /// Most active zones.
    pub most_active: u32,
}

/// What a host is told of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneTold {
    /// What can be done with it.
    pub state: ZoneState,
    /// Its first logical block.
    pub start: u64,
    /// Logical blocks from its start on that are written.
    pub written: u64,
}

/// A namespace of zones: they are written in order, and reset as a whole.
pub trait Zoned {
    /// Sizes and limits.
    fn shape(&self) -> ZoneShape;
    /// One of the zones.
    fn zone(&self, nth: u32) -> ZoneTold;
    /// Takes an action on a zone, or on all zones in the states that it is for. The command ends as others do.
    fn send(&mut self, tag: CommandTag, action: ZoneAction, zone: Option<u32>);
    /// Takes a Zone Append, which ends as others do. Returns the first of its blocks, if it was accepted.
    fn append(&mut self, hw: &mut impl Hardware, command: AppendIo) -> Option<u64>;
    /// The controller was enabled: no zone is open, and the host has still to ask for all of them.
    fn controller_starts(&mut self);
    /// Whether the state of a zone has changed otherwise than by a command since this was asked last.
    fn take_news(&mut self) -> bool;
    /// The first blocks of zones whose state has changed so since the controller was enabled, but for those that the host knows of.
    fn tell_changes(&mut self) -> impl Iterator<Item = u64> + '_;
    /// The host knows of the changes that were told, and of none that came since.
    fn forget_told(&mut self);
}

/// No namespace has zones.
#[derive(Clone, Copy, Debug)]
pub enum NoZones {}

impl Zoned for NoZones {
    fn shape(&self) -> ZoneShape {
        match *self {}
    }

    fn zone(&self, _: u32) -> ZoneTold {
        match *self {}
    }

    fn send(&mut self, _: CommandTag, _: ZoneAction, _: Option<u32>) {
        match *self {}
    }

    fn append(&mut self, _: &mut impl Hardware, _: AppendIo) -> Option<u64> {
        match *self {}
    }

    fn controller_starts(&mut self) {
        match *self {}
    }

    fn take_news(&mut self) -> bool {
        match *self {}
    }

    fn tell_changes(&mut self) -> impl Iterator<Item = u64> + '_ {
        core::iter::empty()
    }

    fn forget_told(&mut self) {
        match *self {}
    }
}

/// Commands that a drive of logical blocks may do without: Compare, Write Zeroes, Dataset Management and Verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalCommands {
    /// It does without them.
    Absent,
    /// It has them all.
    Offered,
}

/// What the NVMe manager asks of the layers below it.
pub trait Storage {
    /// A namespace with chunks, or [`NoChunks`], for which no question is left when the firmware runs.
    type Chunks: Chunked;
    /// The namespace, if its host places its data in chunks.
    fn chunked(&mut self) -> Option<&mut Self::Chunks> {
        None
    }
    /// A namespace of zones, or [`NoZones`], likewise.
    type Zones: Zoned;
    /// The namespace, if it has zones.
    fn zoned(&mut self) -> Option<&mut Self::Zones> {
        None
    }
    /// Logical blocks of all namespaces in the present format.
    fn blocks(&self) -> u64;
    /// Logical blocks that hold data. All of them, if storage does not count them.
    fn blocks_in_use(&self) -> u64 {
        self.blocks()
    }
    /// Bytes a logical block.
    fn block_bytes(&self) -> u32;
    /// Bytes a mapping unit (one flash page).
    fn unit_bytes(&self) -> u32;
    /// Whether it takes those commands that a drive of logical blocks may do without.
    fn optional_commands(&self) -> OptionalCommands {
        OptionalCommands::Offered
    }
    /// How the host places its data, if it does.
    fn placement(&self) -> Option<Placement> {
        None
    }
    /// Logical blocks that the reclaim unit of a placement handle still takes.
    fn reclaim_unit_left(&self, _handle: u8) -> u64 {
        0
    }
    /// The next data of a placement handle are to go to another reclaim unit.
    fn renew_reclaim_unit(&mut self, _handle: u8) {}
    /// Takes the next event of a reclaim unit.
    fn next_reclaim_event(&mut self) -> Option<ReclaimEvent> {
        None
    }
    /// Takes a command, and tells who completes it if nothing fails. There is always room: no more commands
    /// than tags exist.
    fn submit(&mut self, hw: &mut impl Hardware, command: IoCommand) -> Completer;
    /// Forgets a command that was submitted, if something of it is still to be done, nothing of it is under way, and none of its data
    /// has moved. True if it did: the command is finished then.
    fn abort(&mut self, _tag: CommandTag) -> bool {
        false
    }
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
    /// Changes the cache policy for commands to come. Storage without a cache has nothing to change.
    fn set_cache(&mut self, _cache: CachePolicy) {}
    /// Moves the first bytes of the control page, one transfer at a time.
    fn start_control(&mut self, hw: &mut impl Hardware, tag: CommandTag, transfer: ControlTransfer);
    /// Whether the control transfer has ended, and how; `None` while it runs.
    fn control_done(&mut self) -> Option<IoOutcome>;
    /// Whether what is in the data buffer outlasts the power.
    fn protection(&self) -> Protection {
        Protection::None
    }
    /// Counters for the SMART log. Storage that counts nothing is as new.
    fn health(&self) -> Health {
        Health { available_spare_percent: 100, ..Health::default() }
    }
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
