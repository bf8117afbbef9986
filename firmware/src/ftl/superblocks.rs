//! Which blocks make a superblock: on a new drive, and when one of them goes bad.
//!
//! Channels join operations on rows that differ in nothing but the plane. So blocks of one number but for the
//! plane go together. A spare of the same plane takes the place of one that goes bad; the blocks of that
//! superblock are programmed, read and erased one by one from then on.

use super::blocks::{Blocks, Role, State, MOST_PLANES};

impl Blocks {
    /// Makes superblocks of the good blocks of a way but for the spares of each plane: of one number as
    /// long as there are such, then of what is left.
    pub(super) fn form_superblocks(&mut self, die: u32) {
        let planes = self.planes();
        let most = self.superblocks_per_way();
        let is_good = |all: &Self, block| !matches!(all.at(die, block).state, State::Apart);
        let count = self.first_count(die);
        let mut formed = 0;
        for number in 0..most {
            let first = number * planes;
            if formed < count && (first..first + planes).all(|block| is_good(self, block)) {
                (first..first + planes).for_each(|block| self.join(die, formed, block));
                formed += 1;
            }
        }
        for superblock in formed..count {
            for plane in 0..planes {
                let left = (0..most)
                    .map(|number| number * planes + plane)
                    .find(|&block| matches!(self.at(die, block).state, State::Spare));
                self.join(die, superblock, left.expect("each plane has enough good blocks"));
            }
        }
        (0..count).for_each(|superblock| self.push(die, superblock, Role::Free));
        let spares = self.first_spares(die);
        let d = &mut self.dies[die as usize];
        (d.spares, d.spares_at_start) = (spares, spares);
    }

    /// Blocks of a plane of a way that were good when the drive was new.
    fn first_good(&self, die: u32, plane: u32) -> u32 {
        let of_plane = (plane..self.geometry.blocks_per_way).step_by(self.planes() as usize);
        let is_good = |&block: &u32| !matches!(self.at(die, block).state, State::Apart);
        of_plane.filter(is_good).count() as u32
    }

    /// Superblocks that a way had when the drive was new.
    fn first_count(&self, die: u32) -> u32 {
        let fewest = (0..self.planes()).map(|plane| self.first_good(die, plane)).min();
        fewest.unwrap_or(0).min(self.superblocks_per_way().saturating_sub(self.spares_kept))
    }

    /// Spares of each plane that a way had when the drive was new.
    pub(super) fn first_spares(&self, die: u32) -> [u32; MOST_PLANES] {
        let (planes, count) = (self.planes(), self.first_count(die));
        core::array::from_fn(|plane| {
            let is_plane = (plane as u32) < planes;
            if is_plane {
                self.first_good(die, plane as u32) - count
            } else {
                0
            }
        })
    }

    /// Puts a block into its plane's place of a superblock.
    fn join(&mut self, die: u32, superblock: u32, block: u32) {
        self.at_mut(die, block).state = State::In(superblock);
        let planes = self.planes();
        let first = self.index(die, superblock) * planes as usize;
        self.members[first + (block & (planes - 1)) as usize] = block;
    }

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

    /// Erases that were counted when they were planned for a block are done to its stand-in, if it has one.
    pub(super) fn erase_instead(
        &mut self,
        die: u32,
        (lost, spare): (u32, Option<u32>),
        erases: u32,
    ) {
        self.at_mut(die, lost).erases -= erases;
        if let Some(spare) = spare {
            self.at_mut(die, spare).erases += erases;
        }
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
            Role::Open => self.close(die, superblock),
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
