//! The derived form of a board: validated, in integers, with every policy resolved.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::CodeWords;
use contract::{Configuration, Cores, Duration, Grain, Work};

use crate::flash::Flash;
use crate::sheet::{quoted, Sheet};
use crate::{Bandwidth, Cells, ErrorModel};

/// One drive, resolved and validated. Later code does not doubt it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name: that of the built-in board, or the stem of its file.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// What the firmware is told at start-up.
    pub firmware: Configuration,
    /// The flash chips.
    pub flash: Flash,
    /// A flash channel and its controller.
    pub channel: Channel,
    /// Error correction.
    pub ecc: Ecc,
    /// The data path between the host interface and the channels.
    pub memory: Memory,
    /// The host interface, the link, and the host at its far end.
    pub host: HostInterface,
    /// How the host interface runs commands by itself, where it can.
    pub automation: Automation,
    /// The processor that runs the firmware.
    pub processor: Processor,
    /// What each core of it does.
    pub cores: Cores,
    /// What fails, and how often.
    pub errors: Errors,
    /// Threshold voltages of flash cells, from which wrong bits follow where the board says so.
    pub cells: Cells,
    /// What the capacitor holds that is left when the power goes away, in picojoules; 0 without one.
    pub capacitor_pj: u64,
    /// The time that the processor of a host takes that runs Linux in virtual time; none where the board does not say.
    pub guest_cpu: Option<GuestCpu>,
    /// The leaves that all of the above was derived from, for printing.
    pub(crate) sheet: Sheet,
}

impl Board {
    /// The resolved board as a board file without `inherits`, each value with its source. Read
    /// back under the same name it gives the same board.
    pub fn to_toml(&self) -> String {
        format!("description = {}\n{}", quoted(&self.description), self.sheet.to_toml())
    }

    /// Bytes that so much of a flash page takes on the bus. The whole of it has all of its spare area, or where
    /// the channel schedules, what it lays out there: the parity of each chunk, and metadata in a code
    /// word of their own. A part has the parity of its chunks.
    pub fn bus_bytes(&self, length: u32) -> u64 {
        let code = self.ecc.code_words();
        let whole = length == self.firmware.flash_page_bytes();
        u64::from(match self.firmware.grain {
            _ if !whole => code.coded_bytes(length),
            Grain::Phases => self.channel.page_bus_bytes,
            Grain::Operations(_) => code.page_bytes(length),
        })
    }

    /// Bytes that so much of a page takes between channel and buffer: what is whole with its metadata.
    pub fn buffer_bytes(&self, length: u32) -> u32 {
        let firmware = &self.firmware;
        let whole = length == firmware.geometry.page_bytes || length == firmware.flash_page_bytes();
        length + if whole { self.ecc.metadata_bytes } else { 0 }
    }

    /// Keys of the numbers that describe hardware and do not say where they come from. Empty for
    /// every built-in board.
    pub fn unsourced(&self) -> Vec<&'static str> {
        self.sheet.unsourced().collect()
    }
}

/// A flash channel: bus and controller (Cosmos+ section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Clock period of the controller.
    pub clock: Duration,
    /// The bus between controller and chips (Cosmos+ Table 6, bus 5).
    pub bus: Bandwidth,
    /// Bytes that a whole flash page takes on the bus: data and spare.
    pub page_bus_bytes: u32,
    /// Bus time of a read trigger: command, address and controller.
    pub trigger_overhead: Duration,
    /// Bus time of a program beyond its data.
    pub program_overhead: Duration,
    /// Bus time of a read transfer beyond its data.
    pub transfer_overhead: Duration,
    /// Bus time of an erase.
    pub erase_overhead: Duration,
    /// Bus time of a status check.
    pub status_check: Duration,
    /// From the end of a status check on the bus until its answer is there.
    pub status_latency: Duration,
    /// From a request until its phase has the bus, if nobody else has it.
    pub request_latency: Duration,
    /// Least time between two turns of a bus.
    pub turn_gap: Duration,
    /// Bus time ahead of a transfer that waited for the bus: the chip is told to give data instead of its status.
    pub mode_turn: Duration,
    /// Requests that the controller holds, the running one included.
    pub request_depth: u32,
    /// From tWB, or from an answer that says busy, until a way is asked for its status; zero where R/B# pins tell.
    pub status_poll: Duration,
    /// How it schedules whole operations, if it is given such ([`Configuration::grain`]).
    pub scheduling: Scheduling,
    /// How the bus is timed where whole operations are scheduled.
    pub timing: BusTiming,
}

/// Requests that wait in front of the queues of a channel that schedules
/// (`rtl/flash/request_intake.sv`).
pub const CHANNEL_WINDOW: u32 = 64;

/// In which order a controller begins and completes whole operations (Ozone section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// One operation at a time.
    Sequential,
    /// They begin in the order of requests, and complete in the order in which they began.
    Decoupled,
    /// They begin in the order of requests, and complete when their chips are ready.
    InOrder,
    /// Ways are independent of each other.
    OutOfOrder,
}

/// The kinds of whole operations that a controller joins (OCOWFC's scheduler).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// Whether operations on several planes of a die are joined.
    pub planes: bool,
    /// Whether operations that follow each other are joined by cache mode.
    pub cache: bool,
}

/// How a controller schedules whole operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// Order of operations.
    pub execution: Execution,
    /// What it joins.
    pub merging: Merging,
    /// Requests that each of a way's two queues holds.
    pub way_queue_depth: u32,
    /// F-RSVP(l): ways of a channel that operations of low priority may occupy (Ozone section 4.3).
    pub low_priority_ways: u32,
    /// How often somebody may be passed over; 0 is without end.
    pub priority_age: u32,
    /// How long a chip may be busy before its way is given up; zero is for ever.
    pub busy_timeout: Duration,
}

/// Signals between controller and chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// A byte with each pulse of a strobe.
    Sdr,
    /// A byte with each edge of a strobe: NV-DDR2 or toggle mode.
    Ddr,
}

/// Waits on the bus that chips ask for, by their names in ONFI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTiming {
    /// How bytes are signalled.
    pub interface: Interface,
    /// From an address to data that are written.
    pub t_adl: Duration,
    /// From a change of column to data.
    pub t_ccs: Duration,
    /// From a command to data that are read.
    pub t_whr: Duration,
    /// From data that were read to a command.
    pub t_rhw: Duration,
    /// From a command until the chip shows that it is busy.
    pub t_wb: Duration,
    /// From ready to data.
    pub t_rr: Duration,
}

/// Whether data is scrambled on its way to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrambler {
    /// By an LFSR seeded with the row (Cosmos+ figure 6).
    On,
    /// Stored as it is.
    Off,
}

/// Error correction (Cosmos+ section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecc {
    /// Data bytes of a chunk, a power of two; a chunk is one code word.
    pub chunk_bytes: u32,
    /// Bits that can be corrected in a chunk.
    pub correctable_bits: u32,
    /// Channels that share a key equation solver.
    pub channels_per_solver: u32,
    /// From the last byte of a page on the bus to the last corrected byte in the buffer.
    pub decode_latency: Duration,
    /// Time that a chunk with errors occupies the key equation solver.
    pub solve_per_chunk: Duration,
    /// Data scrambler.
    pub scrambler: Scrambler,
    /// Bytes of metadata of a page, which are a code word behind those of its data.
    pub metadata_bytes: u32,
}

impl Ecc {
    /// Whole bytes of BCH parity a chunk: at most m bits a correctable bit, in the smallest field
    /// GF(2^m) whose code words of 2^m - 1 bits hold data and parity.
    pub fn parity_bytes(&self) -> u32 {
        let bits = |m: u32| self.chunk_bytes * 8 + m * self.correctable_bits;
        let m = (3..32).find(|&m| bits(m) < 1 << m).expect("32 bits hold any chunk");
        (m * self.correctable_bits).div_ceil(8)
    }

    /// How pages are laid out on a bus whose data path is two bytes wide.
    pub fn code_words(&self) -> CodeWords {
        CodeWords {
            chunk_bytes: self.chunk_bytes as u16,
            parity_bytes: self.parity_bytes().next_multiple_of(2) as u16,
            metadata_bytes: self.metadata_bytes as u16,
        }
    }
}

/// Buses of the data path (Cosmos+ Table 6, buses 0, 1, 3 and 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bus 0: DRAM to memory controller.
    pub dram: Bandwidth,
    /// Bus 1: memory controller to memory interconnect.
    pub interconnect: Bandwidth,
    /// Bus 3: memory interconnect to the interconnect of all channel controllers.
    pub data_bus: Bandwidth,
    /// Bus 4: that interconnect to one channel controller.
    pub channel_bus: Bandwidth,
    /// An access of 512 bytes by an engine that fills, copies and compares parts of the buffer; zero if the processor
    /// does that.
    pub engine_access: Duration,
    /// The memory as the medium of a drive without flash.
    pub medium: MemoryMedium,
}

/// Memory that stands for flash (OpenExpress sections 2 and 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMedium {
    /// Bytes of the memory, from `memory.capacity_mib`.
    pub capacity_bytes: u64,
    /// Channels that work side by side.
    pub channels: u32,
    /// Bytes that lie on a channel before the next one's turn, a power of two.
    pub chunk_bytes: u32,
    /// Time that a chunk occupies its channel.
    pub chunk_latency: Duration,
}

/// A host interface that runs reads and writes by itself, in three stages (OpenExpress section 2): it
/// fetches and checks commands, hands their data over, and completes them. A command is in one of them
/// while others are in the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Automation {
    /// A cycle of the hardware's clock.
    pub cycle: Duration,
    /// Bytes that the bus between the link and the memory channels carries in a cycle.
    pub beat_bytes: u32,
    /// Time from a doorbell to the fetch, and from the entry to the task, in all.
    pub fetch: Duration,
    /// Time that the stage of data is occupied by a command, beyond its chunks.
    pub task: Duration,
    /// Time from the last of the data to the completion.
    pub completion: Duration,
    /// The bus between the link and the memory channels.
    pub path: Bandwidth,
    /// Time of each chunk from the host, beyond its time on the link.
    pub chunk: Duration,
    /// Who moves the data between the link and the memory channels.
    pub movers: Movers,
}

/// What moves the data of commands that run without firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Movers {
    /// A command after the other, whichever way its data go.
    One,
    /// Commands to the host and from it side by side, each way through ports of the memory channels of its own.
    EachWay,
}

/// How the controller chooses the submission queue to fetch from (NVMe 1.4 section 4.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// All queues in turn.
    RoundRobin,
    /// Weighted round robin with urgent priority class is on offer to the host.
    Weighted,
}

/// Host interface controller, link and host (Cosmos+ section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterface {
    /// The link, each way, after encoding and packet overhead.
    pub link: Bandwidth,
    /// Cosmos+ Table 6, bus 2: memory interconnect to host interface controller.
    pub bus: Bandwidth,
    /// From a doorbell write by the host until the controller sees it.
    pub doorbell_latency: Duration,
    /// From the decision to fetch an entry until it is in the command queue.
    pub fetch_latency: Duration,
    /// Least time between two fetches.
    pub fetch_interval: Duration,
    /// Fixed time of a DMA request from host memory to the buffer.
    pub dma_latency_from_host: Duration,
    /// Fixed time of a DMA request from the buffer to host memory.
    pub dma_latency_to_host: Duration,
    /// Time that the engine is occupied by a 4 KB unit beyond its data.
    pub dma_unit_overhead: Duration,
    /// The same of data that come from the host, on top. A part of a unit takes its part.
    pub dma_unit_overhead_from_host: Duration,
    /// And on top of both, of a unit that still arrives when its turn comes. Only with `fetch_behind_bytes`.
    pub dma_unit_overhead_arriving: Duration,
    /// The part of `dma_latency_from_host` in which memory answers, and in which the engine has room for another unit.
    pub dma_answer_latency: Duration,
    /// Time of a request whose first page stands in a list in host memory, until the engine has read that. A request
    /// of the first page of a command reads the list while that page moves.
    pub list_latency: Duration,
    /// How long the processor waits for a list of addresses in host memory.
    pub address_list: Duration,
    /// Most data on their way from the host that an entry which is fetched waits behind.
    pub fetch_behind_bytes: u64,
    /// Units in which data go to the host; a completion or a message goes between two of them.
    pub completion_behind_bytes: u64,
    /// Least time between two completions, which is how long it takes until one has the link.
    pub completion_interval: Duration,
    /// From a completion by the firmware until its entry is in host memory.
    pub completion_latency: Duration,
    /// From the entry until the host takes the interrupt.
    pub interrupt_latency: Duration,
    /// Arbitration of the submission queues.
    pub arbitration: Arbitration,
    /// Fetched commands that wait for the firmware.
    pub command_queue_depth: u32,
    /// In the host: from the decision to submit to the doorbell write.
    pub submit_latency: Duration,
    /// In the host: from the interrupt until the job sees the completion.
    pub reap_latency: Duration,
    /// In the host, where it places the data of an open-channel drive: time of a request, or of a command to the drive.
    pub ftl_request: Duration,
    /// The same for each block that goes into its write buffer, or is read from there.
    pub ftl_block: Duration,
    /// Share of the drive, in percent, that it keeps for collecting garbage.
    pub ftl_spare_percent: u32,
}

/// The processor (Cosmos+ section 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Clock in MHz: a million cycles a second each.
    pub clock_mhz: u64,
    /// Read of a device register, as far as it does not scale with the clock.
    pub register_read: Duration,
    /// Write of a device register, likewise.
    pub register_write: Duration,
    /// Cycles of either on interconnects that are clocked with the processor.
    pub register_cycles: u64,
    /// Register reads that fetch one host command, once it is known to be there.
    pub command_registers: u32,
    /// Time that each of them takes beyond that of another register.
    pub command_register: Duration,
    /// Register writes of a flash request, by [`contract::FlashOperation`]. A read of the channel's
    /// register that tells whether it is busy comes before them.
    pub flash_registers: [u32; 9],
    /// Register reads that take the response to a phase.
    pub response_registers: u32,
    /// Register writes of each 4 KiB of a DMA request.
    pub dma_registers: u32,
    /// Register writes of a DMA request beside those.
    pub dma_request_registers: u32,
    /// Register reads of a look at the DMA engine for each request under way, down to the first that has ended; 0: one read for all.
    pub dma_poll_registers: u32,
    /// Register reads of a look at a channel beside the first: for ways whose chips work, and again where other answers are awaited.
    pub list_registers: u32,
    /// Register reads of a look at a channel for each way whose answer is awaited.
    pub awaited_registers: u32,
    /// Register writes of a completion.
    pub completion_registers: u32,
    /// Register reads that tell whether memory took a page that was read, behind the response to it.
    pub store_registers: u32,
    /// Register reads that tell the time.
    pub time_registers: u32,
    /// Cycles of each kind of work, in the order of [`Work::ALL`].
    pub work_cycles: [u64; Work::ALL.len()],
    /// Time from when a message is sent to another core until that can see it.
    pub message_latency: Duration,
    /// Cycles of sending a message to another core, and of taking one from there.
    pub message_cycles: [u64; 2],
}

/// Time that the processor of a host takes, in nanoseconds of each kind of event. `firmament linux` uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestCpu {
    /// A request is given to a driver.
    pub issue_ns: u32,
    /// A driver completes a request.
    pub complete_ns: u32,
    /// The processor goes from one task to another.
    pub switch_ns: u32,
    /// A task is woken.
    pub wake_ns: u32,
}

/// What fails, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Where wrong bits come from: the rates below, or the voltages of cells.
    pub model: ErrorModel,
    /// Wrong bits in 10^12 read from a block that was never erased.
    pub raw_bits_per_terabit: u64,
    /// Wrong bits in 10^12 that each 1,000 program/erase cycles add.
    pub raw_bits_per_terabit_per_kilocycle: u64,
    /// What cycles add without the scrambler, in percent of the above (Cosmos+ section 7.3).
    pub unscrambled_growth_percent: u64,
    /// Wrong bits in 10^12 that each 1,000 reads of a block since its erase add.
    pub disturb_bits_per_terabit_per_kiloread: u64,
    /// Wrong bits in 10^12 that each hour adds for which a block holds data.
    pub retention_bits_per_terabit_per_hour: u64,
    /// Hours for which what the chips hold at the start of a run has been there.
    pub shelf_hours: u64,
    /// Wrong bits at a read level, in percent of those at the level before it.
    pub retry_percent: u64,
    /// Programs in 10^9 that fail.
    pub program_failures_per_billion: u64,
    /// Erases in 10^9 that fail.
    pub erase_failures_per_billion: u64,
    /// Reads, programs and erases in 10^9 in which the chip stays busy until it is reset.
    pub hangs_per_billion: u64,
    /// Blocks in 10^6 that are bad from the factory.
    pub factory_bad_blocks_per_million: u64,
}
