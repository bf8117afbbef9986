//! Studies: what a paper measured, asked of a drive, and what came out beside it.

pub mod outcome;
pub mod output;
