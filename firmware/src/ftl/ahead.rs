//! Work ahead of need: what a drive does for the writes to come while it has nothing better to do.
//!
//! The least recently used entries of the data buffer are programmed before somebody needs them, and
//! ways are collected before they run out of pages. There is no timer: whatever can be done is done,
//! a little a turn of the main loop, so that a command that comes in meanwhile never waits for more
//! than an operation on its way. When every mark is reached the drive is at rest.

use contract::Hardware;

use super::buffer::Freshness;
use super::depend::Adder;
use super::log::Log;
use super::program::Sake;
use super::sizes::SLICES_KEPT_AHEAD;
use super::slice::Lane;
use super::{Ftl, Ports};
use crate::planted::{is_planted, Bug};

/// Pages that a turn moves at most.
const MOVES_A_TURN: u32 = 2;

impl Ftl {
    /// Does a little ahead of need, once the commands have what they asked for. True when something
    /// was done.
    pub fn work_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        // Commands that move data come first: to the processor, to the pool, and to each way.
        let room = ports.station.pool.free_count() >= SLICES_KEPT_AHEAD * self.slice_operations;
        // A map of which only some is to be in memory leaves it as flash has it: nothing moves before. What moves is
        // recorded, so nothing moves while snapshots are behind either.
        let ahead = |log: &Log| log.has_room() || is_planted(Bug::ShortLogMovedOn);
        let may_move = self.log.as_ref().is_none_or(|log| log.is_ready() && ahead(log));
        let room = room && may_move && self.has_room_for_changes();
        if self.read_only || self.commands.has(Lane::Data) || !room {
            return false;
        }
        let mut busy = self.flush_ahead(ports, self.clean_entries_kept);
        for _ in 0..MOVES_A_TURN {
            if !self.collect_ahead(ports) {
                break;
            }
            busy = true;
        }
        busy
    }

    /// Programs the oldest dirty entry. False where its data may still be on their way, or none is dirty.
    pub(super) fn flush_oldest(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        self.flush_ahead(ports, u32::MAX)
    }

    /// Programs the oldest dirty entry, unless so many of the oldest are clean.
    fn flush_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>, clean: u32) -> bool {
        while self.buffer.ready() < clean {
            let Some(entry) = self.buffer.frontier() else { return false };
            let dirty = self.buffer.freshness(entry) == Freshness::Dirty;
            if dirty && self.buffer.tail(entry).is_some() {
                // Its data may still be on their way from the host.
                return false;
            }
            // Other dirty entries are still to come for its page, unless it is about to be in the way.
            let fills_page = self.buffer.dirty() >= self.translator.units_per_page();
            if dirty && !fills_page && self.buffer.ready() > 0 {
                return false;
            }
            self.buffer.count_ready();
            if dirty {
                self.program(ports, &[entry], Sake::Ahead);
                return true;
            }
        }
        false
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
