//! Work ahead of need: what a drive does for the writes to come while it has nothing better to do.
//!
//! The least recently used entries of the data buffer are programmed before somebody needs them, and
//! ways are collected before they run out of pages. There is no timer: whatever can be done is done,
//! a little a turn of the main loop, so that a command that comes in meanwhile never waits for more
//! than an operation on its way. When every mark is reached the drive is at rest.

use contract::Hardware;

use super::buffer::{Buffer, Freshness};
use super::depend::Adder;
use super::operate::Sake;
use super::slice::Lane;
use super::turn::SLICES_KEPT_AHEAD;
use super::{Ftl, Ports};

/// Pages that a turn moves at most.
const MOVES_A_TURN: u32 = 2;

/// What came of looking at the oldest entry that did not count as clean.
enum Cleaned {
    /// It was.
    Already,
    /// It was dirty, and its program is planned.
    Begun,
    /// It is dirty and cannot be programmed yet, or there is none.
    Not,
}

impl Ftl {
    /// Does a little ahead of need, once the commands have what they asked for. True when something
    /// was done.
    pub fn work_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        // Commands that move data come first: to the processor, to the pool, and to each way.
        let room = ports.station.pool.free_count() >= SLICES_KEPT_AHEAD * self.slice_operations;
        if self.read_only || self.commands.has(Lane::Data) || !room {
            return false;
        }
        let mut busy = self.flush_ahead(ports);
        for _ in 0..MOVES_A_TURN {
            if !self.collect_ahead(ports) {
                break;
            }
            busy = true;
        }
        busy
    }

    /// Programs the oldest dirty entry, unless enough of the oldest are clean.
    fn flush_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        self.flush_oldest_until(ports, |buffer, kept| buffer.ready() >= kept)
    }

    /// Programs the oldest dirty entry. False where its data may still be on their way, or none is dirty.
    pub(super) fn flush_oldest(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        self.flush_oldest_until(ports, |_, _| false)
    }

    fn flush_oldest_until(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        enough: impl Fn(&Buffer, u32) -> bool,
    ) -> bool {
        while !enough(&self.buffer, self.clean_entries_kept) {
            match self.clean_oldest(ports) {
                Cleaned::Already => {}
                Cleaned::Begun => return true,
                Cleaned::Not => return false,
            }
        }
        false
    }

    /// Sees that the oldest entry that does not count as clean does.
    fn clean_oldest(&mut self, ports: &mut Ports<'_, impl Hardware>) -> Cleaned {
        let Some(entry) = self.buffer.frontier() else { return Cleaned::Not };
        let dirty = self.buffer.freshness(entry) == Freshness::Dirty;
        if dirty && self.buffer.tail(entry).is_some() {
            // Its data may still be on their way from the host.
            return Cleaned::Not;
        }
        self.buffer.count_ready();
        if !dirty {
            return Cleaned::Already;
        }
        self.program(ports, entry, Sake::Ahead);
        Cleaned::Begun
    }

    /// Does a step of collection on a way whose queue is empty.
    fn collect_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        self.translator.collect_ahead(&mut Adder {
            ports,
            buffer: &mut self.buffer,
            log: &mut self.log,
        })
    }
}
