//! Large tables that take little memory: of words most of which were never set, and of entries that copies have in common.
#![no_std]

extern crate alloc;

mod parts;
mod table;
// Machines of 32-bit addresses cannot hold so large a table, and may have no atomic counts of who shares one.
#[cfg(target_pointer_width = "64")]
mod below;
#[cfg(target_pointer_width = "64")]
mod words;

pub use parts::Parts;
pub use table::{Table, PART};
#[cfg(target_pointer_width = "64")]
pub use words::Words;

/// What clones of a large table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clones {
    /// They have entries in common until they are written to. For a table of which many clones are made.
    Sharing,
    /// They are copies, which is faster for a table that goes on alone. A table that shares entries with others still does.
    Whole,
}
