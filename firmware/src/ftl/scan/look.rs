//! The look for marks itself, and what the FTL takes from it.

use contract::{BufferId, Hardware};

use crate::ftl::layout::{Known, Layout};
use crate::ftl::{Ftl, Ports};
use crate::operations::{Ended, Operation, Owner, Page, Task};

impl Ftl {
    /// Whether blocks are looked at, before which nothing else is done.
    pub(in crate::ftl) fn is_scanning(&self) -> bool {
        self.scan.as_ref().is_some_and(|scan| !scan.is_over)
    }

    /// Looks at the next block of each way. True when something was done.
    pub(in crate::ftl) fn look_for_marks(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
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
    pub(in crate::ftl) fn mark_read(
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
    pub(in crate::ftl) fn look_at_all(&mut self) {
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
