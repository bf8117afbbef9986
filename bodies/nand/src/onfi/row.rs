//! How rows are numbered.

/// The bits of a row, lowest first: page, block with the plane in its lowest bits, LUN (ONFI 4.0,
/// "Addressing").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLayout {
    /// Bits that number the page within its block, the lowest ones of the row.
    pub page_bits: u32,
    /// Pages of a block, which need not be a power of two.
    pub pages: u32,
    /// Bits of the block, those of the plane included.
    pub block_bits: u32,
    /// Blocks of a LUN.
    pub blocks: u32,
    /// Bits that number the plane, the lowest ones of the block; 0 for a LUN with one plane.
    pub plane_bits: u32,
    /// LUNs of the target.
    pub luns: u32,
    /// Address cycles of a row: 3 or 4.
    pub cycles: usize,
}

/// A row, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// As it goes over the bus.
    pub number: u32,
    /// The logical unit.
    pub lun: usize,
    /// The block within the LUN, plane bits included.
    pub block: u32,
    /// The plane of the block, from 0.
    pub plane: usize,
    /// The page within the block.
    pub page: u32,
}

impl RowLayout {
    /// Takes a row apart, unless no page has it.
    pub fn split(&self, number: u32) -> Option<Row> {
        let page = number & mask(self.page_bits);
        let block = number.checked_shr(self.page_bits)? & mask(self.block_bits);
        let lun = number.checked_shr(self.page_bits + self.block_bits).unwrap_or(0);
        let plane = (block & mask(self.plane_bits)) as usize;
        let inside = page < self.pages && block < self.blocks && lun < self.luns;
        inside.then_some(Row { number, lun: lun as usize, block, plane, page })
    }

    /// Puts a row together.
    ///
    /// # Panics
    /// If the chip has no such page.
    pub fn row(&self, lun: u32, block: u32, page: u32) -> u32 {
        let number = (lun << self.page_bits << self.block_bits) | (block << self.page_bits) | page;
        assert!(
            lun < self.luns && block < self.blocks && page < self.pages,
            "found LUN {lun}, block {block}, page {page}"
        );
        number
    }

    /// Planes of a LUN.
    pub fn planes(&self) -> usize {
        1 << self.plane_bits
    }

    /// The first row of the block that a row is in.
    pub(crate) fn first_of_block(&self, number: u32) -> u32 {
        number & !mask(self.page_bits)
    }
}

fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: RowLayout = RowLayout {
        page_bits: 4,
        pages: 12,
        block_bits: 3,
        blocks: 6,
        plane_bits: 1,
        luns: 2,
        cycles: 3,
    };

    #[test]
    fn what_is_put_together_comes_apart() {
        for (lun, block, page) in [(0, 0, 0), (1, 5, 11), (0, 3, 7), (1, 0, 1)] {
            let number = LAYOUT.row(lun, block, page);
            let plane = (block % 2) as usize;
            let row = Row { number, lun: lun as usize, block, plane, page };
            assert_eq!(LAYOUT.split(number), Some(row));
        }
    }

    #[test]
    fn rows_that_no_page_has_are_refused() {
        let number = |lun: u32, block: u32, page: u32| lun << 7 | block << 4 | page;
        for (lun, block, page) in [(0, 0, 12), (0, 6, 0), (2, 0, 0), (1 << 20, 0, 0)] {
            assert_eq!(LAYOUT.split(number(lun, block, page)), None);
        }
    }
}
