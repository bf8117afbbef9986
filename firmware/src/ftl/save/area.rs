//! Where a drive saves what its data buffer holds: some blocks of every way, erased before the drive is ready and
//! written when the power goes away.

use alloc::vec::Vec;
use contract::{Geometry, Reserve};

use crate::ftl::log::open::rows_of_an_end;
use crate::operations::Page;
use crate::planted::{is_planted, Bug};

/// The blocks of the save area.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Area {
    geometry: Geometry,
    /// Blocks of each way.
    per_way: u32,
    /// By way.
    blocks: Vec<u32>,
    /// Whether each is erased, or being written.
    usable: Vec<bool>,
    /// The next page of each way, counted over its blocks.
    next: Vec<u32>,
    /// Of each way, which others a chip that hangs keeps from answering with it; empty where chips do not hang.
    hung_together: Vec<u32>,
}

impl Area {
    /// The first blocks of every way that are not `taken`, by the log or by a mark from the factory.
    ///
    /// # Panics
    /// If a way has not so many.
    pub fn new(
        geometry: Geometry,
        reserve: &Reserve,
        mut taken: impl FnMut(u32, u32) -> bool,
    ) -> Self {
        let per_way = reserve.blocks_per_way;
        let mut blocks = Vec::with_capacity((geometry.dies() * per_way) as usize);
        for die in 0..geometry.dies() {
            let good = (0..geometry.blocks_per_way).filter(|&block| !taken(die, block));
            blocks.extend(good.take(per_way as usize));
        }
        assert_eq!(blocks.len(), blocks.capacity(), "every way has good blocks to save to");
        let usable = alloc::vec![false; blocks.len()];
        let next = alloc::vec![0; geometry.dies() as usize];
        let hung_together = match reserve.costs.hung_ways {
            0 => Vec::new(),
            _ => (0..geometry.dies()).map(|die| reserve.hung_together(die, &geometry)).collect(),
        };
        Area { geometry, per_way, blocks, usable, next, hung_together }
    }

    /// Whether a block is one of the area.
    pub fn contains(&self, die: u32, block: u32) -> bool {
        self.place_of(die, block).is_some()
    }

    /// Whether a page is in it.
    pub fn has(&self, page: Page) -> bool {
        self.contains(page.die, self.geometry.block_of(page.row))
    }

    fn place_of(&self, die: u32, block: u32) -> Option<usize> {
        let first = (die * self.per_way) as usize;
        let of_way = &self.blocks[first..first + self.per_way as usize];
        of_way.iter().position(|&own| own == block).map(|nth| first + nth)
    }

    /// Blocks of a way.
    pub fn per_way(&self) -> u32 {
        self.per_way
    }

    /// The first page of a block of a way.
    pub fn head(&self, die: u32, nth: u32) -> Page {
        let block = self.blocks[(die * self.per_way + nth) as usize];
        Page { die, row: block * self.geometry.pages_per_block }
    }

    /// The page of a way that is to be read next; none behind the last.
    pub fn to_read(&self, die: u32) -> Option<Page> {
        let next = self.next[die as usize];
        let pages = self.geometry.pages_per_block;
        (next < self.per_way * pages).then(|| {
            let Page { row, .. } = self.head(die, next / pages);
            Page { die, row: row + next % pages }
        })
    }

    /// It was read, and more may follow.
    pub fn go_on(&mut self, die: u32) {
        self.next[die as usize] += 1;
    }

    /// It is erased, behind so many erased pages of its block. A chip that loses programs leaves erased pages among those
    /// that hold something. Behind as many as end a superblock, what follows is in the next block, if anywhere: a block
    /// that failed, or could not be erased for what was saved, is followed by another. Returns the erased pages of its
    /// block before the page that is to be read next.
    pub fn pass_erased(&mut self, die: u32, before: u32) -> u32 {
        self.go_on(die);
        let next = &mut self.next[die as usize];
        let end = next.next_multiple_of(self.geometry.pages_per_block);
        let erased = before + 1;
        if *next < end && erased < rows_of_an_end() {
            return erased;
        }
        *next = end;
        0
    }

    /// A block was erased, or could not be.
    pub fn erased(&mut self, page: Page, usable: bool) {
        let place = self.place_of(page.die, self.geometry.block_of(page.row));
        self.usable[place.expect("a block of the area")] = usable;
        self.next[page.die as usize] = 0;
    }

    /// Pages that can be written even if a program fails in each way, which puts an end to its block, and if the chip hangs
    /// that leaves the least.
    pub fn room(&self) -> u32 {
        self.without_hung(|blocks| blocks) * self.geometry.pages_per_block
    }

    /// Ways that can be written even if a program fails there and if a chip hangs.
    pub fn ways(&self) -> u32 {
        self.without_hung(|blocks| u32::from(blocks > 0))
    }

    /// The sum over the ways of what usable blocks, all of each but one, are counted as; without the ways that a chip which
    /// hangs keeps from answering, where that leaves the least.
    fn without_hung(&self, count: impl Fn(u32) -> u32) -> u32 {
        let of_way = self.usable.chunks(self.per_way as usize);
        let usable = of_way.map(|blocks| blocks.iter().filter(|&&usable| usable).count() as u32);
        let spare = u32::from(!is_planted(Bug::EverySaveBlockCounted));
        let counts: Vec<u32> = usable.map(|blocks| count(blocks.saturating_sub(spare))).collect();
        let together = |number: &u32| -> u32 {
            let own = self.hung_together.iter().zip(&counts).filter(|(other, _)| *other == number);
            own.map(|(_, count)| count).sum()
        };
        let most = self.hung_together.iter().map(together).max().unwrap_or(0);
        counts.iter().sum::<u32>() - most
    }

    /// The chip of a way is dead: nothing can be written there.
    pub fn lose_way(&mut self, die: u32) {
        let first = (die * self.per_way) as usize;
        self.usable[first..first + self.per_way as usize].fill(false);
    }

    /// Whether a way has a page that can be written.
    pub fn has_page(&self, die: u32) -> bool {
        self.next_usable(die).is_some()
    }

    /// Takes the next page of a way, if it has one.
    pub fn take(&mut self, die: u32) -> Option<Page> {
        let next = self.next_usable(die)?;
        self.next[die as usize] = next;
        let page = self.to_read(die);
        self.go_on(die);
        page
    }

    /// The next page of a way that can be written, counted over its blocks.
    fn next_usable(&self, die: u32) -> Option<u32> {
        let pages = self.geometry.pages_per_block;
        let next = self.next[die as usize];
        let is_usable = |&nth: &u32| self.usable[(die * self.per_way + nth) as usize];
        let nth = (next / pages..self.per_way).find(is_usable)?;
        Some(next.max(nth * pages))
    }

    /// A program in a block has failed: what follows goes elsewhere.
    pub fn fail(&mut self, page: Page) {
        if let Some(place) = self.place_of(page.die, self.geometry.block_of(page.row)) {
            self.usable[place] = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::plant;
    use contract::{Duration, SavingCosts};

    const GEOMETRY: Geometry =
        Geometry { channels: 2, ways: 1, blocks_per_way: 8, pages_per_block: 2, page_bytes: 4096 };

    fn area() -> Area {
        area_of(0)
    }

    fn area_of(hung_ways: u32) -> Area {
        let costs = SavingCosts {
            controller_mw: 1,
            die_mw: 1,
            transfer_pj: 1,
            program: Duration::from_us(1),
            erase: Duration::from_us(1),
            transfer: Duration::from_us(1),
            begun_per_die: 1,
            hung_ways,
            given_per_way: 2,
        };
        let reserve = Reserve { blocks_per_way: 2, energy_pj: 0, costs };
        Area::new(GEOMETRY, &reserve, |die, block| block == 0 || die == 1 && block == 1)
    }

    #[test]
    fn pages_follow_each_other_over_blocks_that_can_be_written() {
        let mut area = area();
        assert_eq!((area.room(), area.take(0)), (0, None));
        for (die, nth) in [(0, 0), (0, 1), (1, 1)] {
            let page = area.head(die, nth);
            area.erased(page, true);
        }
        // One block of way 0 may fail; way 1 has no other.
        assert_eq!((area.room(), area.ways()), (2, 1));
        let mut rows = |die| core::array::from_fn(|_| area.take(die).map(|page| page.row));
        // Of way 0 blocks 1 and 2, of way 1 block 3 alone.
        assert_eq!(rows(0), [Some(2), Some(3), Some(4), Some(5), None]);
        assert_eq!(rows(1), [Some(6), Some(7), None, None, None]);
        assert!(area.contains(1, 2) && !area.contains(1, 1) && !area.contains(0, 0));
        plant(Some(Bug::EverySaveBlockCounted));
        let with_bug = area.room();
        plant(None);
        assert_eq!(with_bug, 6, "a block of way 1 counts, though a program may fail in it");
    }

    /// The promised room does not count on a chip that hangs, whichever it is, nor on a dead chip.
    #[test]
    fn a_way_whose_chip_hangs_is_not_counted_on() {
        let mut area = area_of(1);
        for (die, nth) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let page = area.head(die, nth);
            area.erased(page, true);
        }
        assert_eq!((area.room(), area.ways()), (2, 1));
        assert!(area.has_page(0));
        area.lose_way(0);
        assert_eq!((area.room(), area.ways()), (0, 0));
        assert_eq!((area.has_page(0), area.take(0)), (false, None));
        assert!(area.has_page(1));
    }

    #[test]
    fn a_block_that_fails_is_left() {
        let mut area = area();
        for nth in 0..2 {
            let page = area.head(0, nth);
            area.erased(page, true);
        }
        let page = area.take(0).expect("a page");
        area.fail(page);
        assert_eq!(area.take(0), Some(Page { die: 0, row: 4 }));
        assert_eq!(area.room(), 0);
    }

    /// Rows of way 0 that are read, of two blocks of so many pages, where some rows hold something.
    fn rows_read(pages_per_block: u32, held: &[u32]) -> Vec<u32> {
        let geometry = Geometry { pages_per_block, ..GEOMETRY };
        let mut area = Area { geometry, ..area() };
        let (mut rows, mut erased) = (Vec::new(), 0);
        while let Some(Page { row, .. }) = area.to_read(0) {
            rows.push(row);
            if held.contains(&row) {
                area.go_on(0);
                erased = 0;
            } else {
                erased = area.pass_erased(0, erased);
            }
        }
        rows
    }

    #[test]
    fn every_block_is_looked_at_behind_pages_that_chips_lost() {
        let all = |ranges: [core::ops::Range<u32>; 2]| ranges.into_iter().flatten();
        let is_read =
            |held: &[u32], ranges| assert!(all(ranges).eq(rows_read(16, held)), "{held:?}");
        // Blocks 1 and 2 have rows 16 to 31 and 32 to 47; eight erased ones are the end.
        is_read(&[], [16..24, 32..40]);
        is_read(&[16, 40], [16..25, 32..40]);
        is_read(&[23, 39], [16..32, 32..48]);
        is_read(&[16, 24, 32], [16..32, 32..41]);
        assert_eq!(rows_read(2, &[]), [2, 3, 4, 5]);
        assert_eq!(rows_read(2, &[3, 5]), [2, 3, 4, 5]);
        plant(Some(Bug::LostTakenForEnd));
        let with_bug = rows_read(16, &[16, 18]);
        plant(None);
        assert_eq!(with_bug, [16, 17, 32]);
    }
}
