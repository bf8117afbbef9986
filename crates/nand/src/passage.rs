//! Pages on their way to and from the chips, in either payload.

use contract::Lpn;

use crate::blocks::{Content, Place};
use crate::wrong_bits::WrongBits;

/// A page to be programmed; `T` is a stamp or a byte.
pub(crate) struct Incoming<'a, T> {
    pub at: Place,
    /// The logical page number for the spare area.
    pub spare: Lpn,
    pub data: &'a [T],
}

/// A page, or a part of one, being read.
pub(crate) struct Outgoing<'a> {
    pub at: Place,
    pub content: Content<'a>,
    /// The first byte of its data that is read.
    pub offset: u32,
    /// The bits that come out wrong; none for a page that holds nothing.
    pub wrong: &'a WrongBits,
}
