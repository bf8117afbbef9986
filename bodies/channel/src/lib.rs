//! A flash channel controller that schedules whole requests, in virtual time.
//!
//! It takes the packets that the hardware's channel takes ([`contract::packet::Request`]) and puts
//! their steps on the bus in the order in which `rtl/flash` does, cycle by cycle: a test of
//! `bodies/rtl-sim` drives both with the same requests. What is not there is bits: chips are a few
//! times and outcomes behind [`Chips`], data are never looked at.
//!
//! Time and chips are arguments; nothing is allocated after the start.

mod arbiter;
mod asking;
mod board;
mod bus;
mod channel;
mod chips;
mod completions;
mod cycle;
mod decoder;
mod endings;
mod former;
mod halts;
mod intake;
mod lun;
mod operation;
mod order_book;
mod plan;
mod policy;
mod queues;
mod reorder;
mod setup;
mod shared_enable;
mod status_polls;
mod timer;
mod turn;
mod visit;

pub use bus::{BusSettings, BusTiming};
pub use channel::Channel;
pub use chips::{ChipTimes, Chips, PageRead, Place, Work};
pub use contract::packet::CodeWords;
pub use decoder::DecoderTiming;
pub use policy::{Classes, Execution, FullQueue, Planes, Policy};
pub use reorder::{Completion, ReorderBuffer, Slot};
pub use setup::{BusStep, Setup, NOBODY};
pub use shared_enable::SharedEnable;
pub use status_polls::StatusPolls;
pub use timer::WayTimer;
