//! Snapshots: one part of the map or of the block table after the other, around and around.
//!
//! Parts are taken a few at a time into entries of the buffer memory. They know of programs that have not
//! ended, so they are written when those have.

mod take;

use alloc::vec::Vec;
use contract::{BufferId, Recovery};

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
