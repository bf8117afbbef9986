//! The file that keeps what a drive's chips hold, so that a drive outlives its process.
//!
//! The file is as the chips are: each block and each page has a place of its own, and what is programmed or
//! erased is written there at once, in the order in which the chips are told. A process that is killed
//! leaves all that it had handed to its chips, and nothing else: a power loss after which the chips ended
//! what they had begun. What is not there takes no room on the disk.
//!
//! | Part | What is in it |
//! |---|---|
//! | Head | Magic, version, and text of the drive: board, seed, payload ([`About`]). Written last when an image is made. |
//! | Opened | How often the drive was powered on. |
//! | Fill | What blocks hold that were never touched, as numbers of the firmware's formula. |
//! | Blocks | 16 bytes each: how often it was erased, and whether an erase was cut off. |
//! | Pages | A record each: erases of its block when it was programmed, and what the page is. |
//! | Data | A slot each for pages that records do not tell in full, with a length and a checksum. |
//!
//! Each part has checksums (CRC-32). Data of a page are written before its record, and records lie within a
//! page of the operating system, which it writes as a whole: a process that is killed leaves no half record.
//! Erasing counts up the erases of a block, which makes records of its pages void; then their data are
//! given back to the disk.

mod about;
mod check;
mod error;
mod extents;
mod image;
mod layout;
mod records;

pub use about::{About, Payload};
pub use check::{check, Checked};
pub use error::ImageError;
pub use image::{is_image, Access, Image};
pub use layout::Shape;
pub use records::{BlockRecord, PageRecord};
