//! Where data is: logical pages, location vectors, buffer entries.

/// Logical page number: the index of a mapping unit (one flash page of data) in the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Lpn(pub u32);

/// An entry of the data buffer, one flash page of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct BufferId(pub u32);

/// A location vector (Cosmos+ section 3.3.2): channel, way, and the serialised page number in the
/// way. `row = block * pages_per_block + page`, over usable pages only: in SLC mode a block of 256
/// pages has 128 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Channel, from 0.
    pub channel: u8,
    /// Way in the channel, from 0.
    pub way: u8,
    /// Row in the way.
    pub row: u32,
}

/// The flash array as the firmware sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Geometry {
    /// Channels, 1 to 64.
    pub channels: u32,
    /// Ways a channel, 1 to 64.
    pub ways: u32,
    /// Blocks of a way, bad and spare blocks included.
    pub blocks_per_way: u32,
    /// Usable pages (rows) a block, at most 65,535.
    pub pages_per_block: u32,
    /// Data bytes a page, which is what one program fills: a power of two, or as many times that as flash pages are programmed
    /// together ([`crate::Programming`]).
    pub page_bytes: u32,
}

/// Bytes of a page's data, or of the buffer entry that holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Span {
    /// First byte.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
}

impl Geometry {
    /// All data of a page.
    pub const fn page(&self) -> Span {
        Span { offset: 0, length: self.page_bytes }
    }

    /// Ways of the whole array. The die index is `way * channels + channel`.
    pub const fn dies(&self) -> u32 {
        self.channels * self.ways
    }

    /// Rows of a way, all blocks of the way together.
    pub const fn rows_per_way(&self) -> u32 {
        self.blocks_per_way * self.pages_per_block
    }

    /// Pages of the whole array.
    pub const fn pages(&self) -> u64 {
        self.dies() as u64 * self.rows_per_way() as u64
    }

    /// Block that `row` lies in.
    pub const fn block_of(&self, row: u32) -> u32 {
        row / self.pages_per_block
    }
}
