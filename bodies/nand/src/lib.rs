//! The flash chips of a drive as a golden model: how long an operation takes, what a page holds,
//! which bits come out wrong, and whether the controller keeps to the chips' rules.
//!
//! [`Array`] is all chips of the drive. A die is addressed by its index, `way * channels +
//! channel`; a row counts usable pages only (LSB pages in SLC mode). In MLC mode page `2w` of a
//! block is the LSB page and page `2w + 1` the MSB page of word line `w`; a failed program of one
//! leaves the other alone.
//!
//! # Two payloads
//!
//! With [`Payload::Bytes`] a page is what a chip would hold: data, spare area and parity,
//! scrambled. Reading flips bits, descrambles and decodes for real. With [`Payload::Stamps`] each
//! logical block is represented by a [`Stamp`] of (LBA, version), and a page takes a few words.
//! Times, wrong bits and failures are drawn alike, so both give the same run.
//!
//! # Randomness
//!
//! Each die draws from integer streams of its own, seeded by (seed, die): what a die does depends
//! on the operations on that die alone. Times and faults have separate streams, so other error
//! rates leave the times as they are.

mod aging;
mod array;
mod aside;
mod blocks;
mod cells;
mod die;
mod error;
mod failures;
mod fit;
mod hung;
pub mod onfi;
mod outcome;
mod passage;
mod payload;
mod poisson;
mod prior;
mod random;
mod raw;
mod spare;
mod stamp;
mod stamps;
mod states;
mod tempo;
mod wear;
mod wrong_bits;

pub use array::{Array, Astray, FaultsOfPage, Work};
pub use blocks::is_aside;
pub use error::Unsuitable;
pub use fit::image_shape;
pub use outcome::{Transferred, Worked, FOREVER};
pub use payload::{PageMut, PageRef, Payload};
pub use prior::Prior;
pub use stamp::Stamp;
pub use tempo::Tempo;
