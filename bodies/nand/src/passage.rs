//! Pages on their way to and from the chips, in either payload.

use contract::Metadata;

use crate::blocks::{Content, Place};
use crate::wrong_bits::WrongBits;

/// A page to be programmed; `T` is a stamp or a byte.
pub(crate) struct Incoming<'a, T> {
    pub at: Place,
    /// What it says of itself.
    pub metadata: &'a Metadata,
    pub data: &'a [T],
}

/// A page, or a part of one, being read.
pub(crate) struct Outgoing<'a> {
    pub at: Place,
    /// Erases that its block went through.
    pub erases: u32,
    pub content: Content<'a>,
    /// The first byte of its data that is read.
    pub offset: u32,
    /// The bits that come out wrong; none for a page that holds nothing.
    pub wrong: &'a WrongBits,
}
