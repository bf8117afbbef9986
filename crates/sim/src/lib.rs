//! The event-driven body: a drive in virtual time.
//!
//! [`Drive`] is the firmware in this body, with a [`Host`] at the other end of the link. Time is
//! picoseconds; the same board, host and seed give the same bytes.

mod activity;
mod body;
mod causes;
mod channel;
mod congestion;
pub mod controller;
mod drive;
mod flash_side;
mod host;
pub mod host_interface;
mod ledger;
mod memory;
mod observe;
mod poll;
mod processor;
mod scheduled;
mod timers;

pub use activity::{Activity, ChannelActivity};
pub use causes::CommandTimes;
pub use drive::{Drive, Options, Polling, Stopped, Usage};
pub use host::{Host, Registers, Wake};
pub use memory::{HostMemory, STAMP_BYTES};
pub use nand::{Payload, Stamp, Unsuitable};
pub use observe::{CommandStep, DmaTransfer, FlashPhase, Observer, TimeSpan, Unobserved};
pub use timers::NEVER;

/// Keys of boards that this body makes no use of: it has no clock of the channel controller, whose steps
/// are times of their own, and its firmware gives the controllers phases and not whole operations.
pub const UNUSED_KEYS: [&str; 16] = [
    "channel.clock_mhz",
    "channel.execution",
    "channel.merging",
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
    "flash.planes",
    "flash.t_cache_busy_us",
    "flash.t_plane_busy_us",
];
