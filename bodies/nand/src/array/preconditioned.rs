//! States that chips are brought into before a run, without the time that it takes.

use contract::{Lpn, Metadata, UnitState};

use super::{Array, Contents};
use crate::blocks::NewContent;
use crate::die::Register;
use crate::passage::Incoming;
use crate::spare::first_of;
use crate::Prior;

impl<P: Prior> Array<P> {
    /// Preconditioning: a page holds version 1 of the blocks of logical pages, its mapping units, at once and without
    /// fail.
    ///
    /// # Panics
    /// As [`Array::program`], or if a logical page is not in the namespace.
    pub fn hold(&mut self, die: u32, row: u32, lpns: &[Lpn]) {
        for lpn in lpns {
            assert!(lpn.0 < self.logical_pages, "{lpn:?} is not in the namespace");
        }
        let at = self.open(die, row);
        self.age_before(at.block);
        let units = lpns.iter().map(|&lpn| (lpn, UnitState::Kept)).collect();
        let metadata = Metadata { lpns: units, ..lpns[0].into() };
        let (blocks, lpns_in_order) = (&mut self.blocks, first_of(&metadata, self.units));
        match (lpns_in_order, &mut self.contents) {
            (Some(first), _) => blocks.program(at, NewContent::Regular(first)).fill(1),
            (None, Contents::Stamps(pages)) => pages.hold(blocks, (at, metadata)),
            (None, Contents::Bytes(pages)) => pages.hold(blocks, (at, metadata)),
        }
        self.blocks.set_metadata(at, Some(&metadata));
        self.keep_page(at);
    }

    /// A page of a block was there before the run.
    fn age_before(&mut self, block: usize) {
        if let Some(aging) = &mut self.aging {
            self.fold.blocks(block).for_each(|one| aging.hold(one));
        }
    }

    /// Preconditioning: a page of the drive's log is there, at once and without fail.
    ///
    /// # Panics
    /// As [`Array::program`].
    pub fn hold_log(&mut self, die: u32, row: u32, metadata: Metadata, bytes: &[u8]) {
        let at = self.open(die, row);
        self.age_before(at.block);
        let blocks = &mut self.blocks;
        let page = Incoming { at, metadata: &metadata, data: bytes };
        match &mut self.contents {
            Contents::Stamps(pages) => pages.program_log(blocks, page),
            Contents::Bytes(pages) => pages.program(blocks, page),
        }
        self.blocks.set_metadata(at, Some(&metadata));
        self.keep_page(at);
    }

    /// Preconditioning: a block is erased, at once and without fail; counts a cycle.
    ///
    /// # Panics
    /// As [`Array::erase`].
    pub fn wipe(&mut self, die: u32, block: u32) {
        let index = self.good(die, block);
        self.dies[die as usize].register = Register::default();
        self.clear(index);
    }

    /// Preconditioning: a block that holds what the prior says went through so many erases before.
    ///
    /// # Panics
    /// If the run has touched the block.
    pub fn wear_to(&mut self, die: u32, block: u32, erases: u32) {
        let index = self.blocks.index(die, block);
        self.blocks.set_cycles(index, erases);
        self.wear.reach_all(erases);
    }
}
