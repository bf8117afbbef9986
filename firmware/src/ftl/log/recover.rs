//! Finding the map after a power loss, before the drive says that it is ready.
//!
//! 1. The first page of every block of the log is read. It tells when its stripe was written.
//! 2. The log is read, the newest stripe first: of each part the newest snapshot, and all records.
//! 3. Superblocks that were opened and are not recorded as filled are read: what was programmed in them and
//!    not recorded.
//! 4. Whatever is younger than the snapshot of its part is applied, in the order of sequence numbers.
//!
//! Nothing is written before that is done, so a power loss meanwhile changes nothing. Pages read are at most
//! those of the log, and of the superblocks that were open.

use alloc::vec::Vec;
use contract::{BufferId, Geometry, Hardware, Lpn, Metadata, PageKind, UnitState, Work};
use core::cmp::Reverse;

use super::area::Area;
use super::open::{Open, ERASED_ROWS};
use super::page::{self, BlockPlace, Link, Time};
use super::record::Record;
use super::{Log, Parts};
use crate::ftl::map::Ppn;
use crate::ftl::save::page::SavedPage;
use crate::ftl::translate::Translator;
use crate::ftl::Ports;
use crate::operations::{Ended, Operation, Owner, Page, Place, Task};
use crate::planted::{is_planted, Bug};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Phase {
    /// First pages of blocks of the log; the next one to be read.
    Heads(u32),
    /// A row of a stripe over all ways: which of the stripes, which row, the next way.
    Rows { nth: usize, row: u32, die: u32 },
    /// The same page of all open superblocks, so that all ways share the work: which page, and of which
    /// superblock next.
    Open { page: u32, nth: usize },
}

/// How far recovery has come, and what it has found.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Recover {
    phase: Phase,
    pub(super) parts: Parts,
    free: Vec<BufferId>,
    under_way: u32,
    /// Position of the first page of each stripe, plus 1, as the first page of each of its blocks tells; 0 if that
    /// cannot be read. By stripe and way.
    pub(super) heads: Vec<u64>,
    /// The newest of each stripe.
    pub(super) bases: Vec<u64>,
    /// Stripes to be read, the newest first.
    pub(super) stripes: Vec<u32>,
    /// A page of the row that is being read is not erased.
    row_used: bool,
    /// Rows before it that are erased, behind one that is not or behind the first of their stripe.
    erased_rows: u32,
    /// Journal pages that were found.
    pub(super) links: Vec<Link>,
    /// Pages of the newest stripe up to the last one that was written in this lap.
    pub(super) written: u64,
    /// Any page of the log is not erased.
    pub(super) any_used: bool,
    /// Position of the newest snapshot of each part, plus 1, and when it was taken.
    pub(super) newest: Vec<(u64, Time)>,
    /// What the journal says.
    pub(super) records: Vec<Record>,
    /// What pages of open superblocks say.
    pub(super) found: Vec<Record>,
    /// Logical and physical pages of what was programmed although its data were lost.
    pub(super) lost_at: Vec<(u32, u32)>,
    pub(super) open: Vec<Open>,
    /// Superblocks that the newest snapshot of a part of the block table tells to be open.
    pub(super) told_open: Vec<(u32, Open)>,
    pub(super) highest: u64,
    /// The newest epoch of all pages.
    pub(super) epoch: u32,
    /// The newest size of logical blocks.
    pub(super) format: Time,
    /// What the drive has been through.
    pub(super) past: super::past::Found,
    /// What was saved when the power went away.
    pub(super) saved: Vec<SavedPage>,
    pub(super) saved_records: Vec<Record>,
}

/// What a page was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Erased,
    /// Something of which nothing can be read.
    Torn,
    /// A page whose data are beyond correction.
    Unreadable(Metadata),
    Page(Metadata),
}

impl Recover {
    /// At the start of it.
    pub fn new(area: &Area, parts: Parts) -> Self {
        Recover {
            phase: Phase::Heads(0),
            parts,
            free: Vec::new(),
            under_way: 0,
            heads: alloc::vec![0; (area.stripes() * area.dies()) as usize],
            bases: alloc::vec![0; area.stripes() as usize],
            stripes: Vec::new(),
            row_used: false,
            erased_rows: 0,
            links: Vec::new(),
            written: 0,
            any_used: false,
            newest: alloc::vec![(0, Time::default()); parts.count as usize],
            records: Vec::new(),
            found: Vec::new(),
            lost_at: Vec::new(),
            open: Vec::new(),
            told_open: Vec::new(),
            highest: 0,
            epoch: 0,
            format: Time::default(),
            past: super::past::Found::default(),
            saved: Vec::new(),
            saved_records: Vec::new(),
        }
    }
}

impl Log {
    /// Goes on finding the map. True when something was done; it is found once [`Log::is_ready`].
    pub(in crate::ftl) fn recover(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        translator: &mut Translator,
    ) -> bool {
        let Some(mut recover) = self.recover.take() else { return false };
        if recover.free.is_empty() && recover.under_way == 0 {
            recover.free = self.all_entries().collect();
        }
        let mut busy = false;
        while let Some(page) = self.next_to_read(&recover, translator) {
            let Some(entry) = recover.free.pop() else { break };
            recover.under_way += 1;
            self.counters.recovery_reads += 1;
            let task = Task::Probe { entry, retries: 0 };
            let op = Operation::flash(Owner::Drive, page, task);
            let id = ports.station.reserve(ports.hw, op);
            id.released(ports.hw, None);
            ports.station.release(id);
            recover.step();
            busy = true;
        }
        if recover.under_way == 0 && self.next_to_read(&recover, translator).is_none() {
            busy = true;
            if !self.knows_blocks && recover.lacks_blocks() {
                self.lacks_blocks = true;
                self.recover = Some(recover);
                return true;
            }
            if self.next_phase(ports.hw, &mut recover, translator) {
                ports.station.epoch = recover.epoch + 1;
                self.finish(ports.hw, recover, translator);
                return true;
            }
        }
        self.recover = Some(recover);
        busy
    }

    /// A page was read for recovery.
    pub(in crate::ftl) fn probed(
        &mut self,
        hw: &mut impl Hardware,
        (page, entry): (Page, BufferId),
        ended: Ended,
        translator: &mut Translator,
    ) {
        let mut recover = self.recover.take().expect("pages are probed while the map is found");
        recover.free.push(entry);
        recover.under_way -= 1;
        let found = match (ended, hw.metadata(entry).copied()) {
            (Ended::Failed(_), None) => Found::Torn,
            (Ended::Failed(_), Some(metadata)) => Found::Unreadable(metadata),
            (Ended::Well, None) => Found::Erased,
            (Ended::Well, Some(metadata)) => Found::Page(metadata),
        };
        recover.note_epoch(found);
        match recover.phase {
            Phase::Heads(_) => self.take_head(&mut recover, page, found),
            Phase::Rows { nth, .. } => {
                hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
                let stripe = recover.stripes[nth];
                self.take_log(
                    &mut recover,
                    (stripe, page),
                    (found, hw.log_page(entry)),
                    translator,
                );
            }
            Phase::Open { .. } => recover.take_data(page, found, (&self.geometry, translator)),
        }
        self.recover = Some(recover);
    }

    fn next_to_read(&self, recover: &Recover, translator: &Translator) -> Option<Page> {
        let rows = self.geometry.pages_per_block;
        match recover.phase {
            Phase::Heads(nth) => {
                let (die, stripe) = (nth % self.area.dies(), nth / self.area.dies());
                let row = |stripe| self.area.block(die, stripe) * rows;
                (stripe < self.area.stripes()).then(|| Page { die, row: row(stripe) })
            }
            Phase::Rows { nth, row, die } => {
                let stripe = *recover.stripes.get(nth)?;
                let block = (die < self.area.dies()).then(|| self.area.block(die, stripe))?;
                Some(Page { die, row: block * rows + row })
            }
            Phase::Open { page, nth } => {
                let Open { die, superblock, .. } = *recover.open.get(nth)?;
                Some(Page { die, row: translator.blocks.row(die, superblock, page) })
            }
        }
    }

    fn take_head(&self, recover: &mut Recover, page: Page, found: Found) {
        recover.any_used |= found != Found::Erased;
        // Which lap the stripe is of, the metadata tell. What is beyond correction in it reads as lost.
        let (Found::Page(metadata) | Found::Unreadable(metadata)) = found else { return };
        let Metadata { kind, sequence: position, .. } = metadata;
        let of_log = matches!(kind, PageKind::Journal | PageKind::Snapshot);
        if of_log && self.area.page(position) == page {
            let base = position - u64::from(page.die) + 1;
            let stripe = self.area.stripe(position);
            recover.heads[(stripe * self.area.dies() + page.die) as usize] = base;
            let known = &mut recover.bases[stripe as usize];
            *known = (*known).max(base);
        }
    }

    fn take_log(
        &self,
        recover: &mut Recover,
        (stripe, page): (u32, Page),
        (found, bytes): (Found, &[u8]),
        translator: &mut Translator,
    ) {
        let is_used = found != Found::Erased;
        recover.row_used |= is_used;
        let base = recover.bases[stripe as usize] - 1;
        let of_lap = recover.heads[(stripe * self.area.dies() + page.die) as usize] == base + 1;
        if recover.stripes[0] == stripe && is_used && of_lap {
            let row = u64::from(page.row % self.geometry.pages_per_block);
            let number = row * u64::from(self.area.dies()) + u64::from(page.die);
            recover.written = recover.written.max(number + 1);
        }
        let Found::Page(metadata) = found else { return };
        let position = metadata.sequence;
        let in_lap = (base..base + self.area.stripe_pages()).contains(&position);
        if !in_lap || self.area.page(position) != page {
            return;
        }
        match metadata.kind {
            PageKind::Journal => {
                let Some((records, time)) = page::records(bytes) else { return };
                recover.note_link(position, time);
                for record in records {
                    recover.past.take(position, &record);
                    recover.highest = recover.highest.max(record.last_sequence());
                    if let Record::Cleared { block_bytes, sequence } = record {
                        recover.note_format(Time { sequence, block_bytes, position: 0 });
                    }
                    if recover.is_needed(&record, &self.geometry) {
                        recover.records.push(record);
                    }
                }
            }
            PageKind::Snapshot => self.take_snapshot(recover, (metadata, bytes), translator),
            PageKind::Data | PageKind::Saved => {}
        }
    }

    fn take_snapshot(
        &self,
        recover: &mut Recover,
        (metadata, bytes): (Metadata, &[u8]),
        translator: &mut Translator,
    ) {
        let Some((Lpn(part), _)) = metadata.lpns.iter().next() else { return };
        let position = metadata.sequence + 1;
        let Some(&(known, _)) = recover.newest.get(part as usize) else { return };
        if known >= position && !is_planted(Bug::OldSnapshotTaken) {
            return;
        }
        let time = if part < self.parts.of_map {
            let Some((codes, time)) = page::map(bytes) else { return };
            let first = part * self.parts.map_entries;
            for (lpn, code) in (first..translator.map.pages()).zip(codes) {
                translator.map.restore(lpn, code);
            }
            time
        } else {
            let Some((blocks, time)) = page::blocks(bytes) else { return };
            let first = (part - self.parts.of_map) * self.parts.block_entries;
            let per_way = self.geometry.blocks_per_way;
            let last = (first + self.parts.block_entries).min(per_way * self.geometry.dies());
            recover.told_open.retain(|&(own, _)| own != part);
            for (block, entry) in (first..last).zip(blocks) {
                let (die, nth) = (block / per_way, block % per_way);
                translator.blocks.restore(die, nth, (entry.place, entry.erases));
                if let (BlockPlace::In(superblock), 1..) = (entry.place, entry.opened) {
                    recover.told_open.push((part, Open::new(die, superblock, entry.opened)));
                }
            }
            time
        };
        recover.newest[part as usize] = (position, time);
        recover.note_format(time);
    }

    /// Everything of a phase was read. True after the last.
    fn next_phase(
        &mut self,
        hw: &mut impl Hardware,
        recover: &mut Recover,
        translator: &mut Translator,
    ) -> bool {
        match recover.phase {
            Phase::Heads(_) => {
                let known = |&stripe: &u32| recover.bases[stripe as usize] > 0;
                let mut stripes: Vec<u32> = (0..self.area.stripes()).filter(known).collect();
                let newest_first =
                    |&stripe: &u32| (Reverse(recover.bases[stripe as usize]), stripe);
                stripes.sort_unstable_by_key(newest_first);
                recover.stripes = stripes;
                recover.phase = Phase::Rows { nth: 0, row: 0, die: 0 };
                false
            }
            Phase::Rows { nth, row, .. } if nth < recover.stripes.len() => {
                let last = row + 1 == self.geometry.pages_per_block;
                let is_used = core::mem::take(&mut recover.row_used);
                recover.erased_rows = if is_used { 0 } else { recover.erased_rows + 1 };
                let over = last || recover.erased_rows == ERASED_ROWS;
                recover.phase = if over {
                    recover.erased_rows = 0;
                    Phase::Rows { nth: nth + 1, row: 0, die: 0 }
                } else {
                    Phase::Rows { nth, row: row + 1, die: 0 }
                };
                false
            }
            Phase::Rows { .. } => {
                hw.work_times(Work::Translate, recover.records.len() as u32);
                self.apply_to_blocks(recover, translator);
                recover.phase = Phase::Open { page: 0, nth: recover.not_ended(0) };
                false
            }
            Phase::Open { page, .. } => {
                let planes = translator.blocks.planes();
                for open in recover.open.iter_mut().filter(|_| (page + 1) % planes == 0) {
                    open.end_behind(page + 1, planes);
                }
                let over = page + 1 == translator.blocks.superblock_pages();
                recover.phase = Phase::Open { page: page + 1, nth: recover.not_ended(0) };
                over || recover.not_ended(0) == recover.open.len()
            }
        }
    }
}

impl Recover {
    /// The page to be read was asked for: the next one.
    fn step(&mut self) {
        match self.phase {
            Phase::Heads(next) => self.phase = Phase::Heads(next + 1),
            Phase::Rows { nth, row, die } => self.phase = Phase::Rows { nth, row, die: die + 1 },
            Phase::Open { page, nth } => {
                self.phase = Phase::Open { page, nth: self.not_ended(nth + 1) };
            }
        }
    }

    /// The log is read, and there is no snapshot of some part of the block table.
    fn lacks_blocks(&self) -> bool {
        let is_read = matches!(self.phase, Phase::Rows { nth, .. } if nth >= self.stripes.len());
        is_read && self.newest[self.parts.of_map as usize..].iter().any(|&(known, _)| known == 0)
    }

    /// The first open superblock from one on that has pages to be read.
    fn not_ended(&self, first: usize) -> usize {
        (first..self.open.len()).find(|&nth| !self.open[nth].ended).unwrap_or(self.open.len())
    }

    /// What was saved when the power went away.
    pub(super) fn take_saved(
        &mut self,
        (pages, records): (Vec<SavedPage>, Vec<Record>),
        epoch: u32,
    ) {
        self.epoch = self.epoch.max(epoch);
        let sequences = pages.iter().map(|saved| saved.sequence);
        let all = sequences.chain(records.iter().map(Record::last_sequence));
        self.highest = all.fold(self.highest, u64::max);
        (self.saved, self.saved_records) = (pages, records);
    }

    /// A page that says in which epoch it was planned counts whether its data can be read or not.
    fn note_epoch(&mut self, found: Found) {
        if let Found::Page(metadata) | Found::Unreadable(metadata) = found {
            self.epoch = self.epoch.max(metadata.epoch);
        }
    }

    fn note_format(&mut self, time: Time) {
        self.highest = self.highest.max(time.sequence);
        if time.sequence > self.format.sequence {
            self.format = time;
        }
    }

    pub(super) fn note_open(&mut self, open: Open) {
        self.highest = self.highest.max(open.opened);
        let same = |own: &Open| (own.die, own.superblock) == (open.die, open.superblock);
        match self.open.iter_mut().find(|own| same(own)) {
            Some(own) => own.opened = own.opened.max(open.opened),
            None => self.open.push(open),
        }
    }

    /// A page of an open superblock.
    fn take_data(
        &mut self,
        page: Page,
        found: Found,
        (geometry, translator): (&Geometry, &Translator),
    ) {
        let superblock = translator.blocks.superblock_of(page.die, geometry.block_of(page.row));
        let is_it = |open: &&mut Open| open.die == page.die && Some(open.superblock) == superblock;
        let open = self.open.iter_mut().find(is_it).expect("a page of an open superblock");
        let torn = found == Found::Torn && is_planted(Bug::TornTakenForErased);
        if found == Found::Erased || torn {
            return;
        }
        let number = translator.blocks.number_in(open.superblock, page);
        open.used = open.used.max(number + 1);
        open.first_row += u32::from(number < translator.blocks.planes());
        // What cannot be read is the newest data of its logical page still: they are not replaced by older ones.
        let (Found::Page(metadata) | Found::Unreadable(metadata)) = found else { return };
        let Metadata { kind, sequence, lpns, .. } = metadata;
        if kind != PageKind::Data {
            return;
        }
        for (unit, (Lpn(lpn), state)) in (0..).zip(lpns.iter()) {
            if lpn >= translator.map.pages() {
                continue;
            }
            let Ppn(ppn) = translator.ppn(Place { page, unit });
            let record = match state {
                UnitState::Kept => Record::Placed { lpn, ppn, sequence },
                UnitState::Lost => {
                    self.lost_at.push((lpn, ppn));
                    Record::Lost { lpn, sequence }
                }
            };
            self.highest = self.highest.max(sequence);
            self.found.push(record);
        }
    }
}

#[cfg(test)]
#[path = "recover_tests.rs"]
pub(super) mod tests;
