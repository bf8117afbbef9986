//! NVMe manager (Cosmos+ section 3.3.1): interprets host commands. Admin commands end here, NVM
//! commands go to the flash translation layer through [`backend::Storage`].
//!
//! A host is not trusted: whatever an entry holds, it ends in a completion with the status that
//! NVMe 1.4 names, and every failed command is kept in the error information log.

mod admin;
mod automation;
pub mod backend;
mod command;
mod control;
mod events;
mod features;
mod format;
mod identify;
mod io;
mod kept;
mod lifecycle;
mod lifetime;
mod logs;
mod manager;
mod namespaces;
mod open_channel;
mod placement;
mod ports;
mod queues;
mod zones;

pub use identify::pci_identity;
pub use lifetime::{Lifetime, PowerOff};
pub use manager::Manager;

#[cfg(test)]
pub(crate) mod tests;
