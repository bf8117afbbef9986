//! Superblocks that were open when the power went away, while they are read.

use crate::planted::{is_planted, Bug};

/// Rows that are read behind what was programmed, and are erased, before that counts as the end. A chip that loses programs
/// leaves erased rows among those that hold something: fewer than so many, one after the other, end nothing. They are as many as
/// two word lines of four bits a cell have.
pub const ERASED_ROWS: u32 = 8;

/// So many; one with a fault planted.
pub fn rows_of_an_end() -> u32 {
    match is_planted(Bug::LostTakenForEnd) {
        true => 1,
        false => ERASED_ROWS,
    }
}

/// A superblock that is read for what is not recorded.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Open {
    /// Its way.
    pub die: u32,
    /// Its number in the way.
    pub superblock: u32,
    /// Sequence number of its opening; 0 if that is not known.
    pub opened: u64,
    /// Pages of it up to the last one that is not erased.
    pub used: u32,
    /// Pages of its first row that are not erased.
    pub first_row: u32,
    /// Erased rows were found behind pages that are not, and what follows is erased too.
    pub ended: bool,
}

impl Open {
    /// A superblock of which nothing was read.
    pub fn new(die: u32, superblock: u32, opened: u64) -> Self {
        Open { die, superblock, opened, used: 0, first_row: 0, ended: false }
    }

    /// The rows before `pages` were read, of `planes` pages each. Some erased rows are the end, unless a block
    /// may stand in for another: it is erased before its first page, and where other planes were left out behind a
    /// power loss, so is all of the row.
    pub fn end_behind(&mut self, pages: u32, planes: u32) {
        let no_stand_in = self.first_row == planes || planes == 1;
        let end = self.used.next_multiple_of(planes) + rows_of_an_end() * planes;
        self.ended |= no_stand_in && self.used > 0 && end <= pages;
    }
}
