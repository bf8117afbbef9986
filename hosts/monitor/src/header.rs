//! The first line: what is monitored.

use serde::{Deserialize, Serialize};

/// What [`Header::kind`] says in every file of the monitor.
pub const KIND: &str = "firmament-monitor";

/// Version of the lines that are written. It rises when a field changes its meaning or goes; new
/// fields may come without.
pub const VERSION: u32 = 2;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Always [`KIND`].
    pub kind: String,
    /// Always [`VERSION`] in files that this program writes.
    pub version: u32,
    /// Name of the board.
    pub board: String,
    /// Name of the job file, or what stood in for one.
    pub job_file: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Virtual time between two lines.
    pub interval_ps: u64,
    /// The drive's time at which the first job started, the zero of all other times.
    pub origin_ps: u64,
    /// Channels of the board.
    pub channels: u32,
    /// Ways of each channel.
    pub ways: u32,
    /// Blocks of each way.
    pub blocks_per_way: u32,
    /// Usable pages of a block.
    pub pages_per_block: u32,
    /// Bytes of user data in a page.
    pub page_bytes: u32,
    /// Entries of the data buffer, a page each.
    pub buffer_entries: u32,
    /// Commands that the drive holds at once.
    pub command_slots: u32,
    /// Names of the firmware's modules, in the order of `modules_ps`.
    pub modules: Vec<String>,
    /// Names of the causes of a request's time, in the order of `causes_ps`.
    pub causes: Vec<String>,
}
