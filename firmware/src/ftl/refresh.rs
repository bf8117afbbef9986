//! Refresh: superblocks whose bits go wrong are collected before there are more wrong bits than ECC corrects.
//!
//! A read that had to correct many bits of a chunk makes the superblock of its page due. It is collected next,
//! whatever it holds.

use alloc::vec::Vec;

use super::blocks::{Blocks, Role};
use crate::operations::Page;

/// Superblocks whose data are to be written anew before too many of their bits go wrong.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(crate) struct Refresh {
    /// Superblocks that are due, and how many of each way.
    due: Vec<bool>,
    counts: Vec<u32>,
    /// The last collection of a way was for this: the next one is for room.
    rests: Vec<bool>,
    /// Superblocks collected for this.
    pub done: u64,
}

impl Refresh {
    /// Nothing is due.
    pub fn new(dies: u32, superblocks_per_way: u32) -> Self {
        let superblocks = (dies * superblocks_per_way) as usize;
        Refresh {
            due: alloc::vec![false; superblocks],
            counts: alloc::vec![0; dies as usize],
            rests: alloc::vec![false; dies as usize],
            done: 0,
        }
    }

    /// A read of a page had to correct so many bits that its superblock is due.
    pub fn note(&mut self, blocks: &Blocks, Page { die, row }: Page) {
        let block = blocks.geometry.block_of(row);
        let Some(superblock) = blocks.superblock_of(die, block) else { return };
        let index = blocks.index(die, superblock);
        let is_used = matches!(blocks.of(die, superblock).role, Role::Open | Role::Closed);
        if is_used && !self.due[index] {
            self.due[index] = true;
            self.counts[die as usize] += 1;
        }
    }

    /// Whether something of a way is due.
    pub fn is_due(&self, die: u32) -> bool {
        self.counts[die as usize] > 0
    }

    /// Whether what a way collects, if anything, is collected for this.
    pub fn is_under_way(&self, die: u32) -> bool {
        self.rests[die as usize]
    }

    /// The superblock of a way that is to be collected next for this, unless the last one was. An open one is closed
    /// for it if no other is due: a drive to which nobody writes would not fill it.
    pub fn next(&mut self, blocks: &mut Blocks, die: u32) -> Option<u32> {
        let rests = core::mem::take(&mut self.rests[die as usize]);
        if rests || !self.is_due(die) {
            return None;
        }
        let is_due = |superblock| self.due[blocks.index(die, superblock)];
        let is_closed = |superblock| blocks.of(die, superblock).role == Role::Closed;
        let mut closed =
            (0..blocks.superblocks_per_way()).filter(|&superblock| is_closed(superblock));
        let found = match closed.find(|&superblock| is_due(superblock)) {
            Some(found) => found,
            None => {
                let open = |&stream| Some(blocks.open(die, stream)?.0);
                let open = blocks.streams().iter().filter_map(open).find(|&open| is_due(open))?;
                blocks.close(die, open);
                open
            }
        };
        self.rests[die as usize] = true;
        self.done += 1;
        Some(found)
    }

    /// A superblock is being collected, for whatever.
    pub fn collected(&mut self, blocks: &Blocks, die: u32, superblock: u32) {
        let index = blocks.index(die, superblock);
        self.counts[die as usize] -= u32::from(core::mem::take(&mut self.due[index]));
    }
}
