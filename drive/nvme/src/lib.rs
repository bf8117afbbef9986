//! Wire formats of the NVM Express specification, revision 1.4.
//!
//! For each format there is a raw view, which accepts any bits, and a checked form, which can only
//! hold what is legal. `parse` leads from the first to the second and names the status code that
//! the specification asks for; `emit` leads back. Controller and host use the same forms.
#![no_std]

pub mod admin;
pub mod command;
pub mod completion;
pub mod dataset;
pub mod effects;
pub mod feature;
pub mod identify;
pub mod io;
mod layout;
pub mod log;
pub mod open_channel;
pub mod placement;
pub mod prp;
pub mod register;
pub mod status;
pub mod zones;
#[cfg(test)]
mod zones_tests;

/// Namespace identifier that stands for all namespaces (NVMe 1.4 section 6.1).
pub const ALL_NAMESPACES: u32 = 0xffff_ffff;
