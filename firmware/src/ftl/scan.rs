//! What a drive without a table of bad blocks does first: it looks for the factory's mark in the first page of each
//! block, one block of every way at a time.
//!
//! A drive that keeps a log looks no further than for what log and save area are in: the log's snapshots say what all
//! other blocks are for. Where they do not, as on a new drive, all blocks are looked at, and finding the map begins
//! anew: nothing was written before. What is in marked blocks is never written, so the marks are there for good.

use alloc::vec::Vec;
use contract::{BufferId, Configuration, Hardware};

use super::layout::{Known, Layout};
use super::{Ftl, Ports};
use crate::operations::{Ended, Operation, Owner, Page, Task};

/// How far the marks of a way are known.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Way {
    /// The block to be looked at next.
    next: u32,
    /// Blocks without a mark before it.
    good: u32,
    is_read: bool,
}

/// A look for marks, and what it has found.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Scan {
    config: Configuration,
    ways: Vec<Way>,
    /// By block, counted over all ways.
    marked: Vec<bool>,
    /// Blocks without a mark that are enough of a way; `u32::MAX` if all blocks are to be looked at.
    enough: u32,
    /// Entries of the data buffer that can be read to: nothing else is in it before the drive is ready.
    free: Vec<BufferId>,
    is_over: bool,
}

impl Scan {
    /// Of a drive that knows nothing yet.
    pub fn new(config: &Configuration) -> Self {
        let g = config.geometry;
        let log = config.recovery.map(|recovery| recovery.log_blocks_per_way);
        let save = config.reserve.map_or(0, |reserve| reserve.blocks_per_way);
        Scan {
            ways: alloc::vec![Way::default(); g.dies() as usize],
            marked: alloc::vec![false; (g.dies() * g.blocks_per_way) as usize],
            enough: log.map_or(u32::MAX, |log| log + save),
            free: (0..config.buffer_entries.min(g.dies())).map(BufferId).collect(),
            config: config.clone(),
            is_over: false,
        }
    }

    /// The block of a way that is to be looked at next.
    fn next(&self, way: &Way) -> Option<u32> {
        let is_next = way.good < self.enough && way.next < self.config.geometry.blocks_per_way;
        is_next.then_some(way.next)
    }

    /// What follows from the marks.
    fn layout(&self) -> Layout {
        let known = if self.enough == u32::MAX { Known::All } else { Known::Areas };
        let per_way = self.config.geometry.blocks_per_way;
        Layout::new(&self.config, known, |die, block| self.marked[(die * per_way + block) as usize])
    }
}

impl Ftl {
    /// Whether blocks are looked at, before which nothing else is done.
    pub(super) fn is_scanning(&self) -> bool {
        self.scan.as_ref().is_some_and(|scan| !scan.is_over)
    }

    /// Looks at the next block of each way. True when something was done.
    pub(super) fn look_for_marks(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(scan) = &mut self.scan else { return false };
        let (mut busy, mut left) = (false, false);
        for die in 0..scan.config.geometry.dies() {
            let way = scan.ways[die as usize];
            let block = scan.next(&way);
            left |= way.is_read || block.is_some();
            let Some(block) = block.filter(|_| !way.is_read) else { continue };
            let Some(entry) = scan.free.pop() else { continue };
            scan.ways[die as usize].is_read = true;
            let row = block * scan.config.geometry.pages_per_block;
            let task = Task::Mark { entry, retries: 0 };
            let op = Operation::flash(Owner::Drive, Page { die, row }, task);
            let id = ports.station.reserve(ports.hw, op);
            id.released(ports.hw, None);
            ports.station.release(id);
            busy = true;
        }
        if !left {
            scan.is_over = true;
            let layout = scan.layout();
            self.lay_out(layout);
            busy = true;
        }
        busy
    }

    /// The first page of a block was read. A chip that tells nothing is found out by those who use the block.
    pub(super) fn mark_read(
        &mut self,
        hw: &mut impl Hardware,
        (page, entry): (Page, BufferId),
        ended: Ended,
    ) {
        let Some(scan) = &mut self.scan else { return };
        let g = scan.config.geometry;
        let is_marked = ended == Ended::Well && hw.factory_mark(entry);
        let block = page.die * g.blocks_per_way + g.block_of(page.row);
        scan.marked[block as usize] = is_marked;
        scan.free.push(entry);
        let way = &mut scan.ways[page.die as usize];
        way.is_read = false;
        way.next += 1;
        way.good += u32::from(!is_marked);
        self.counters.marks_read += 1;
    }

    /// The log does not say what all blocks are for: they are looked at.
    pub(super) fn look_at_all(&mut self) {
        let scan = self.scan.as_mut().expect("the drive has looked for its log");
        (scan.enough, scan.is_over) = (u32::MAX, false);
    }

    /// The drive is brought into a state by which it has been in use: it has a table.
    pub(crate) fn take_table(&mut self, bad: impl FnMut(u32, u32) -> bool) {
        if let Some(scan) = self.scan.take() {
            self.lay_out(Layout::new(&scan.config, Known::All, bad));
        }
    }

    /// Takes what depends on which blocks are bad, and goes on with what is known of the drive's past.
    fn lay_out(&mut self, layout: Layout) {
        let Layout { mut log, save, translator } = layout;
        if let (Some(new), Some(old)) = (&mut log, &mut self.log) {
            new.counters = old.counters;
            core::mem::swap(&mut new.past, &mut old.past);
        }
        (self.log, self.save, self.translator) = (log, save, translator);
    }
}
