//! Where everything lies in the file.

use serde::{Deserialize, Serialize};

/// A unit for mark, version, length and check sum, and further units for the text that tells of the drive.
pub(crate) const HEAD_BYTES: u64 = 1 << 18;
/// What the operating system writes as a whole.
pub(crate) const UNIT: u64 = 4096;
/// Bytes of a block's record.
pub(crate) const BLOCK_BYTES: u64 = 16;
/// Bytes before the data of a page: length, erases, CRC, nothing.
pub(crate) const DATA_HEAD: u64 = 16;

/// Numbers of blocks, pages and bytes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Blocks of all chips.
    pub blocks: u32,
    /// Pages of a block, each of which has a record and a slot for data.
    pub pages_per_block: u32,
    /// Words of 32 bits that tell what a page is.
    pub page_words: u32,
    /// Most bytes of a page that its words do not tell in full.
    pub page_bytes: u32,
    /// Most words of 32 bits that tell what untouched blocks hold.
    pub fill_words: u32,
}

/// Offsets and sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub shape: Shape,
    pub opened: u64,
    pub fill: u64,
    pub blocks: u64,
    pub pages: u64,
    /// Of a page's record: a power of two, so that none reaches over the end of a unit.
    pub record: u64,
    pub data: u64,
    /// From a page's data to the next.
    pub slot: u64,
    /// From a block's data to the next block's: whole units.
    pub stride: u64,
    /// The whole file.
    pub end: u64,
}

impl Layout {
    /// The layout of a shape; `None` for a shape that no drive has.
    pub fn new(shape: Shape) -> Option<Self> {
        let Shape { blocks, pages_per_block, page_words, page_bytes, fill_words } = shape;
        let sane = page_words <= 900 && page_bytes <= 1 << 24;
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        // The flash of the largest board is 2^50 bytes; files end at 2^63.
        if !sane || pages == 0 || pages > 1 << 37 {
            return None;
        }
        let units = |bytes: u64| bytes.next_multiple_of(UNIT);
        let (all, per_block) = (u64::from(blocks), u64::from(pages_per_block));
        let opened = HEAD_BYTES;
        let fill = opened + UNIT;
        let blocks = fill + units((u64::from(fill_words) + 2) * 4);
        let pages = blocks + units(all * BLOCK_BYTES);
        let record = ((u64::from(page_words) + 2) * 4).next_power_of_two();
        let data = pages + units(all * per_block * record);
        let slot = (DATA_HEAD + u64::from(page_bytes)).next_multiple_of(16);
        let stride = units(per_block * slot);
        let end = data + all * stride;
        Some(Layout { shape, opened, fill, blocks, pages, record, data, slot, stride, end })
    }

    /// The record of a block.
    pub fn block(&self, block: u32) -> u64 {
        self.blocks + u64::from(block) * BLOCK_BYTES
    }

    /// The record of a page, counted over all blocks.
    pub fn page(&self, page: u64) -> u64 {
        self.pages + page * self.record
    }

    /// The data of a page.
    pub fn data(&self, page: u64) -> u64 {
        let per_block = u64::from(self.shape.pages_per_block);
        self.data + page / per_block * self.stride + page % per_block * self.slot
    }

    /// Pages of all blocks.
    pub fn all_pages(&self) -> u64 {
        u64::from(self.shape.blocks) * u64::from(self.shape.pages_per_block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_record_reaches_over_a_unit_and_no_parts_overlap() {
        for (page_words, page_bytes) in [(5, 18_048), (9, 16_400), (37, 4_112), (133, 16_400)] {
            let shape =
                Shape { blocks: 5, pages_per_block: 7, page_words, page_bytes, fill_words: 11 };
            let layout = Layout::new(shape).unwrap();
            for page in 0..layout.all_pages() {
                let (first, last) = (layout.page(page), layout.page(page) + layout.record - 1);
                assert_eq!(first / UNIT, last / UNIT, "the record of page {page}");
                assert!(layout.record >= u64::from(page_words + 2) * 4);
                let next =
                    if page + 1 < layout.all_pages() { layout.data(page + 1) } else { layout.end };
                assert!(layout.data(page) + DATA_HEAD + u64::from(page_bytes) <= next);
            }
            assert!(layout.block(5) <= layout.pages && layout.page(35) <= layout.data);
        }
    }

    #[test]
    fn a_shape_of_no_drive_has_no_layout() {
        let shape = Shape {
            blocks: u32::MAX,
            pages_per_block: 1 << 20,
            page_words: 900,
            page_bytes: 1 << 24,
            fill_words: 0,
        };
        assert!(Layout::new(shape).is_none());
        assert!(Layout::new(Shape { blocks: 0, ..shape }).is_none());
    }
}
