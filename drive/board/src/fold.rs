//! Planes that are programmed and erased together, folded into one.
//!
//! Where the firmware schedules and `channel.merging` joins planes, a die looks to the firmware as if it had one plane. A
//! block of the firmware is a block of each plane, whose numbers are equal but for the plane, and a page of the
//! firmware has what one program of a block has, of each plane. So only the chips know of planes.
//!
//! Flash pages of a page come in the order in which data sheets load them: the plane changes fastest, then the page type.
//! Of TLC with four planes, they are the LSB pages of planes 0 to 3, the CSB pages, and the MSB pages.

use std::ops::Range;

/// Planes that the firmware sees as one, and what of each of them is programmed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    planes: u32,
    pages: u32,
}

/// Where a flash page of a page of the firmware is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlane {
    /// Number of the plane, from 0.
    pub plane: u32,
    /// The flash page's number in its block of this plane.
    pub page: u32,
}

impl Fold {
    /// So many planes. Of each of them, so many flash pages are programmed together: 1, or those of a word line.
    pub const fn new(planes: u32, pages: u32) -> Self {
        Self { planes, pages }
    }

    /// Planes that act together; 1 where each acts by itself.
    pub const fn planes(&self) -> u32 {
        self.planes
    }

    /// Flash pages of one plane that are programmed together.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Where the `nth` flash page of a page of a block is.
    #[inline]
    pub const fn of(&self, page: u32, nth: u32) -> InPlane {
        InPlane { plane: nth % self.planes, page: page * self.pages + nth / self.planes }
    }

    /// Which flash page of its page the `nth` is of those of a plane.
    #[inline]
    pub const fn nth(&self, plane: u32, nth: u32) -> u32 {
        nth * self.planes + plane
    }

    /// The block in a plane that is part of a block of the firmware, both counted over any number of whole dies. The lowest
    /// bits of a block's number tell its plane.
    #[inline]
    pub const fn block(&self, block: usize, plane: u32) -> usize {
        block * self.planes as usize + plane as usize
    }

    /// The blocks of all planes that are a block of the firmware.
    #[inline]
    pub const fn blocks(&self, block: usize) -> Range<usize> {
        self.block(block, 0)..self.block(block + 1, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flash_pages_come_plane_after_plane_and_then_type_after_type() {
        let tlc = Fold::new(4, 3);
        let found: Vec<_> =
            (0..12).map(|nth| tlc.of(5, nth)).map(|at| (at.plane, at.page)).collect();
        let expected: Vec<_> =
            (15..18).flat_map(|page| (0..4).map(move |plane| (plane, page))).collect();
        assert_eq!(found, expected);
        for nth in 0..12 {
            let InPlane { plane, page } = tlc.of(5, nth);
            assert_eq!(tlc.nth(plane, page % 3), nth);
        }
        assert_eq!(tlc.blocks(7), 28..32);
    }

    #[test]
    fn one_plane_is_as_it_is() {
        for pages in [1, 3] {
            let one = Fold::new(1, pages);
            for nth in 0..pages {
                assert_eq!(one.of(9, nth), InPlane { plane: 0, page: 9 * pages + nth });
                assert_eq!(one.nth(0, nth), nth);
            }
            assert_eq!((one.block(9, 0), one.blocks(9)), (9, 9..10));
        }
    }
}
