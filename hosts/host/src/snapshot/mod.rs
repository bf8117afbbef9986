//! The file that keeps a drive as it is between runs: its firmware's memory, its hardware, its chips, and what the host knows
//! of its data (docs/spec/snapshot.md).
//!
//! A snapshot is written whole and never changed. It is not to be mixed up with a drive image, which a drive lives in and
//! which holds what its chips hold alone.

mod about;
mod error;
mod reading;
mod writing;

pub use about::{About, Payload};
pub use error::SnapshotError;
pub use reading::Snapshot;
pub use writing::write;

/// First bytes of the file.
const MAGIC: [u8; 8] = *b"FIRMSNAP";
/// Version of what stands around the state.
const VERSION: u32 = 1;
/// Bytes in front of the head: magic, version, bytes of the head.
const FRONT_BYTES: usize = 16;
/// Bytes of the checksum at the end, a SHA-256.
const CHECKSUM_BYTES: u64 = 32;
/// Most bytes of a head. One of a board takes some 20 KiB.
const MOST_HEAD_BYTES: u32 = 1 << 20;

/// The digest of the sources that decide how a state is laid out, in hexadecimal digits. A state is read by programs with
/// the same one only.
pub const LAYOUT: &str = env!("STATE_LAYOUT");
