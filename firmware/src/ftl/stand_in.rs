//! Blocks that go bad: a spare of the same plane takes their place in the superblock.
//!
//! Channels join operations on rows that differ in nothing but the plane. So the blocks of a superblock
//! which are not of one number any more are programmed, read and erased one by one.

use super::blocks::{Blocks, Role, State};

impl Blocks {
    /// Puts a spare in the place of a block, whatever the role of its superblock, from the page on whose
    /// program failed, or from the first one. `kept` pages before that hold present data, and stay.
    /// Returns the spare, or `None` when the plane has none left, and the superblock takes no more data.
    pub fn stand_in(&mut self, die: u32, lost: u32, kept: u32) -> Option<u32> {
        let State::In(superblock) = self.at(die, lost).state else { return None };
        let Some(spare) = self.take_spare(die, lost & (self.planes() - 1)) else {
            self.retire(die, superblock);
            return None;
        };
        self.at_mut(die, lost).state = if kept == 0 { State::Bad } else { State::Failed(kept) };
        self.join(die, superblock, spare);
        self.relist(die, superblock, self.valid(die, superblock) - kept);
        Some(spare)
    }

    /// The last spare of a plane.
    fn take_spare(&mut self, die: u32, plane: u32) -> Option<u32> {
        let left = &mut self.dies[die as usize].spares[plane as usize];
        *left = left.checked_sub(1)?;
        let planes = self.planes() as usize;
        let mut blocks = (plane..self.geometry.blocks_per_way).step_by(planes).rev();
        let spare = blocks.find(|&block| matches!(self.at(die, block).state, State::Spare));
        Some(spare.expect("spares are counted"))
    }

    /// Takes a superblock that lacks a block out of use. What it still holds can be read and moved.
    fn retire(&mut self, die: u32, superblock: u32) {
        match self.of(die, superblock).role {
            Role::Open => self.close(die),
            Role::Free => {
                self.unlink(die, superblock);
                self.of_mut(die, superblock).role = Role::Bad;
                // Erases of the others may be queued, so they are no spares.
                for plane in 0..self.planes() as usize {
                    let block = self.members(die, superblock)[plane];
                    self.at_mut(die, block).state = State::Bad;
                }
            }
            _ => {}
        }
    }
}
