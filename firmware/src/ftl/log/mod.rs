//! The log: how the map survives a power loss (docs/design/durability.md).
//!
//! What changes in the map and the block table is told in records, which fill journal pages. In between,
//! snapshots of one part after the other go round the whole map. Both are pages of one log, which goes
//! round some blocks of every way ([`area`]). After a power loss the newest snapshot of each part and the
//! records that are younger make the map, together with the pages that were programmed and not recorded yet,
//! which are in the few superblocks that the log says were open ([`recover`]).
//!
//! That holds because of what waits for what ([`holds`]): the first program of a superblock for the record
//! that it was opened; an erase for all programs that were planned before it, since they hold what makes
//! its pages invalid, and for the records of what was freed; a snapshot for all programs that it knows of; a
//! way whose block was replaced for the record of that.

pub mod area;
mod counters;
pub mod holds;
pub mod journal;
mod loads;
mod missed;
pub mod open;
pub mod page;
mod parts;
pub mod past;
pub mod record;
pub mod recover;
mod replay;
mod snapshots;
mod write;

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use contract::{
    BufferId, Configuration, Geometry, Hardware, Lpn, Lpns, Metadata, PageKind, Recovery,
};

use self::area::{Area, Condition};
pub use self::counters::LogCounters;
use self::holds::{Holds, Waiter};
use self::journal::Journal;
use self::loads::Loads;
use self::page::Time;
pub use self::parts::Parts;
use self::past::Keeper;
use self::record::Record;
use self::recover::Recover;
use self::snapshots::Snapshots;
use super::blocks::{Blocks, Stream};
use super::map::Map;
use super::paged::Cache;
use super::save::page::SavedPage;
use super::{sizes, Ports};
use crate::operations::{Ended, Flash, OpId, Operation, Page, Task};
use crate::planted::{is_planted, Bug};

/// A superblock whose programs have not all ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Unfilled {
    /// Number of the superblock within its way.
    pub superblock: u32,
    /// What goes there.
    pub stream: Stream,
    /// When it was opened.
    pub opened: u64,
    /// The record that they have, once there is one. It counts when flash holds it.
    pub filled: Option<u64>,
}

/// The log of a drive.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Log {
    geometry: Geometry,
    settings: Recovery,
    pub(super) parts: Parts,
    pub(super) area: Area,
    pub(super) holds: Holds,
    pub(super) journal: Journal,
    pub(super) snapshots: Snapshots,
    pub(super) loads: Loads,
    /// How much of the map is kept in memory, once it is, if not all of it.
    cache: Option<Cache>,
    /// Recovery has changed parts of a map that is not to be in memory as a whole: they are being written.
    settles: bool,
    /// Snapshots are behind: nothing new is planned until they have caught up.
    is_short: bool,
    /// The first entry of the buffer memory for pages of the log.
    first_entry: u32,
    /// Position of the next page.
    next: u64,
    /// The stripe that is to be erased as soon as nothing in it is needed.
    to_wipe: Option<u32>,
    /// Superblocks of each way whose programs have not all ended, in the order in which they were opened.
    pub(super) unfilled: Vec<VecDeque<Unfilled>>,
    /// Record of the superblock that was opened last in each way, if no program of it was planned yet.
    fresh: Vec<Option<u64>>,
    /// The last record of something that was freed.
    freed: u64,
    /// The last record that flash is to hold soon, whoever waits.
    must_keep: u64,
    /// The state of recovery, while it goes on.
    pub(super) recover: Option<Recover>,
    pub(super) counters: LogCounters,
    /// Bytes of a logical block that recovery found, until the FTL takes them.
    pub(super) found_format: Option<u32>,
    /// All logical pages were freed, which is not recorded yet.
    pub(super) cleared: Option<Record>,
    /// What the drive has been through.
    pub past: Keeper,
    /// It is known without the log which blocks are bad from the factory.
    pub(super) knows_blocks: bool,
    /// It is not, and the log does not tell.
    pub(super) lacks_blocks: bool,
    /// What was saved when the power went away and is the newest of its logical pages, until the FTL takes it.
    pub(super) saved: Vec<SavedPage>,
}

/// What changes hands with the log: the map and the blocks that it tells of.
pub(super) struct Tables<'a> {
    pub map: &'a mut Map,
    pub blocks: &'a Blocks,
    /// The sequence number to come, and the size of logical blocks.
    pub time: Time,
}

impl Log {
    /// The log of a drive that has to find its map.
    pub fn new(
        config: &Configuration,
        settings: Recovery,
        (area, first_entry): (Area, u32),
    ) -> Self {
        let geometry = config.geometry;
        let dies = geometry.dies() as usize;
        let waiters = sizes::operations_needed(config);
        let parts = Parts::new(&geometry, config.logical_units());
        Log {
            geometry,
            settings,
            parts,
            holds: Holds::new(waiters),
            journal: Journal::new(first_entry, geometry.page_bytes, waiters),
            snapshots: Snapshots::new(first_entry + journal::ENTRIES, &settings, parts.count),
            loads: Loads::new(first_entry + journal::ENTRIES, &settings),
            cache: sizes::map_cache(config).filter(|cache| cache.parts < parts.of_map),
            settles: false,
            is_short: false,
            first_entry,
            next: 0,
            to_wipe: None,
            unfilled: alloc::vec![VecDeque::with_capacity(8); dies],
            fresh: alloc::vec![None; dies],
            freed: 0,
            must_keep: 0,
            recover: Some(Recover::new(&area, parts)),
            counters: LogCounters::default(),
            found_format: None,
            cleared: None,
            past: Keeper::default(),
            knows_blocks: true,
            lacks_blocks: false,
            saved: Vec::new(),
            area,
        }
    }

    /// Whether the map is known.
    pub fn is_ready(&self) -> bool {
        self.recover.is_none() && !self.settles
    }

    /// Whether more records can be made without end; if not, nothing more is to be planned for now.
    pub fn has_room(&self) -> bool {
        self.journal.has_room() && !self.is_short
    }

    /// Whether flash holds every record that it is to hold.
    pub fn is_quiet(&self) -> bool {
        let is_kept = self.cleared.is_none() && self.past.is_kept();
        is_kept && self.must_keep.max(self.holds.wanted()) <= self.holds.kept()
    }

    /// Makes a record. Returns its number.
    pub fn record(&mut self, hw: &mut impl Hardware, record: Record) -> u64 {
        self.record_before(hw, record, 0)
    }

    /// The same of the first of some records that flash holds all of or none: so many follow at once.
    pub fn record_before(&mut self, hw: &mut impl Hardware, record: Record, behind: u32) -> u64 {
        self.journal.add(hw, record, behind);
        self.holds.record_made()
    }

    /// Logical pages were freed, or their data are lost. Returns the record's number.
    pub fn freed(&mut self, hw: &mut impl Hardware, record: Record) -> u64 {
        if let Record::Unmapped { lpn, sequence, .. } = record {
            if self.journal.extend(hw, (lpn, sequence)) {
                self.freed = self.holds.made();
                return self.freed;
            }
        }
        self.freed = self.record(hw, record);
        self.freed
    }

    /// The last record of something that was freed.
    pub fn last_freed(&self) -> u64 {
        self.freed
    }

    /// A superblock was opened.
    pub fn opened(&mut self, hw: &mut impl Hardware, die: u32, unfilled: Unfilled) {
        let Unfilled { superblock, opened: sequence, .. } = unfilled;
        let record = self.record(hw, Record::Opened { die, superblock, sequence });
        self.unfilled[die as usize].push_back(unfilled);
        self.fresh[die as usize] = Some(record);
        if is_planted(Bug::FilledTooEarly) {
            self.fill_before(hw, die, sequence + 1);
        }
    }

    /// How many things an operation that was just queued has to wait for beyond those of its entry.
    pub fn hold(&mut self, id: OpId, op: &Operation) -> u8 {
        let Some(Flash { page, task, .. }) = op.on_flash() else { return 0 };
        let waiter = Waiter::Operation(id);
        match task {
            Task::Program { sequence, .. } => {
                self.holds.program_begins(sequence.get());
                let fresh = self.fresh[page.die as usize].take();
                let fresh = fresh.filter(|_| !is_planted(Bug::OpenedNotAwaited));
                u8::from(fresh.is_some_and(|record| self.holds.wait_for_record(record, waiter)))
            }
            Task::Erase => {
                let programs = self.holds.wait_for_programs(waiter);
                let records = self.holds.wait_for_record(self.freed, waiter);
                u8::from(programs) + u8::from(records)
            }
            _ => 0,
        }
    }

    /// A program of data has ended, or was given up: in this superblock, if its block is in one. `is_first` tells
    /// whether all that were planned for its way before it have.
    pub fn program_ended(
        &mut self,
        hw: &mut impl Hardware,
        (page, superblock): (Page, Option<u32>),
        records: impl Iterator<Item = Record>,
        (sequence, is_first): (u64, impl FnOnce() -> bool),
    ) {
        let is_open = |own: &Unfilled| Some(own.superblock) == superblock && own.filled.is_none();
        let of_open = self.unfilled[page.die as usize].iter().any(is_open);
        let is_first = || is_first() || is_planted(Bug::FilledOutOfOrder);
        if of_open && self.full_before(page.die, sequence).is_some() && is_first() {
            self.fill_before(hw, page.die, sequence);
        }
        for record in records {
            self.record(hw, record);
        }
        self.holds.program_ends(sequence);
    }

    /// Which superblock, of those that are not recorded as filled, had no page left when something was planned: one
    /// behind which another had been opened for its stream.
    fn full_before(&self, die: u32, planned: u64) -> Option<usize> {
        let of_way = &self.unfilled[die as usize];
        (0..of_way.len()).find(|&nth| {
            let Unfilled { stream, filled, .. } = of_way[nth];
            let mut later = of_way.iter().skip(nth + 1);
            filled.is_none() && later.any(|next| next.stream == stream && next.opened < planned)
        })
    }

    /// All programs of a way have ended that were planned before this time.
    fn fill_before(&mut self, hw: &mut impl Hardware, die: u32, planned: u64) {
        let kept = self.holds.kept();
        let is_over = |own: &Unfilled| own.filled.is_some_and(|record| record <= kept);
        self.unfilled[die as usize].retain(|own| !is_over(own));
        while let Some(nth) = self.full_before(die, planned) {
            let Unfilled { superblock, opened: sequence, .. } = self.unfilled[die as usize][nth];
            let record = self.record(hw, Record::Filled { die, superblock, sequence });
            self.unfilled[die as usize][nth].filled = Some(record);
        }
    }

    /// When a superblock was opened, if flash does not hold the record that it is filled.
    pub(super) fn opened_at(&self, die: u32, superblock: u32) -> Option<u64> {
        let kept = self.holds.kept();
        let counts = |record| record <= kept || is_planted(Bug::FilledNotAwaited);
        let is_over = |own: &Unfilled| own.filled.is_some_and(counts);
        let own = self.unfilled[die as usize].iter().filter(|own| own.superblock == superblock);
        own.filter(|own| !is_over(own)).map(|own| own.opened).max()
    }

    /// Writes what there is to be written. True when something was begun.
    pub(super) fn advance(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tables: &mut Tables<'_>,
    ) -> bool {
        let mut busy = self.wipe_next(ports);
        if let Some(record) = self.cleared.take() {
            self.freed(ports.hw, record);
            self.must_keep = self.freed;
        }
        let wanted = self.holds.wanted().max(self.must_keep) > self.holds.kept();
        if let Some(entry) = self.journal.to_write(ports.hw, (wanted, tables.time), &mut self.past)
        {
            if self.write(ports, (entry, PageKind::Journal, Lpns::NONE)).is_some() {
                self.journal.begun();
                if is_planted(Bug::JournalCountsTooEarly) {
                    self.holds.records_kept(self.journal.under_way());
                }
                busy = true;
            }
        }
        self.is_short &= self.snapshots.owed() > 0;
        busy |= self.take_snapshots(ports, tables);
        busy | self.settle(tables)
    }

    /// A block was replaced, or lost without: the next program of its way waits for the record of that.
    pub fn block_replaced(&mut self, die: u32, record: u64) {
        let fresh = &mut self.fresh[die as usize];
        *fresh = Some(fresh.map_or(record, |before| before.max(record)));
        self.snapshots.invalidate();
    }

    /// The drive was brought into a state, and its log with it, at once: writes a page of the log by
    /// `write(page, metadata, bytes)`.
    pub(super) fn establish(
        &mut self,
        tables: &mut Tables<'_>,
        mut write: impl FnMut(Page, Metadata, &[u8]),
    ) {
        for die in 0..self.area.dies() {
            for stripe in 0..self.area.stripes() {
                self.area.set_condition(die, stripe, Condition::Ready);
            }
            for &stream in tables.blocks.streams() {
                let Some((superblock, _)) = tables.blocks.open(die, stream) else { continue };
                let opened = tables.time.sequence;
                let unfilled = Unfilled { superblock, stream, opened, filled: None };
                self.unfilled[die as usize].push_back(unfilled);
            }
        }
        let mut bytes = alloc::vec![0; self.geometry.page_bytes as usize];
        for part in 0..self.parts.count {
            self.fill(&mut bytes, part, tables);
            let position = self.next;
            let (kind, lpns) = (PageKind::Snapshot, Lpns::one(Lpn(part)));
            let metadata = Metadata { kind, epoch: 0, sequence: position, lpns };
            write(self.area.page(position), metadata, &bytes);
            self.snapshots.found(part, (position, position));
            self.next += 1;
        }
        for stripe in 0..self.area.stripe(self.next) {
            self.area.leave(stripe);
        }
        self.snapshots.go_on();
        self.recover = None;
        if let Some(cache) = self.cache {
            let void = alloc::vec![false; self.parts.of_map as usize];
            tables.map.page_out((cache, self.parts.map_entries), void);
        }
    }

    /// An operation of the log has ended.
    pub(super) fn ended(&mut self, map: &mut Map, (page, task): (Page, Task), ended: Ended) {
        let block = self.geometry.block_of(page.row);
        let stripe = self.area.stripe_of(page.die, block);
        let stripe = stripe.expect("a block of the log");
        match (task, ended) {
            (Task::Wipe, Ended::Well) => {
                self.counters.erases += 1;
                self.area.set_condition(page.die, stripe, Condition::Ready);
            }
            (Task::Wipe, Ended::Failed(_)) => {
                if self.area.erase_failed(page.die, stripe) {
                    self.to_wipe = Some(stripe);
                }
            }
            (_, Ended::Well) => {}
            (_, Ended::Failed(_)) => {
                self.area.set_condition(page.die, stripe, Condition::PassedOver);
            }
        }
        match task {
            Task::Wipe => {}
            Task::Log { entry, position } if self.journal.owns(entry) => {
                if let Some(count) = self.journal.ended(ended, position.get()) {
                    let counted = is_planted(Bug::JournalCountsTooEarly);
                    let count = if counted { 0 } else { count };
                    self.holds.records_kept(count);
                    self.past.written();
                    self.counters.journal_pages += 1;
                    self.snapshots.due(self.settings.snapshots_per_journal_page);
                }
            }
            Task::Log { entry, position, .. } => {
                self.counters.snapshots += u64::from(ended == Ended::Well);
                let kept = self.snapshots.ended((entry, position.get()), ended);
                if let (Some((part, evicted)), Some(paged)) = (kept, map.paged()) {
                    if part < self.parts.of_map {
                        paged.let_go(part);
                    }
                    self.counters.parts_evicted += u64::from(evicted);
                    self.snapshots.due(u32::from(evicted));
                }
            }
            _ => unreachable!("operations of the log write and erase"),
        }
    }

    /// What is in the log has been there for long: all of it is to be written anew.
    pub(super) fn renew(&mut self) {
        self.snapshots.at_least(self.parts.count);
    }

    /// Flash is to hold all records that were made. True while it does not.
    pub(super) fn keep_all(&mut self) -> bool {
        self.must_keep = self.holds.made();
        !self.is_quiet()
    }

    /// What was saved when the power went away: pages and records.
    pub(super) fn take_saved(&mut self, found: (Vec<SavedPage>, Vec<Record>), epoch: u32) {
        if let Some(recover) = &mut self.recover {
            recover.take_saved(found, epoch);
        }
    }

    /// What of it is the newest of its logical pages.
    pub(super) fn found_saved(&mut self) -> Vec<SavedPage> {
        core::mem::take(&mut self.saved)
    }

    /// The entries of the buffer memory for pages of the log, while none of them is in use.
    pub(super) fn all_entries(&self) -> impl Iterator<Item = BufferId> {
        (self.first_entry..self.first_entry + self.settings.log_entries).map(BufferId)
    }
}
