//! The NVMe host interface as a drive: between a host's driver and the real firmware.
//!
//! [`NvmeDevice`] is a [`host::Device`], so the driver that drives the simulated drive drives the
//! Verilated controller too. Behind the controller's registers runs the firmware, with flash that
//! does everything at once; the drive's memory is what hangs on the controller's memory channels.

mod bar;
mod body;
mod card;
mod device;
mod flash;
mod interface;

pub use bar::Bar;
pub use body::{Body, Layout, CYCLE_PS};
pub use card::{Card, Surroundings};
pub use device::{Mode, NvmeDevice};
pub use flash::InstantFlash;
pub use interface::{Automation, DmaOrder, Interface, Monitors};
