//! Refresh: data whose bits go wrong are written anew before there are more wrong bits than ECC corrects.
//!
//! A read that had to correct many bits of a chunk makes the superblock of its page due. It is collected next,
//! whatever it holds. Data that nobody reads are read by the *patrol* while commands are under way: one page of one
//! superblock at a time, superblock after superblock, since all pages of a block have been there for about as long and are disturbed alike.

use alloc::vec::Vec;
use contract::{Configuration, Hardware, Instant};

use super::blocks::{Blocks, Role, Stream};
use super::collect::next_valid;
use super::depend::Adder;
use super::translate::Translator;
use super::turn::SLICES_KEPT_AHEAD;
use super::{Ftl, Ports};
use crate::operations::{Operation, Owner, Page};

/// Superblocks that a step of the patrol passes over at most: they hold no data.
const PASSED_OVER: u32 = 16;

/// What is to be written anew.
#[derive(Clone, Debug)]
pub(crate) struct Refresh {
    /// Superblocks that are due, and how many of each way.
    due: Vec<bool>,
    counts: Vec<u32>,
    /// The last collection of a way was for this: the next one is for room.
    rests: Vec<bool>,
    /// Superblocks collected for this.
    pub done: u64,
}

/// Reads what nobody else reads.
#[derive(Debug)]
pub(super) struct Patrol {
    /// From one page to the next; zero where there is no patrol.
    interval_ps: u64,
    next_at: Instant,
    /// The superblock whose turn it is, counted over all ways.
    superblock: u32,
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
                let open = Stream::ALL.iter().filter_map(open).find(|&open| is_due(open))?;
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

impl Patrol {
    /// The patrol of a board.
    pub fn new(config: &Configuration) -> Self {
        let interval_ps = config.refresh.patrol_interval.as_ps();
        Patrol { interval_ps, next_at: Instant::from_ps(interval_ps), superblock: 0 }
    }

    /// The next superblock with data: its way and itself.
    fn next(&mut self, translator: &Translator) -> Option<(u32, u32)> {
        let blocks = translator.blocks();
        let per_way = blocks.superblocks_per_way();
        let all = per_way * translator.geometry().dies();
        for _ in 0..PASSED_OVER.min(all) {
            let (die, superblock) = (self.superblock / per_way, self.superblock % per_way);
            self.superblock = (self.superblock + 1) % all;
            let is_used = matches!(blocks.of(die, superblock).role, Role::Open | Role::Closed);
            if is_used && blocks.valid(die, superblock) > 0 {
                return Some((die, superblock));
            }
        }
        None
    }
}

impl Ftl {
    /// Takes in what reads found, and reads the patrol's next page if its time has come. True when that was done.
    pub(super) fn keep_fresh(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        while let Some(page) = ports.station.met.next_weak() {
            self.translator.note_weak(page);
        }
        // A drive at rest would never come to rest: the patrol waits for a command to come.
        if self.patrol.interval_ps == 0 || self.commands.under_way() == 0 {
            return false;
        }
        let now = ports.hw.now();
        let room = ports.station.pool.free_count() >= SLICES_KEPT_AHEAD * self.slice_operations;
        if now < self.patrol.next_at || !room {
            return false;
        }
        self.patrol.next_at = Instant::from_ps(now.as_ps() + self.patrol.interval_ps);
        let Some((die, superblock)) = self.patrol.next(&self.translator) else { return false };
        let (lpn, place, _) = next_valid(&self.translator, die, (superblock, 0));
        let entry = self.buffer.move_entry(die, 0);
        let part = ports.station.read_part(place.unit, ports.station.unit());
        let read = Operation::read(Owner::Drive, place, (entry, lpn, part));
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(read);
        self.counters.patrol_reads += 1;
        true
    }
}
