//! Which blocks are bad from the factory, and the rule that they are neither programmed nor erased.

use super::Array;
use crate::blocks::Place;
use crate::die::Register;
use crate::Prior;

impl<P: Prior> Array<P> {
    /// Whether a block was bad when the chip was made: a function of the seed and the block alone. Of planes that act
    /// together, the block of one is enough.
    pub fn factory_bad(&self, die: u32, block: u32) -> bool {
        self.is_bad(self.blocks.index(die, block))
    }

    #[inline]
    pub(super) fn is_bad(&self, block: usize) -> bool {
        self.fold.blocks(block).any(|one| self.failures.factory_bad(one))
    }

    /// The place of a page about to be programmed. The page register is lost.
    #[inline]
    pub(super) fn open(&mut self, die: u32, row: u32) -> Place {
        let at = self.blocks.place(die, row);
        self.dies[die as usize].register = Register::default();
        if self.blocks.is_untouched(at.block) {
            assert!(
                !self.is_bad(at.block),
                "die {die}, row {row}: program in a block that is bad from the factory"
            );
        }
        at
    }

    /// The index of a block about to be erased.
    pub(super) fn good(&self, die: u32, block: u32) -> usize {
        let index = self.blocks.index(die, block);
        assert!(
            !self.is_bad(index),
            "die {die}, block {block}: erase of a block that is bad from the factory"
        );
        index
    }
}
