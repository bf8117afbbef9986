//! What lets a page be programmed that was not to be, or below one.

use super::{Blocks, Pages, Place};
use crate::array::Astray;
use crate::Prior;

impl<P: Prior> Blocks<P> {
    /// The page that a program goes to which is to go to another; `None` if it is the same, or there is none.
    pub fn beside(&self, at: Place, astray: Astray) -> Option<Place> {
        let (pages, blocks) = (self.geometry.pages_per_block, self.geometry.blocks_per_way);
        let own = at.row / pages;
        let row = match astray {
            Astray::Nowhere => return None,
            Astray::Page(further) => {
                let page = at.page.checked_add_signed(further).filter(|&page| page < pages)?;
                own * pages + page
            }
            Astray::Block(further) => (own + further % blocks) % blocks * pages + at.page,
        };
        (row != at.row).then(|| self.place(at.die, row))
    }

    /// A page that is not erased was programmed once more: it holds nothing that can be read.
    pub fn spoil(&mut self, at: Place) {
        if matches!(self.states.of(at.block).pages, Pages::Prior) {
            self.adopt(at);
        }
        self.tear(at);
    }

    /// Lets a page be programmed as if none behind it had been; those keep what they hold. Returns how far the block was
    /// programmed.
    pub fn go_back(&mut self, at: Place) -> u32 {
        let state = self.states.of_mut(at.block);
        let programmed = state.next;
        state.next = programmed.min(at.page);
        programmed
    }

    /// A block is programmed at least so far.
    #[inline]
    pub fn reach(&mut self, block: usize, programmed: u32) {
        if programmed > 0 {
            let state = self.states.of_mut(block);
            state.next = state.next.max(programmed);
        }
    }
}
