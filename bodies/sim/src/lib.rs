//! The event-driven body: a drive in virtual time.
//!
//! [`Drive`] is the firmware in this body, with a [`Host`] at the other end of the link. Time is
//! picoseconds; the same board, host and seed give the same bytes.

mod body;
mod causes;
mod channel;
mod congestion;
pub mod controller;
mod cores;
mod drive;
mod flash_side;
mod heat;
pub mod host_interface;
mod ledger;
mod log_memory;
mod media;
mod memory;
mod poll;
mod power_loss;
mod processor;
mod scheduled;
mod store;
mod timers;
mod units;

pub use body::Body;
pub use drive::{Drive, Options, Software};
pub use media::{Kept, KeptState, Media};
pub use nand::{is_aside, Astray, FaultsOfPage};
pub use sparse::Clones;

/// Keys of boards that this body makes no use of, whoever schedules: it has no clock of the channel
/// controller, whose steps are times of their own.
const UNUSED: [&str; 1] = ["channel.clock_mhz"];
/// Those that say how channels schedule, where the firmware does.
const UNUSED_WITH_PHASES: [&str; 12] = [
    "channel.execution",
    "channel.way_queue_depth",
    "channel.low_priority_ways",
    "channel.priority_age",
    "channel.interface",
    "channel.t_adl_ns",
    "channel.t_ccs_ns",
    "channel.t_whr_ns",
    "channel.t_rhw_ns",
    "channel.t_wb_ns",
    "channel.t_rr_ns",
    "flash.t_cache_busy_us",
];
/// Those that say how flash pages are programmed together where the firmware schedules, unless planes are or word lines.
const UNUSED_WITHOUT_PLANES: [&str; 1] = ["flash.planes"];
const UNUSED_WITH_PAGES: [&str; 1] = ["flash.t_plane_busy_us"];
/// Those that say how long phases take, where the channels schedule.
const UNUSED_WITH_OPERATIONS: [&str; 14] = [
    "ftl.priority",
    "channel.turn_gap_us",
    "channel.mode_turn_us",
    "channel.trigger_overhead_us",
    "channel.program_overhead_us",
    "channel.transfer_overhead_us",
    "channel.erase_overhead_us",
    "channel.status_check_us",
    "channel.request_depth",
    "processor.trigger_registers",
    "processor.transfer_registers",
    "processor.program_registers",
    "processor.erase_registers",
    "processor.check_registers",
];

/// Those that count where the medium is memory, where it is flash.
const UNUSED_WITH_FLASH: [&str; 12] = [
    "memory.capacity_mib",
    "memory.channels",
    "memory.chunk_bytes",
    "memory.chunk_latency_ns",
    "automation.clock_mhz",
    "automation.fetch_cycles",
    "automation.task_cycles",
    "automation.task_us",
    "automation.completion_cycles",
    "automation.beat_bytes",
    "automation.chunk_cycles",
    "automation.movers",
];

/// Those that count where the medium is flash, where it is memory.
const UNUSED_WITH_MEMORY: [&str; 27] = [
    "geometry.channels",
    "geometry.ways",
    "geometry.blocks_per_way",
    "flash.cell_mode",
    "flash.pages_per_physical_block",
    "flash.t_read_slc_us",
    "flash.t_program_slc_us",
    "flash.t_erase_us",
    "channel.bus_bandwidth_mb_s",
    "channel.request_depth",
    "channel.read_unit_bytes",
    "ftl.placement",
    "ftl.victim",
    "ftl.streams",
    "ftl.wear_levelling",
    "ftl.replacement",
    "ftl.priority",
    "ftl.cache",
    "ftl.buffer_kib",
    "ftl.mapping_unit_bytes",
    "ftl.map_cache_bytes",
    "ftl.overprovision_percent",
    "ftl.spare_blocks_per_way",
    "ftl.background_flush_percent",
    "ftl.background_collection_pages",
    "ftl.read_retries",
    "ftl.bad_blocks",
];

/// Keys that this body makes no use of on a board.
pub fn unused_keys(board: &board::Board) -> impl Iterator<Item = &'static str> {
    let by_scheduler: &[&str] = match board.firmware.grain {
        contract::Grain::Phases => &UNUSED_WITH_PHASES,
        contract::Grain::Operations(_) => &UNUSED_WITH_OPERATIONS,
    };
    let phases = board.firmware.grain == contract::Grain::Phases;
    let merges = board.channel.scheduling.merging.planes;
    let by_planes: &[&str] = if phases && !merges { &UNUSED_WITHOUT_PLANES } else { &[] };
    let is_single = board.firmware.programming.flash_pages == 1;
    let by_page: &[&str] = if phases && is_single { &UNUSED_WITH_PAGES } else { &[] };
    let by_medium: &[&str] = match board.firmware.medium {
        contract::Medium::Flash => &UNUSED_WITH_FLASH,
        contract::Medium::Memory => &UNUSED_WITH_MEMORY,
    };
    UNUSED.iter().chain(by_scheduler).chain(by_planes).chain(by_page).chain(by_medium).copied()
}
