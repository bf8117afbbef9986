//! Snapshots: one part of the map or of the block table after the other, around and around.
//!
//! Parts are taken a few at a time into entries of the buffer memory. They know of programs that have not
//! ended, so they are written when those have.

use alloc::vec::Vec;
use contract::{BufferId, Hardware, Lpn, Lpns, PageKind, Recovery, Work};

use super::holds::Waiter;
use super::page::{put_blocks, put_map, BlockEntry, Time};
use super::{Log, Tables};
use crate::ftl::map::Map;
use crate::ftl::Ports;
use crate::operations::Ended;
use crate::planted::{is_planted, Bug};

/// A snapshot that was taken.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Taken {
    part: u32,
    /// The position in the log that was to be written next when it was taken.
    since: u64,
    /// It is taken so that its part can leave memory.
    evicts: bool,
    state: State,
}

/// The newest snapshot of a part that flash holds.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Kept {
    /// Where it is in the log.
    position: u64,
    /// From which position on the log is needed beside it.
    since: u64,
    /// Where the one before it was.
    before: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum State {
    /// To be written.
    Waits,
    /// Being written.
    UnderWay,
    /// Flash holds it.
    Kept,
}

/// Where the snapshots stand.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Snapshots {
    first_entry: u32,
    /// Snapshots that are taken together at most.
    at_once: u32,
    /// The part to be taken next.
    cursor: u32,
    parts: u32,
    /// Snapshots that are owed for journal pages.
    due: u32,
    taken: Vec<Taken>,
    /// The programs that the snapshots taken know of have ended.
    released: bool,
    /// Something changed that they do not know of and have to.
    stale: bool,
    /// The newest snapshot of each part.
    kept: Vec<Option<Kept>>,
    /// Parts that are to be written before any others.
    forced: Vec<u32>,
    /// Parts that are due and have to be in memory first.
    chosen: Vec<u32>,
}

/// Snapshots that are taken together at most. Where parts of the map come back to memory, the other entries are for them.
pub(super) fn snapshots_at_once(settings: &Recovery) -> u32 {
    let entries = settings.log_entries - super::journal::ENTRIES;
    settings.map_cache_parts.map_or(entries, |_| entries.div_ceil(2))
}

impl Snapshots {
    /// All parts are due.
    pub fn new(first_entry: u32, settings: &Recovery, parts: u32) -> Self {
        let at_once = snapshots_at_once(settings);
        Snapshots {
            first_entry,
            at_once,
            cursor: 0,
            parts,
            due: parts,
            taken: Vec::with_capacity(at_once as usize),
            released: false,
            stale: false,
            kept: alloc::vec![None; parts as usize],
            forced: Vec::new(),
            chosen: Vec::with_capacity(at_once as usize),
        }
    }

    /// So many more are due.
    pub fn due(&mut self, count: u32) {
        self.due = (self.due + count).min(self.parts);
    }

    /// Blocks were replaced: snapshots that were taken before and are not being written tell it wrongly.
    pub fn invalidate(&mut self) {
        self.stale = true;
    }

    /// Flash holds a snapshot at a position, which needs the log from another on.
    pub fn found(&mut self, part: u32, (position, since): (u64, u64)) {
        self.kept[part as usize] = Some(Kept { position, since, before: position });
    }

    /// Goes on behind the newest snapshot. Parts that were never taken are due.
    pub fn go_on(&mut self) {
        let position = |part: u32| self.kept[part as usize].map(|kept| kept.position);
        let newest = (0..self.parts).max_by_key(|&part| position(part));
        self.cursor = newest.map_or(0, |part| (part + 1) % self.parts);
        let missing = self.kept.iter().any(Option::is_none);
        self.due = if missing { self.parts } else { 0 };
    }

    fn add(&mut self, part: u32, evicts: bool) {
        self.taken.push(Taken { part, since: 0, evicts, state: State::Waits });
    }

    /// So many are due at least.
    pub fn at_least(&mut self, count: u32) {
        self.due = self.due.max(count);
    }

    /// Parts whose newest snapshot needs the log before a position.
    pub fn needed_before(&self, end: u64) -> u32 {
        let is_needed = |kept: &&Option<Kept>| kept.is_none_or(|kept| kept.since < end);
        self.kept.iter().filter(is_needed).count() as u32
    }

    /// How many are due.
    pub fn owed(&self) -> u32 {
        self.due
    }

    /// Where the newest snapshot of a part is in the log, if there is one.
    pub fn newest(&self, part: u32) -> Option<u64> {
        let kept = self.kept[part as usize]?;
        Some(if is_planted(Bug::OldPartRead) { kept.before } else { kept.position })
    }

    /// A part is to be written before any others.
    pub fn force(&mut self, part: u32) {
        self.forced.push(part);
    }

    /// Whether none is to be written that was asked for, and none is being written.
    pub fn is_idle(&self) -> bool {
        self.forced.is_empty() && self.taken.is_empty()
    }

    /// Chooses the parts whose newest snapshots need the most of the log, as many as are due and taken at once.
    fn choose_oldest(&mut self) {
        while (self.chosen.len() as u32) < self.due.min(self.at_once) {
            let since = |&part: &u32| self.kept[part as usize].map_or(0, |kept| kept.since + 1);
            let others = (0..self.parts).filter(|part| !self.chosen.contains(part));
            let Some(oldest) = others.min_by_key(since) else { return };
            self.chosen.push(oldest);
        }
    }

    /// The programs that the snapshots taken know of have ended.
    pub fn release(&mut self) {
        self.released = true;
    }

    /// A snapshot was written, or is to be written again.
    /// Returns the part, if flash holds it, and whether it was written to leave memory.
    pub fn ended(
        &mut self,
        (entry, position): (BufferId, u64),
        ended: Ended,
    ) -> Option<(u32, bool)> {
        let taken = &mut self.taken[(entry.0 - self.first_entry) as usize];
        match ended {
            Ended::Well => {
                taken.state = State::Kept;
                let kept = &mut self.kept[taken.part as usize];
                let before = kept.map_or(position, |kept| kept.position);
                *kept = Some(Kept { position, since: taken.since, before });
            }
            Ended::Failed(_) => taken.state = State::Waits,
        }
        let is_kept = (ended == Ended::Well).then_some((taken.part, taken.evicts));
        if self.taken.iter().all(|taken| taken.state == State::Kept) {
            self.taken.clear();
        }
        is_kept
    }
}

impl Log {
    /// Takes snapshots that are due, and writes those that can be. True when something was done.
    pub(super) fn take_snapshots(
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
    pub(super) fn fill(&self, page: &mut [u8], part: u32, tables: &Tables<'_>) {
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
