//! What the array holds.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fault, Row, RowLayout};
use crate::random::Random;

/// Pages, of those that are not erased.
pub(crate) struct Cells {
    rows: RowLayout,
    page_bytes: usize,
    pages: BTreeMap<u32, Box<[u8]>>,
    /// By the first row of a block: the row that may be programmed next.
    next: BTreeMap<u32, u32>,
    /// By the first row: blocks that were bad from the start.
    bad: BTreeSet<u32>,
}

impl Cells {
    pub fn new(rows: RowLayout, page_bytes: usize) -> Self {
        Self {
            rows,
            page_bytes,
            pages: BTreeMap::new(),
            next: BTreeMap::new(),
            bad: BTreeSet::new(),
        }
    }

    /// Makes a block bad: all of it reads as zeros.
    pub fn spoil(&mut self, row: u32) {
        self.bad.insert(self.rows.first_of_block(row));
    }

    pub fn is_bad(&self, row: u32) -> bool {
        self.bad.contains(&self.rows.first_of_block(row))
    }

    /// The bytes of a page, unless it is erased.
    pub fn page(&self, row: u32) -> Option<&[u8]> {
        self.pages.get(&row).map(|page| &page[..])
    }

    pub fn read(&self, row: u32, into: &mut [u8]) {
        match self.page(row) {
            Some(page) => into.copy_from_slice(page),
            None if self.is_bad(row) => into.fill(0x00),
            None => into.fill(0xff),
        }
    }

    /// Programs a page, which can only turn ones into zeros. Says what was wrong with that.
    pub fn program(&mut self, row: Row, data: &[u8]) -> Option<Fault> {
        let next = self.next.entry(self.rows.first_of_block(row.number)).or_insert(0);
        let late = row.number < *next;
        let fault = if self.pages.contains_key(&row.number) {
            Some(Fault::ProgrammedTwice { row: row.number })
        } else {
            late.then_some(Fault::OutOfOrder { row: row.number, next: *next })
        };
        *next = row.number.max(*next) + u32::from(!late);
        self.set(row.number, data);
        fault
    }

    /// Turns ones into zeros.
    pub fn set(&mut self, row: u32, data: &[u8]) {
        match self.pages.get_mut(&row) {
            Some(page) => page.iter_mut().zip(data).for_each(|(cell, byte)| *cell &= byte),
            None => {
                self.pages.insert(row, data.into());
            }
        }
    }

    pub fn erase(&mut self, row: u32) {
        for row in self.programmed(row) {
            self.pages.remove(&row);
        }
        self.next.remove(&self.rows.first_of_block(row));
    }

    /// What is left of a page whose program or erase was broken off, or failed.
    pub fn scramble(&mut self, row: u32, noise: &mut Random) {
        let mut left = vec![0xff; self.page_bytes];
        self.read(row, &mut left);
        for byte in &mut left {
            *byte ^= noise.next() as u8;
        }
        self.pages.insert(row, left.into());
    }

    /// The programmed rows of the block that a row is in.
    pub fn programmed(&self, row: u32) -> Vec<u32> {
        let first = self.rows.first_of_block(row);
        self.pages.range(first..first + self.rows.pages).map(|(row, _)| *row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: RowLayout = RowLayout {
        page_bits: 2,
        pages: 4,
        block_bits: 1,
        blocks: 2,
        plane_bits: 0,
        luns: 1,
        cycles: 3,
    };

    fn row(number: u32) -> Row {
        ROWS.split(number).expect("a legal row")
    }

    #[test]
    fn pages_of_a_block_go_up_and_only_once() {
        let mut cells = Cells::new(ROWS, 1);
        assert_eq!(cells.program(row(0), &[0x0f]), None);
        assert_eq!(cells.program(row(2), &[0x0f]), None, "pages may be left out");
        let late = Fault::OutOfOrder { row: 1, next: 3 };
        assert_eq!(cells.program(row(1), &[0x0f]), Some(late));
        assert_eq!(cells.program(row(2), &[0xf3]), Some(Fault::ProgrammedTwice { row: 2 }));
        assert_eq!(cells.page(2), Some(&[0x03][..]), "bits only fall");
        assert_eq!(cells.program(row(4), &[0x0f]), None, "another block");
    }

    #[test]
    fn an_erase_is_for_one_block() {
        let mut cells = Cells::new(ROWS, 1);
        for number in [0, 3, 4] {
            assert_eq!(cells.program(row(number), &[0x0f]), None);
        }
        cells.erase(2);
        assert_eq!((cells.page(0), cells.page(3)), (None, None));
        assert_eq!(cells.page(4), Some(&[0x0f][..]));
        assert_eq!(cells.program(row(0), &[0x0f]), None);
    }
}
