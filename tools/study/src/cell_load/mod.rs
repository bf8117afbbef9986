//! Patterns in worn flash blocks, read back with their wrong bits.
//!
//! Papers on the reliability of flash measure it so: blocks are erased and programmed up to a number of cycles, then a
//! pattern is written through the controller and read back, and what error correction finds is counted (Cosmos+ section
//! 7.3). The chips are those of [`nand`] with real bytes, so the scrambler and the code are the board's, and where its
//! `errors.model` is `cells`, the pattern decides which bits are wrong.

mod load;
mod pattern;
mod run;

pub use load::{Load, LoadError, OPTIONS};
pub use pattern::Pattern;
pub use run::{run, Outcome, RunError};
