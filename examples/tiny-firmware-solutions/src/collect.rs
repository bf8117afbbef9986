//! Exercise 1, a collector: it moves the valid pages out of the block that has the fewest, and counts the block as free.

use crate::io::{Job, Stage, Task};
use crate::Store;
use alloc::{collections::VecDeque, vec, vec::Vec};
use contract::{FlashOperation, Geometry, Hardware, Metadata, Work};
use firmware::nvme::backend::IoOutcome;

/// All blocks of the flash: that of index n is block n / dies of die n % dies.
pub struct Blocks {
    geometry: Geometry,
    all: Vec<Block>,
    /// By die: blocks with nothing in them, and the page that is programmed next in the one that is filled now.
    free: Vec<VecDeque<usize>>,
    open: Vec<Option<u32>>,
    /// The die whose turn it is.
    turn: usize,
    /// Pages that can be programmed, in free and open blocks.
    room: u32,
    /// As many are kept for the collector: enough to move the pages of any block, and a page of each die, which a power cut spoils.
    kept: u32,
    /// The block that is emptied, and how many of its pages were looked at.
    victim: Option<(usize, u32)>,
    /// Nothing can be written any more.
    pub are_used_up: bool,
}

#[derive(Clone, Copy)]
struct Block {
    /// Pages that the map points to, or that are about to be programmed.
    valid: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
pub enum State {
    Free,
    Open,
    Full,
    Bad,
}

impl Blocks {
    pub fn new(geometry: Geometry, bad: impl Iterator<Item = bool>) -> Self {
        let state = |is_bad| if is_bad { State::Bad } else { State::Free };
        let all = bad.map(|is_bad| Block { valid: 0, state: state(is_bad) }).collect();
        let dies = geometry.dies() as usize;
        let (free, open) = (vec![VecDeque::new(); dies], vec![None; dies]);
        let kept = geometry.pages_per_block + geometry.dies();
        let (turn, room, victim, are_used_up) = (0, 0, None, false);
        let mut blocks =
            Blocks { geometry, all, free, open, turn, room, kept, victim, are_used_up };
        blocks.free_all();
        blocks
    }

    /// Nothing is in any block that is good.
    pub fn free_all(&mut self) {
        (self.room, self.victim) = (0, None);
        self.free.iter_mut().for_each(VecDeque::clear);
        self.open.fill(None);
        for nth in 0..self.all.len() {
            self.all[nth].valid = 0;
            if self.all[nth].state != State::Bad {
                self.set_free(nth);
            }
        }
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub fn block_of(&self, page: u32) -> usize {
        let dies = self.geometry.dies();
        (self.geometry.block_of(page / dies) * dies + page % dies) as usize
    }

    /// A page of a block.
    pub fn page(&self, block: usize, nth: u32) -> u32 {
        let (block, dies) = (block as u32, self.geometry.dies());
        (block / dies * self.geometry.pages_per_block + nth) * dies + block % dies
    }

    /// Which page of its block a page is.
    pub fn nth(&self, page: u32) -> u32 {
        page / self.geometry.dies() % self.geometry.pages_per_block
    }

    pub fn is_bad(&self, page: u32) -> bool {
        self.all[self.block_of(page)].state == State::Bad
    }

    pub fn is_bad_block(&self, block: usize) -> bool {
        self.all[block].state == State::Bad
    }

    fn set_free(&mut self, block: usize) {
        self.all[block].state = State::Free;
        self.room += self.geometry.pages_per_block;
        let die = block % self.free.len();
        self.free[die].push_back(block);
    }

    /// What recovery has found: a block whose pages from `first_free` on are erased.
    pub fn found(&mut self, block: usize, first_free: u32) {
        let die = block % self.free.len();
        let (page, left) =
            (self.page(block, first_free), self.geometry.pages_per_block - first_free);
        if first_free == 0 {
            return self.set_free(block);
        }
        self.all[block].state = State::Full;
        if left > 0 && self.open[die].is_none() {
            (self.all[block].state, self.open[die]) = (State::Open, Some(page));
            self.room += left;
        }
    }

    /// Nothing is known to be free until recovery has looked.
    pub fn unknown(&mut self) {
        self.room = 0;
        self.free.iter_mut().for_each(VecDeque::clear);
    }

    /// The page that is programmed next, and whether its block is to be erased before. The dies take turns, so that they work
    /// side by side. Only the collector gets the last pages.
    pub fn next_page(&mut self, is_move: bool) -> Option<(u32, bool)> {
        let pages = self.geometry.pages_per_block;
        if self.room <= if is_move { 0 } else { self.kept } {
            return None;
        }
        let dies = self.open.len();
        loop {
            let die = self.turn;
            self.turn = (self.turn + 1) % dies;
            if self.open[die].is_none() {
                let Some(block) = self.free[die].pop_front() else { continue };
                self.all[block].state = State::Open;
                self.open[die] = Some(self.page(block, 0));
            }
            let Some(page) = self.open[die] else { continue };
            let (block, nth) = (self.block_of(page), self.nth(page));
            (self.room, self.all[block].valid) = (self.room - 1, self.all[block].valid + 1);
            self.open[die] = (nth + 1 < pages).then(|| self.page(block, nth + 1));
            if self.open[die].is_none() {
                self.all[block].state = State::Full;
            }
            return Some((page, nth == 0));
        }
    }

    /// The map points to a page.
    pub fn add_page(&mut self, page: u32) {
        let block = self.block_of(page);
        self.all[block].valid += 1;
    }

    /// The map points to a page no more, or it will not be programmed.
    pub fn drop_page(&mut self, page: u32) {
        let block = self.block_of(page);
        self.all[block].valid -= 1;
    }

    /// The block of a page could not be erased, or the page not be programmed. What is in the block can be read.
    pub fn fail(&mut self, page: u32) {
        self.drop_page(page);
        let block = self.block_of(page);
        self.all[block].state = State::Bad;
        let die = block % self.open.len();
        if let Some(next) = self.open[die].filter(|&next| self.block_of(next) == block) {
            self.room -= self.geometry.pages_per_block - self.nth(next);
            self.open[die] = None;
        }
    }

    /// A free block is bad.
    fn take_out(&mut self, block: usize) {
        let die = block % self.free.len();
        self.free[die].retain(|&other| other != block);
        self.room -= self.geometry.pages_per_block;
        self.all[block].state = State::Bad;
    }

    /// All valid pages of a block were moved. If one could not be read, the block stays as it is.
    fn emptied(&mut self, block: usize) {
        match self.all[block] {
            Block { valid: 0, state: State::Full } => self.set_free(block),
            _ => self.all[block].state = State::Bad,
        }
    }

    /// The full block with the fewest valid pages, if it is worth it.
    fn choose(&self) -> Option<usize> {
        let full = self.all.iter().enumerate().filter(|(_, block)| block.state == State::Full);
        let (nth, block) = full.min_by_key(|(_, block)| block.valid)?;
        (block.valid < self.geometry.pages_per_block).then_some(nth)
    }
}

impl Store {
    /// Lets jobs that wait for a page have one, and moves the next page if room is short.
    pub fn collect(&mut self, hw: &mut impl Hardware) -> bool {
        let pages = self.geometry.pages_per_block;
        let own = self.jobs.len() - 1;
        let waits = |job: &Option<Job>| job.is_some_and(|job| job.stage == Stage::Homeless);
        let waiting = self.jobs.iter().position(waits);
        if let Some(nth) = waiting.filter(|_| self.blocks.room > self.blocks.kept) {
            self.place(hw, nth);
            return true;
        }
        if self.search.is_some() || self.jobs[own].is_some() {
            return self.jobs[own].is_some_and(|job| job.stage == Stage::Homeless)
                && self.give_up();
        }
        let Some((block, nth)) = self.blocks.victim else {
            if self.blocks.room >= self.blocks.kept + pages {
                return false;
            }
            hw.work(Work::Victim);
            self.blocks.victim = self.blocks.choose().map(|block| (block, 0));
            return self.blocks.victim.is_some() || self.give_up();
        };
        if nth == pages || self.blocks.all[block].valid == 0 {
            self.blocks.victim = None;
            self.blocks.emptied(block);
            return true;
        }
        hw.work(Work::Collect);
        self.blocks.victim = Some((block, nth + 1));
        let page = self.blocks.page(block, nth);
        self.jobs[own] = Some(Job::new(Task::Move(page), 0));
        self.on_flash(own, page, FlashOperation::ReadTrigger);
        true
    }

    /// A page of the victim is in the buffer. It is moved if it is valid.
    pub fn read_to_move(&mut self, hw: &mut impl Hardware, nth: usize, said: Option<Metadata>) {
        let page = self.job(nth).page;
        let lpn = said.and_then(|said| said.lpns.iter().next()).map(|(lpn, _)| lpn.0);
        match lpn.filter(|&lpn| self.map.get(lpn as usize) == Some(&(page + 1))) {
            Some(lpn) => {
                self.job(nth).lpn = lpn;
                self.place(hw, nth);
            }
            None => self.jobs[nth] = None,
        }
    }

    /// No block can be emptied. If that will not change, what waits for a page fails.
    fn give_up(&mut self) -> bool {
        if self.queues.iter().any(|queue| !queue.is_empty()) {
            return false;
        }
        let mut changed = false;
        for nth in 0..self.jobs.len() {
            let Some(job) = self.jobs[nth].filter(|job| job.stage == Stage::Homeless) else {
                continue;
            };
            self.cache.has_lost |= job.slice.is_none();
            self.blocks.are_used_up = true;
            self.end_slice(nth, IoOutcome::ReadOnly);
            self.jobs[nth] = None;
            changed = true;
        }
        changed
    }

    /// All data are to be gone, after a power cut too: all good blocks are erased.
    pub fn forget_all(&mut self) {
        self.map.fill(0);
        self.blocks.free_all();
        self.blocks.are_used_up = false;
        self.wipe_from(0, 0);
    }

    /// A job erases the next good block, if there is one.
    fn wipe_from(&mut self, nth: usize, block: usize) {
        let next = (block..self.blocks.count()).find(|&block| !self.blocks.is_bad_block(block));
        self.jobs[nth] = next.map(|_| Job::new(Task::Wipe, 0));
        if let Some(block) = next {
            self.on_flash(nth, self.blocks.page(block, 0), FlashOperation::Erase);
        }
    }

    /// A block was erased, or could not be.
    pub fn wiped(&mut self, nth: usize, is_well: bool) {
        let page = self.job(nth).page;
        let block = self.blocks.block_of(page);
        if !is_well {
            self.blocks.take_out(block);
        }
        self.wipe_from(nth, block + 1);
    }
}
