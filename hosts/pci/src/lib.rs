//! The drive as a PCI function over vfio-user, driven in wall time.
//!
//! A virtual machine monitor is the client. It maps the guest's memory into this process, hands over
//! an eventfd for each interrupt, and sends register accesses as messages. [`Server`] listens and
//! keeps the protocol, [`Device`] is configuration space and BAR 0, and [`NvmeFunction`] is the same
//! drive that runs fio jobs.
//!
//! A client is not trusted: whatever it sends ends in an error or in the end of its connection, and
//! the next client is served.
#![cfg(target_os = "linux")]

mod channel;
mod clock;
mod config_space;
mod device;
mod function;
mod guest;
mod interrupts;
mod layout;
mod link;
mod mapping;
mod memory;
mod meter;
mod metered_report;
mod nvme_function;
mod onlookers;
mod request;
mod server;
mod session;
mod version;
mod wire;

pub use channel::{Channel, Lost};
pub use clock::Pace;
pub use config_space::{ConfigSpace, Effect, Identity};
pub use device::Device;
pub use function::{Bus, Function, Pause};
pub use guest::Guest;
pub use interrupts::Interrupts;
pub use layout::BarLayout;
pub use link::Link;
pub use mapping::Mapping;
pub use memory::{Access, GuestMemory, Offer};
pub use meter::{Finished, Measured, Meter, Metered};
pub use metered_report::{report_of, Subject};
pub use nvme_function::{Doorbells, NvmeFunction, Setup};
pub use onlookers::Onlookers;
pub use server::{Event, Operator, Order, ServeError, Server, PATIENCE};
pub use session::Session;
