//! Where the data of a page stand among their parity, as the channel lays pages out.

use super::Request;

/// How the error correction lays code words out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct CodeWords {
    /// Bytes of data in a code word; the metadata have one of their own.
    pub chunk_bytes: u16,
    /// Bytes of parity behind them, as they go over the bus.
    pub parity_bytes: u16,
    /// Bytes of metadata of a page, even.
    pub metadata_bytes: u16,
}

impl CodeWords {
    /// The column in which a byte of data stands.
    ///
    /// # Panics
    /// If the byte is not the first of its code word.
    pub const fn column(&self, offset: u32) -> u32 {
        let chunk = self.chunk_bytes as u32;
        assert!(offset % chunk == 0, "a part begins with a code word");
        offset / chunk * (chunk + self.parity_bytes as u32)
    }

    /// The byte of data that stands in a column, the first of a code word.
    pub const fn offset(&self, column: u32) -> u32 {
        column / (self.chunk_bytes as u32 + self.parity_bytes as u32) * self.chunk_bytes as u32
    }

    /// Bytes on the bus for the data of a request.
    pub fn bus_bytes(&self, request: &Request, is_raw: bool) -> u32 {
        let (length, metadata) = (u32::from(request.length), self.metadata_of(request, is_raw));
        if is_raw || !request.coding.ecc {
            return length + metadata;
        }
        self.coded_bytes(length) + self.coded_bytes(metadata)
    }

    /// Bytes of metadata that a request moves.
    pub fn metadata_of(&self, request: &Request, is_raw: bool) -> u32 {
        if request.coding.metadata && !is_raw {
            self.metadata_bytes.into()
        } else {
            0
        }
    }

    /// Bytes on the bus for so many bytes of data, with their parity.
    pub const fn coded_bytes(&self, length: u32) -> u32 {
        length + length.div_ceil(self.chunk_bytes as u32) * self.parity_bytes as u32
    }

    /// Bytes on the bus for all data of a page and the metadata.
    pub const fn page_bytes(&self, length: u32) -> u32 {
        self.coded_bytes(length) + self.coded_bytes(self.metadata_bytes as u32)
    }
}
