//! The NVMe host interface as a drive: between a host's driver and the real firmware.
//!
//! [`NvmeDevice`] is a [`machine::Device`], so the driver that drives the simulated drive drives the
//! Verilated controller too. Behind the controller's registers runs the firmware, with a flash stub
//! without latency; the drive's memory is what hangs on the controller's memory channels. [`Ssd`] is the
//! whole controller, with flash chips, and [`MemorySsd`] the one that runs commands by itself, with memory as the medium.

mod bar;
mod body;
mod card;
mod core_port;
mod device;
mod flash;
mod memory_ssd;
mod ssd;

pub use bar::Bar;
pub use body::{Body, Layout, CYCLE_PS};
pub use card::{Card, Surroundings};
pub use core_port::CorePort;
pub use device::{Build, CardDevice, Mode, NvmeDevice};
pub use driver::{Automation, DmaOrder, Monitors, Pointer};
pub use flash::InstantFlash;
pub use memory_ssd::MemorySsd;
pub use ssd::{Ssd, SsdSetup, SsdTop};

/// The host interface of a card, by its registers.
pub type Interface = driver::HostInterface<Card>;
