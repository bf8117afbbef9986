//! What the board decides about the firmware, fixed at start-up.

use crate::{
    Automation, Chosen, Completer, Duration, Geometry, Grain, Medium, Policies, Reserve, Settings,
    StreamPolicy,
};

/// When host data counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum CachePolicy {
    /// Once it is in the data buffer; flash follows on eviction or flush.
    WriteBack,
    /// Once it is in flash.
    WriteThrough,
}

/// Whether the host may keep its doorbells in its own memory (NVMe 1.4 section 5.7), where a drive that
/// looks there saves it a register write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum DoorbellBuffers {
    /// It writes registers.
    Absent,
    /// It may. Meant for drives in software; hardware would have to poll over the link.
    Offered,
}

/// When data are written anew because their bits go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Refresh {
    /// Bits corrected in a chunk from which on its block is collected; 0 where none is for that.
    pub corrected_bits: u32,
    /// How often a page is read that nobody asks for; zero where none is.
    pub patrol_interval: Duration,
}

impl Refresh {
    /// Nothing is written anew.
    pub const NONE: Refresh = Refresh { corrected_bits: 0, patrol_interval: Duration::ZERO };
}

/// How a drive knows, when it starts, which blocks are bad from the factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum BadBlocks {
    /// A table from an earlier start is at hand ([`crate::Hardware::factory_bad`]).
    Table,
    /// It looks for the mark in the first page of each block ([`crate::Hardware::factory_mark`]). With
    /// [`Configuration::recovery`] a table is kept in the log, and later starts look for what the log is in alone.
    Scan,
}

/// How a drive gets its map back after a power loss (docs/design/durability.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Recovery {
    /// Blocks of each way that hold the log, 3 and up.
    pub log_blocks_per_way: u32,
    /// Snapshots of parts of the map that follow each journal page.
    pub snapshots_per_journal_page: u32,
    /// Entries of the buffer memory for pages of the log, 4 and up.
    pub log_entries: u32,
    /// Parts of the map that are kept in memory, less than it has; none where all of it is. A part is what a snapshot
    /// holds.
    pub map_cache_parts: Option<u32>,
}

/// What a drive's namespaces are to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum CommandSet {
    /// Logical blocks that can be written in any order.
    Block,
    /// Chunks of flash, in which the host places its data itself (Open-Channel SSD 2.0).
    OpenChannel,
    /// Zones, which are written in order (Zoned Namespace Command Set).
    Zoned,
}

/// How zones lie in the flash, and how many of them a host may use at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Zoning {
    /// Channels that a zone is striped over, a divisor of those of the drive.
    pub channels: u32,
    /// Ways of each of them, a divisor of those of a channel.
    pub ways: u32,
    /// Most zones that are open.
    pub most_open: u32,
    /// Most zones that are active, at least as many.
    pub most_active: u32,
    /// Zones of each set of ways that zones are striped over.
    pub zones_per_set: u32,
}

/// How long flash takes, typically and at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct FlashTimes {
    /// A read, of the slower kind of pages.
    pub read: [Duration; 2],
    /// A program, likewise.
    pub program: [Duration; 2],
    /// An erase of a block, likewise.
    pub erase: [Duration; 2],
}

impl FlashTimes {
    /// Nothing is known.
    pub const UNKNOWN: FlashTimes = FlashTimes {
        read: [Duration::ZERO; 2],
        program: [Duration::ZERO; 2],
        erase: [Duration::ZERO; 2],
    };
}

/// What one program of the chips is about. The flash pages that it programs together make up a page of the firmware
/// ([`Geometry::page_bytes`]): they are there together or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Programming {
    /// Flash pages, which the array reads one at a time: 1, or as many as a word line has.
    pub flash_pages: u32,
    /// How often the data of all of them go to the chip, which programs with the last of each pass.
    pub passes: u32,
}

impl Programming {
    /// A flash page at a time.
    pub const SINGLE: Programming = Programming { flash_pages: 1, passes: 1 };
}

/// Most namespaces of a drive.
pub const MOST_NAMESPACES: u32 = 16;

/// Most placement handles of a drive.
pub const MOST_HANDLES: u8 = 8;

/// Sizes and policies of one drive, already validated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Configuration {
    /// Tells drives of one kind apart: stands in the serial number and in the UUID.
    pub serial: u32,
    /// Where the data of the namespace are.
    pub medium: Medium,
    /// What the namespaces are to the host.
    pub command_set: CommandSet,
    /// Zones of a drive that has some.
    pub zoning: Option<Zoning>,
    /// What the host interface can run without firmware.
    pub automation: Automation,
    /// The flash array; of a drive without flash, its memory channels, as channels of one way.
    pub geometry: Geometry,
    /// How long its chips take, for hosts that ask.
    pub flash_times: FlashTimes,
    /// What the drive's channels take.
    pub grain: Grain,
    /// Planes of a die on which its channel joins operations, a power of two that divides the blocks of a
    /// way; 1 where it joins none. The lowest bits of a block's number tell its plane.
    pub joined_planes: u32,
    /// How pages are programmed.
    pub programming: Programming,
    /// How often the firmware may have a chip stop a program or an erase for reads; 0: never.
    pub suspends: u8,
    /// Smallest part of a page that a read can move: a power of two, at least a 64th of the flash page. The
    /// whole flash page where the channels move no parts.
    pub read_unit_bytes: u32,
    /// Bytes of a mapping unit, the part of the namespace that the drive places as a whole: a power of two, at most a flash
    /// page, that divides the page into at most [`Metadata::MOST_UNITS`] parts. The whole page where every program is of one unit.
    pub unit_bytes: u32,
    /// Pages that the namespaces fill at their full size.
    pub logical_pages: u32,
    /// Namespaces, which have equal parts of the drive's blocks: 1 to [`MOST_NAMESPACES`]. Only drives of logical blocks whose host interface
    /// runs nothing by itself have more than one.
    pub namespaces: u32,
    /// Logical block sizes on offer in bytes, as LBA formats 0 and up; 0 ends the list.
    pub block_formats: [u32; 4],
    /// Index of the format in use at start.
    pub block_format: u8,
    /// Entries of the data buffer, a mapping unit each.
    pub buffer_entries: u32,
    /// Write-back or write-through at start; the host may change it by feature 06h.
    pub cache: CachePolicy,
    /// What it decides by policies that a board names.
    pub policies: Policies,
    /// Command tags that the host interface hands out.
    pub command_slots: u32,
    /// I/O queue pairs that the host may create.
    pub io_queues: u32,
    /// MSI-X vectors.
    pub vectors: u32,
    /// Entries a queue may have (CAP.MQES + 1).
    pub queue_entries: u32,
    /// Who completes reads, and writes that the data buffer may hold: all that is over once its data have
    /// moved.
    pub completer: Completer,
    /// Doorbells in host memory.
    pub doorbell_buffers: DoorbellBuffers,
    /// Largest data transfer of one command in bytes: 4 KiB times a power of two.
    pub max_transfer_bytes: u32,
    /// DMA requests the host DMA engine holds in each direction.
    pub dma_requests: u32,
    /// Entries of the data buffer, the least recently used, that the drive keeps clean in the
    /// background, so that new data find a clean entry; 0 where an entry is programmed only when it has to be.
    pub clean_entries_kept: u32,
    /// Free pages that the drive keeps in each way in the background; 0 where a way is collected
    /// only when it has no page left.
    pub free_pages_kept: u32,
    /// When data are written anew.
    pub refresh: Refresh,
    /// Reads repeated after an uncorrectable page before it counts as lost.
    pub read_retries: u32,
    /// Read levels that chips have beside the level of power-on, at most 15. The nth repetition is at level n, and begins
    /// anew with level 0 behind the last level.
    pub read_levels: u8,
    /// Blocks a way that may go bad before the drive turns read-only.
    pub spare_blocks_per_way: u32,
    /// How blocks that are bad from the factory are known.
    pub bad_blocks: BadBlocks,
    /// Erase cycles that a block is rated for.
    pub rated_cycles: u32,
    /// How the map survives a power loss; `None` where it does not.
    pub recovery: Option<Recovery>,
    /// What lets the drive save its data buffer when the power goes away; `None` where nothing does. Only with
    /// `recovery`.
    pub reserve: Option<Reserve>,
}

impl Configuration {
    /// Bytes of a flash page: what the array reads at once.
    pub const fn flash_page_bytes(&self) -> u32 {
        self.geometry.page_bytes / self.programming.flash_pages
    }

    /// Mapping units of a page.
    pub const fn units_per_page(&self) -> u32 {
        self.geometry.page_bytes / self.unit_bytes
    }

    /// Placement handles, by which the host says which data belong together (Flexible Data Placement); 0 where it is not asked.
    pub const fn placement_handles(&self) -> u8 {
        let Chosen { policy, settings: Settings([handles, ..]) } = self.policies.streams;
        match (policy, self.medium, self.command_set) {
            (StreamPolicy::ByHandle, Medium::Flash, CommandSet::Block) => handles as u8,
            _ => 0,
        }
    }

    /// Mapping units of all namespaces at their full size.
    pub const fn logical_units(&self) -> u32 {
        self.logical_pages * self.units_per_page()
    }
}
