//! The border that all bodies share.
//!
//! On one side of it stands a drive, in virtual time or in hardware: a [`Machine`] that runs, and whose counters can be
//! [inspected](Inspected). On the other side stand its [`Host`], with memory and [registers](Registers) between both, and
//! an [`Observer`] that is told what happens when. Whoever needs nothing else of a drive uses this crate and no body. Which
//! firmware a board asks for is decided here, too ([`BoardFirmware`]), once for all bodies.
//!
//! Times are picoseconds of virtual time since power-on.

mod board_firmware;
mod host;
mod latency_steps;
mod machine;
mod observe;
mod times;
mod usage;

pub use board_firmware::BoardFirmware;
pub use drive_image::ImageError;
pub use host::{
    AnyHost, BusMaster, Host, HostMemory, RegisterPort, Registers, Wake, NEVER, STAMP_BYTES,
};
pub use latency_steps::LatencySteps;
pub use machine::{Device, Inspected, Machine, Polling, Stopped};
pub use nand::{Payload, Stamp, Unsuitable};
pub use observe::{
    CommandStep, DmaTransfer, FirmwareStep, FlashPhase, FlashTag, Observer, TimeSpan, Unobserved,
    Watched,
};
pub use times::{Accounts, CommandTimes};
pub use usage::{ChannelUsage, ChannelWaits, CoreTime, EntryWaits, Usage};
