//! Exercise 3, surviving a power cut: all pages that were programmed are read, and the newest of each logical page is in the map.

use crate::io::{Job, Task};
use crate::Store;
use alloc::{vec, vec::Vec};
use contract::{FlashOperation, Hardware, Metadata, PageKind, Work};

/// A search for the map.
pub struct Search {
    /// The block that the next free job looks at.
    next: usize,
    /// By logical page: the number of its newest flash page that was found, 0 if none was.
    newest: Vec<u64>,
}

impl Search {
    pub fn new(logical_pages: usize) -> Self {
        Search { next: 0, newest: vec![0; logical_pages] }
    }
}

impl Store {
    /// Gives blocks to jobs, and ends the search when all were looked at.
    pub fn recover(&mut self, hw: &mut impl Hardware) -> bool {
        let Some(Search { next, .. }) = self.search else { return false };
        if next == 0 {
            self.blocks.unknown();
        }
        let Some(nth) = self.jobs.iter().position(Option::is_none) else { return false };
        if let Some(block) = (next..self.blocks.count()).find(|&nth| !self.blocks.is_bad_block(nth))
        {
            hw.work(Work::Scan);
            self.search.iter_mut().for_each(|search| search.next = block + 1);
            self.jobs[nth] = Some(Job::new(Task::Look, 0));
            self.on_flash(nth, self.blocks.page(block, 0), FlashOperation::ReadTrigger);
            return true;
        }
        if self.jobs.iter().any(Option::is_some) {
            return false;
        }
        for &page in self.map.iter().filter(|&&page| page > 0) {
            self.blocks.add_page(page - 1);
        }
        self.search = None;
        true
    }

    /// Takes in what a page says, and goes on with the next one of its block.
    pub fn looked_at(&mut self, nth: usize, is_well: bool, said: Option<Metadata>) {
        let page = self.job(nth).page;
        let (block, place) = (self.blocks.block_of(page), self.blocks.nth(page));
        // An erased page can be read and says nothing; so are those behind it. One that was cut off cannot be read.
        if is_well && said.is_none() {
            self.jobs[nth] = None;
            return self.blocks.found(block, place);
        }
        if let Some(said) = said.filter(|said| said.kind == PageKind::Data) {
            self.note(page, said);
        }
        if place + 1 == self.geometry.pages_per_block {
            self.jobs[nth] = None;
            return self.blocks.found(block, place + 1);
        }
        self.on_flash(nth, self.blocks.page(block, place + 1), FlashOperation::ReadTrigger);
    }

    /// A page has data. Of two with the same number, one was moved: they have the same data.
    fn note(&mut self, page: u32, said: Metadata) {
        let Some(search) = &mut self.search else { return };
        self.version = self.version.max(said.sequence);
        for (lpn, _) in said.lpns.iter() {
            let Some(newest) = search.newest.get_mut(lpn.0 as usize) else { continue };
            if said.sequence > *newest {
                *newest = said.sequence;
                self.map[lpn.0 as usize] = page + 1;
            }
        }
    }
}
