//! Reads that are done while the chip of their way suspends a program or an erase.
//!
//! The operation that is suspended stays the first of its way. A read that overtakes it, and what waits before it, is taken out
//! of the queue and stands [aside](Station::current) until it is done. It may not read what any of those changes.

use contract::{Hardware, OperationStep};

use super::{Flash, OpId, Page, Station, Task};

impl Station {
    /// The operation of a way that is being done: a read aside, or the first.
    #[inline]
    pub fn current(&self, die: u32) -> Option<OpId> {
        self.aside[die as usize].or_else(|| self.first(die))
    }

    /// Whether the first operation of a way, which the array of the chip is about, may be suspended, and for what.
    pub fn is_to_suspend(&self, die: u32) -> bool {
        let first = self.first(die).and_then(|id| self.pool[id].on_flash());
        let may_be = first.is_some_and(|flash| {
            self.suspended[die as usize] < self.suspends && self.is_of_array(flash)
        });
        may_be && self.overtaking(die).is_some()
    }

    /// The chip of a way is told to suspend the first operation.
    pub fn note_suspended(&mut self, die: u32) {
        self.suspended[die as usize] += 1;
    }

    /// Whether firmware and chips suspend at all.
    #[inline]
    pub fn suspends(&self) -> bool {
        self.suspends > 0
    }

    /// Whether the array programs or erases in the turn that an operation is in. With a flash page that others of its word
    /// line follow it only comes in.
    fn is_of_array(&self, flash: &Flash) -> bool {
        match flash.task {
            Task::Program { .. } | Task::Log { .. } => {
                let flash_pages = self.programming.flash_pages;
                (u32::from(flash.turns.done) + 1) % flash_pages == 0
            }
            Task::Erase | Task::Wipe => true,
            Task::Read { .. } | Task::Probe { .. } | Task::Mark { .. } => false,
        }
    }

    /// Takes the next read that overtakes what waits for a way, to be done at once.
    pub fn take_aside(&mut self, hw: &mut impl Hardware, die: u32) -> Option<OpId> {
        let id = self.overtaking(die)?;
        self.pool.take_out(&mut self.ways[die as usize], id);
        self.aside[die as usize] = Some(id);
        id.step(hw, OperationStep::First { die });
        Some(id)
    }

    /// The first read of a way that may begin, and whose page nothing before it changes.
    fn overtaking(&self, die: u32) -> Option<OpId> {
        let is_read = |&id: &OpId| {
            let flash = self.pool[id].on_flash();
            flash.is_some_and(|flash| matches!(flash.task, Task::Read { .. }))
                && self.pool.is_released(id)
        };
        self.all_queued(die).filter(is_read).find(|&id| {
            let Some(&Flash { page, .. }) = self.pool[id].on_flash() else { return false };
            self.all_queued(die).take_while(|&before| before != id).all(|before| {
                let before = self.pool[before].on_flash();
                before.is_none_or(|before| !self.changes(before, page))
            })
        })
    }

    /// Whether an operation changes what a page of its way holds.
    fn changes(&self, flash: &Flash, page: Page) -> bool {
        let block = |row: u32| self.geometry.block_of(row);
        match flash.task {
            Task::Program { .. } | Task::Log { .. } => flash.page.row == page.row,
            Task::Erase | Task::Wipe => block(flash.page.row) == block(page.row),
            Task::Read { .. } | Task::Probe { .. } | Task::Mark { .. } => false,
        }
    }
}
