//! The form in which pages carry data.

use crate::Stamp;

/// The form in which pages carry data, chosen for a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A stamp for each logical block.
    Stamps {
        /// Bytes of a logical block.
        block_bytes: u32,
    },
    /// Real bytes.
    Bytes {
        /// Bytes of a logical block.
        block_bytes: u32,
        /// Seed that stamps are expanded with, as for [`Stamp::fill`].
        seed: u64,
    },
}

impl Payload {
    /// Bytes of a logical block.
    pub const fn block_bytes(self) -> u32 {
        match self {
            Payload::Stamps { block_bytes } | Payload::Bytes { block_bytes, .. } => block_bytes,
        }
    }
}

/// A page of the data buffer, to be programmed. Its form and size are those of the payload, but for
/// a page of the drive's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRef<'a> {
    /// A stamp for each logical block of the page.
    Stamps(&'a [Stamp]),
    /// The bytes of the page.
    Bytes(&'a [u8]),
    /// The bytes of a page of the drive's log, whatever the payload.
    Log(&'a [u8]),
}

/// A page of the data buffer, or a part of one, to be read into. Its form is that of the payload,
/// but for a page of the drive's log.
#[derive(Debug, PartialEq, Eq)]
pub enum PageMut<'a> {
    /// A stamp for each logical block.
    Stamps(&'a mut [Stamp]),
    /// The bytes of the page, or of the part that is read.
    Bytes(&'a mut [u8]),
    /// The bytes of a page of the drive's log, whatever the payload; zeroes of any other page.
    Log(&'a mut [u8]),
}
