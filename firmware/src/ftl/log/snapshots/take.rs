//! How snapshots are taken: which part is next, and what a page of it holds.

use contract::{BufferId, Hardware, Lpn, Lpns, PageKind, Work};

use super::{Snapshots, State, Taken};
use crate::ftl::log::holds::Waiter;
use crate::ftl::log::page::{put_blocks, put_map, BlockEntry, Time};
use crate::ftl::log::{Log, Tables};
use crate::ftl::map::Map;
use crate::ftl::Ports;
use crate::planted::{is_planted, Bug};

impl Log {
    /// Takes snapshots that are due, and writes those that can be. True when something was done.
    pub(in crate::ftl::log) fn take_snapshots(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tables: &mut Tables<'_>,
    ) -> bool {
        let mut busy = false;
        if self.snapshots.taken.is_empty() {
            if tables.map.is_whole() {
                self.choose_in_turn();
            } else {
                busy |= self.choose_of_paged(ports, tables.map);
            }
            if !self.snapshots.taken.is_empty() {
                self.snapshots.stale = true;
                self.snapshots.released = true;
                busy = true;
            }
        }
        if self.snapshots.taken.is_empty() || !self.snapshots.released {
            return busy;
        }
        if core::mem::take(&mut self.snapshots.stale) {
            for nth in 0..self.snapshots.taken.len() {
                if self.snapshots.taken[nth].state == State::Waits {
                    self.snapshots.taken[nth].since = self.position();
                    self.take(ports.hw, nth, tables);
                }
            }
            let waits = self.holds.wait_for_programs(Waiter::Snapshots);
            self.snapshots.released = !waits || is_planted(Bug::SnapshotTooEarly);
            return true;
        }
        for nth in 0..self.snapshots.taken.len() {
            let Taken { part, state, .. } = self.snapshots.taken[nth];
            let entry = BufferId(self.snapshots.first_entry + nth as u32);
            if state != State::Waits {
                continue;
            }
            if self.write(ports, (entry, PageKind::Snapshot, Lpns::one(Lpn(part)))).is_none() {
                return busy;
            }
            self.snapshots.taken[nth].state = State::UnderWay;
            busy = true;
        }
        busy
    }

    /// Chooses the next parts in turn, or those that were asked for.
    fn choose_in_turn(&mut self) {
        let Snapshots { at_once, parts, .. } = self.snapshots;
        while let Some(part) = self.snapshots.forced.pop() {
            self.snapshots.add(part, false);
            if self.snapshots.taken.len() == at_once as usize {
                return;
            }
        }
        if !self.snapshots.taken.is_empty() {
            return;
        }
        let count = self.snapshots.due.min(at_once);
        self.snapshots.due -= count;
        for _ in 0..count {
            let part = self.snapshots.cursor;
            self.snapshots.cursor = (part + 1) % parts;
            self.snapshots.add(part, false);
        }
    }

    /// Chooses parts of a map that is in memory in part: those that need the most of the log, as many as are due, and those
    /// that are to leave memory. Parts that have to come to memory for that are wanted. True when one was.
    fn choose_of_paged(&mut self, ports: &mut Ports<'_, impl Hardware>, map: &mut Map) -> bool {
        let mut busy = false;
        self.snapshots.choose_oldest();
        let mut chosen = core::mem::take(&mut self.snapshots.chosen);
        chosen.retain(|&part| {
            let of_blocks = part >= self.parts.of_map;
            let Some(paged) = map.paged() else { return true };
            if !of_blocks && !paged.has(part) {
                busy |= self.want(ports, map, part);
                return true;
            }
            if !of_blocks {
                paged.hold(part);
            }
            self.snapshots.due = self.snapshots.due.saturating_sub(1);
            self.snapshots.add(part, false);
            false
        });
        self.snapshots.chosen = chosen;
        while self.snapshots.taken.len() < self.snapshots.at_once as usize {
            let Some(paged) = map.paged() else { break };
            let Some(part) = paged.next_to_write() else { break };
            paged.hold(part);
            self.snapshots.add(part, true);
        }
        if let Some(lpn) = map.paged().and_then(|paged| paged.changes.waiting()) {
            busy |= self.want(ports, map, self.parts.of_page(lpn));
        }
        busy
    }

    /// Fills an entry with a part as it is now.
    fn take(&self, hw: &mut impl Hardware, nth: usize, tables: &mut Tables<'_>) {
        let part = self.snapshots.taken[nth].part;
        if let Some(paged) = tables.map.paged().filter(|_| part < self.parts.of_map) {
            paged.snapshot_taken(part);
        }
        let entry = BufferId(self.snapshots.first_entry + nth as u32);
        hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
        self.fill(hw.log_page(entry), part, tables);
    }

    /// Fills a page with a part.
    pub(in crate::ftl::log) fn fill(&self, page: &mut [u8], part: u32, tables: &Tables<'_>) {
        let Tables { map, blocks, time } = tables;
        let time = Time { position: self.position(), ..*time };
        if part < self.parts.of_map {
            let first = part * self.parts.map_entries;
            let last = map.pages().min(first + self.parts.map_entries);
            put_map(page, (first..last).map(|lpn| map.snapshot_code(Lpn(lpn))), time);
            return;
        }
        let first = (part - self.parts.of_map) * self.parts.block_entries;
        let per_way = self.geometry.blocks_per_way;
        let last = (self.geometry.dies() * per_way).min(first + self.parts.block_entries);
        let entry = |block: u32| {
            let (die, nth) = (block / per_way, block % per_way);
            let superblock = blocks.superblock_of(die, nth);
            let opened = superblock.and_then(|superblock| self.opened_at(die, superblock));
            let place = blocks.place_of(die, nth);
            BlockEntry { erases: blocks.erases_of(die, nth), place, opened: opened.unwrap_or(0) }
        };
        put_blocks(page, (first..last).map(entry), time);
    }
}
