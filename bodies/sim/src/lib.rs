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
mod data_path;
mod drive;
mod flash_side;
mod heat;
pub mod host_interface;
mod ledger;
mod log_memory;
mod media;
mod memory;
mod options;
mod poll;
mod power_loss;
mod processor;
mod scheduled;
mod store;
mod timers;
mod units;

pub use body::Body;
pub use drive::{Audience, Drive, Software, Still, Until};
pub use media::{Kept, KeptState, Media};
pub use nand::{is_aside, Astray, FaultsOfPage};
pub use options::Options;
pub use sparse::Clones;
