//! What of the map has to be in memory before a slice is cut, where not all of it is.
//!
//! Nothing is planned before: whatever plans finds the entries that it looks up. A slice needs the entry of its own logical
//! page, and keeps it while its buffer entry is dirty. Commands that come next have theirs brought meanwhile.

use contract::{BufferId, Cause, Hardware, Lpn};

use super::buffer::Freshness;
use super::slice::{Lane, Slice};
use super::{Ftl, Ports};
use crate::nvme::backend::Durability;

impl Ftl {
    /// Whether the changes that slices plan have room beside the map's parts.
    pub(super) fn has_room_for_changes(&mut self) -> bool {
        let needed = 3 * self.slice_operations + self.changes_kept;
        self.translator.map.paged().is_none_or(|paged| paged.changes.left() >= needed)
    }

    /// Whether the map knows what the next slice of a lane needs; if not, that is being brought. Has what the slices of
    /// the commands behind it need brought too.
    pub(super) fn makes_known(&mut self, ports: &mut Ports<'_, impl Hardware>, lane: Lane) -> bool {
        if self.translator.map.is_whole() {
            return true;
        }
        let Some(slice) = self.commands.next_slice(lane, 0) else { return true };
        if !self.needs_map(&slice) {
            return true;
        }
        let is_known = self.translator.map.knows(slice.lpn);
        if !is_known {
            if !self.commands.has_waited_for_map(slice.tag) {
                self.counters.map_misses += 1;
                self.commands.wait_for_map(slice.tag, true);
            }
            self.bring(ports, slice.lpn);
            self.bring_ahead(ports, lane);
            // One without data is there at once.
            if !self.translator.map.knows(slice.lpn) {
                return false;
            }
        }
        if self.commands.has_waited_for_map(slice.tag) {
            ports.hw.waited(slice.tag, Cause::Map);
            self.commands.wait_for_map(slice.tag, false);
        } else {
            self.counters.map_hits += 1;
        }
        if let (Some(log), Some(paged)) = (&self.log, self.translator.map.paged()) {
            paged.touch(log.parts.of_page(slice.lpn.0));
        }
        true
    }

    /// Has brought what the slices need that come behind the first of a lane.
    fn bring_ahead(&mut self, ports: &mut Ports<'_, impl Hardware>, lane: Lane) {
        let at_once = self.log.as_ref().map_or(0, |log| log.loads.at_once());
        for nth in 1..=at_once as usize {
            let Some(slice) = self.commands.next_slice(lane, nth) else { return };
            let is_there = self.translator.map.knows(slice.lpn) || !self.needs_map(&slice);
            if is_there || self.commands.has_waited_for_map(slice.tag) {
                continue;
            }
            if self.bring(ports, slice.lpn) {
                self.counters.map_misses += 1;
                self.commands.wait_for_map(slice.tag, true);
            }
        }
    }

    fn bring(&mut self, ports: &mut Ports<'_, impl Hardware>, lpn: Lpn) -> bool {
        let Some(log) = &mut self.log else { return false };
        let part = log.parts.of_page(lpn.0);
        log.want(ports, &mut self.translator.map, part)
    }

    /// Whether a slice looks its logical page up. What it writes over as a whole is looked up too: that is where its data
    /// are no more.
    fn needs_map(&self, slice: &Slice) -> bool {
        let in_buffer = self.buffer.find(slice.lpn).is_some_and(|entry| {
            let touched = self.buffer.division().touched(slice.span);
            self.buffer.missing(entry, touched).is_empty()
        });
        !(slice.kind.reads() && in_buffer && slice.durability != Durability::Durable)
    }

    /// A buffer entry turns dirty or clean: while it is dirty, the map knows where its data were.
    pub(super) fn set_freshness(&mut self, entry: BufferId, lpn: Lpn, freshness: Freshness) {
        let before = self.buffer.freshness(entry);
        self.buffer.set_freshness(entry, freshness);
        match (before, freshness) {
            (Freshness::Clean, Freshness::Dirty) => self.translator.map.pin(lpn),
            (Freshness::Dirty, Freshness::Clean) => self.translator.map.unpin(lpn),
            _ => {}
        }
    }
}
