//! Where the log is: some blocks of every way, written in stripes over all of them.
//!
//! Positions count pages of the log over the life of the drive. The log goes around: position `n` is in
//! stripe `n / stripe_pages % stripes`. In a stripe pages go to one way after the other, row by row, so
//! that all ways share the work.

use alloc::vec::Vec;
use contract::{Geometry, Recovery};

use crate::operations::Page;
use crate::planted::{is_planted, Bug};

/// Whether a block of the log can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Condition {
    /// It is erased, or being written.
    Ready,
    /// It holds pages of an earlier time, or nobody knows what.
    Used,
    /// Its erase is under way.
    Wiping,
    /// A program or an erase of it failed, or it may not have been erased when its stripe was begun. It is passed over
    /// until the stripe is written to its end, and then erased with the stripe.
    PassedOver,
}

/// The blocks of the log.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Area {
    geometry: Geometry,
    stripes: u32,
    /// By way and stripe.
    blocks: Vec<u32>,
    conditions: Vec<Condition>,
}

impl Area {
    /// The first blocks of every way that are not bad from the factory.
    ///
    /// # Panics
    /// If a way has not so many.
    pub fn new(
        geometry: Geometry,
        recovery: &Recovery,
        mut bad: impl FnMut(u32, u32) -> bool,
    ) -> Self {
        let stripes = recovery.log_blocks_per_way;
        let mut blocks = Vec::with_capacity((geometry.dies() * stripes) as usize);
        for die in 0..geometry.dies() {
            let good = (0..geometry.blocks_per_way).filter(|&block| !bad(die, block));
            blocks.extend(good.take(stripes as usize));
        }
        assert_eq!(blocks.len(), blocks.capacity(), "every way has good blocks for the log");
        Area { geometry, stripes, conditions: alloc::vec![Condition::Used; blocks.len()], blocks }
    }

    /// Whether a block is one of the log.
    pub fn contains(&self, die: u32, block: u32) -> bool {
        self.stripe_of(die, block).is_some()
    }

    /// The stripe that a block is in.
    pub fn stripe_of(&self, die: u32, block: u32) -> Option<u32> {
        let first = (die * self.stripes) as usize;
        let of_way = &self.blocks[first..first + self.stripes as usize];
        of_way.iter().position(|&own| own == block).map(|nth| nth as u32)
    }

    /// Number of stripes, each of which has a block of every way.
    pub fn stripes(&self) -> u32 {
        self.stripes
    }

    /// Pages that a stripe holds, those of its blocks of all ways together.
    pub fn stripe_pages(&self) -> u64 {
        u64::from(self.geometry.dies()) * u64::from(self.geometry.pages_per_block)
    }

    /// Pages of the log.
    pub fn pages(&self) -> u64 {
        self.stripe_pages() * u64::from(self.stripes)
    }

    /// The stripe of a position.
    pub fn stripe(&self, position: u64) -> u32 {
        (position / self.stripe_pages() % u64::from(self.stripes)) as u32
    }

    /// The page of a position.
    pub fn page(&self, position: u64) -> Page {
        let in_stripe = position % self.stripe_pages();
        let dies = u64::from(self.geometry.dies());
        let (die, page) = ((in_stripe % dies) as u32, (in_stripe / dies) as u32);
        let block = self.block(die, self.stripe(position));
        Page { die, row: block * self.geometry.pages_per_block + page }
    }

    /// The block of a way in a stripe.
    pub fn block(&self, die: u32, stripe: u32) -> u32 {
        self.blocks[(die * self.stripes + stripe) as usize]
    }

    /// Whether a block can be written.
    pub fn condition(&self, die: u32, stripe: u32) -> Condition {
        self.conditions[(die * self.stripes + stripe) as usize]
    }

    /// Notes it.
    pub fn set_condition(&mut self, die: u32, stripe: u32, condition: Condition) {
        self.conditions[(die * self.stripes + stripe) as usize] = condition;
    }

    /// A stripe was written to its end.
    pub fn leave(&mut self, stripe: u32) {
        for die in 0..self.dies() {
            let is_left = match self.condition(die, stripe) {
                Condition::Ready => true,
                Condition::PassedOver => !is_planted(Bug::FailedLogBlockLeftOut),
                Condition::Used | Condition::Wiping => false,
            };
            if is_left {
                self.set_condition(die, stripe, Condition::Used);
            }
        }
    }

    /// The erase of a block of a stripe failed, which is passed over then. If no other block of the stripe is left, all
    /// are to be erased again: true.
    pub fn erase_failed(&mut self, die: u32, stripe: u32) -> bool {
        self.set_condition(die, stripe, Condition::PassedOver);
        let all = (0..self.dies()).all(|die| self.condition(die, stripe) == Condition::PassedOver);
        let again = all && !is_planted(Bug::FailedLogBlockLeftOut);
        if again {
            self.leave(stripe);
        }
        again
    }

    /// Ways.
    pub fn dies(&self) -> u32 {
        self.geometry.dies()
    }

    /// Pages a block.
    pub fn rows(&self) -> u32 {
        self.geometry.pages_per_block
    }
}
