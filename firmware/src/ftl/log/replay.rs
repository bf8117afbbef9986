//! From what recovery has found to a drive that goes on: what is younger than the snapshots is applied, blocks
//! and log are put where they were.

use alloc::vec::Vec;
use contract::{Geometry, Hardware, Lpn, Work};

use super::area::Condition;
use super::open::Open;
use super::page::BlockPlace;
use super::record::Record;
use super::recover::Recover;
use super::{Log, Unfilled};
use crate::ftl::blocks::Blocks;
use crate::ftl::rebuild::Resumed;
use crate::ftl::save::newest;
use crate::ftl::translate::Translator;
use crate::planted::{is_planted, Bug};

/// Numbers of changes that a start may give out. A start goes on with the next so many, however few were found to be taken; the 56 bits
/// that records and pages have for them last for 2^24 starts.
const SEQUENCES_A_START: u64 = 1 << 32;

impl Log {
    /// Which superblocks were open, and where blocks are that were replaced.
    pub(super) fn apply_to_blocks(&self, recover: &mut Recover, translator: &mut Translator) {
        for (_, open) in core::mem::take(&mut recover.told_open) {
            recover.note_open(open);
        }
        let mut records = core::mem::take(&mut recover.records);
        records.retain(|record| recover.is_needed(record, &self.geometry));
        records.sort_unstable_by_key(Record::sequence);
        recover.records = records;
        let per_way = self.geometry.blocks_per_way;
        for nth in 0..recover.records.len() {
            match recover.records[nth] {
                Record::Block { block, place, .. } => {
                    let (die, block) = (block / per_way, block % per_way);
                    let erases = translator.blocks.erases_of(die, block);
                    let place = BlockPlace::of_code(place);
                    translator.blocks.restore(die, block, (place, erases));
                    // Who said that the superblock was open may have been the block before it, of which a snapshot
                    // tells by now that it failed.
                    if let BlockPlace::In(superblock) = place {
                        recover.note_open(Open::new(die, superblock, 0));
                    }
                }
                Record::Opened { die, superblock, sequence } => {
                    recover.note_open(Open::new(die, superblock, sequence));
                    self.count_erase(recover, &mut translator.blocks, (die, superblock, sequence));
                }
                _ => {}
            }
        }
        // A snapshot of one part may be older than that of another, and have told of a block that has failed since.
        if !is_planted(Bug::MembersInOrderOfLog) {
            translator.blocks.restored();
        }
        for record in &recover.records {
            if let Record::Filled { die, superblock, sequence } = *record {
                let is_it = |open: &Open| {
                    (open.die, open.superblock, open.opened) == (die, superblock, sequence)
                };
                recover.open.retain(|open| !is_it(open));
            }
        }
        recover.open.sort_unstable_by_key(|open| (open.die, open.opened, open.superblock));
        // One that lost a block and got no other is not written any more, and flash holds the records of what it has.
        for open in &mut recover.open {
            open.ended = !translator.blocks.is_whole(open.die, open.superblock);
        }
        if is_planted(Bug::OpenNotRead) {
            recover.open.clear();
        }
    }

    /// A superblock is erased before it is opened: the blocks of it whose snapshot does not know that were erased
    /// once more, unless it was free when the snapshot was taken.
    fn count_erase(
        &self,
        recover: &Recover,
        blocks: &mut Blocks,
        (die, superblock, sequence): (u32, u32, u64),
    ) {
        for plane in 0..blocks.planes() as usize {
            let block = blocks.members(die, superblock)[plane];
            if block == u32::MAX {
                continue;
            }
            let number = die * self.geometry.blocks_per_way + block;
            if recover.is_younger(self.parts.of_block(number), sequence) {
                let counted = (blocks.place_of(die, block), blocks.erases_of(die, block) + 1);
                blocks.restore(die, block, counted);
            }
        }
    }

    /// All is read: the map is made, and the drive can go on.
    pub(super) fn finish(
        &mut self,
        hw: &mut impl Hardware,
        mut recover: Recover,
        translator: &mut Translator,
    ) {
        let doubted = recover.give_up_doubted(&mut translator.map);
        recover.records.extend_from_slice(&recover.found);
        recover.records.extend_from_slice(&recover.saved_records);
        if !is_planted(Bug::SequenceIgnored) {
            recover.records.sort_unstable_by_key(Record::sequence);
        }
        let needed: Vec<Record> = {
            let all = recover.records.iter().copied();
            all.filter(|record| recover.is_needed(record, &self.geometry)).collect()
        };
        self.counters.recovered = needed.len() as u64;
        let mut saved = core::mem::take(&mut recover.saved);
        saved.retain(|saved| {
            let in_namespace = saved.lpn.0 < translator.map.pages();
            in_namespace && recover.is_younger(self.parts.of_page(saved.lpn.0), saved.sequence)
        });
        self.saved = newest(saved, &needed);
        let is_doubted = doubted.contains(&true);
        let mut changed = doubted;
        needed.iter().for_each(|record| self.note_changed(record, &mut changed));
        hw.work_times(Work::Translate, needed.len() as u32);
        for record in &needed {
            recover.apply(record, translator);
        }
        // A page that could not be read now may be read by another start, with numbers above all that were found. Were they given out
        // again, what is older might count for newer.
        translator.sequence = (recover.highest | (SEQUENCES_A_START - 1)) + 1;
        let resumed = rebuild(hw, &mut recover, (translator, &needed), |lpn| {
            changed[self.parts.of_page(lpn) as usize] = true;
        });
        self.resume_area(&recover);
        for (part, &(position, time)) in (0..).zip(&recover.newest) {
            if position > 0 {
                self.snapshots.found(part, (position - 1, time.position));
            }
        }
        self.snapshots.go_on();
        self.keep_ahead();
        if is_doubted {
            // What is planned from now on is not to be in doubt once more.
            self.snapshots.at_least(self.parts.count);
            self.is_short = true;
        }
        self.begin_to_settle(&translator.map, &changed);
        self.past.found = recover.past.past();
        self.found_format = (recover.format.block_bytes > 0).then_some(recover.format.block_bytes);
        self.record_found(hw, &recover, translator);
        for &record in &recover.saved_records {
            self.record(hw, record);
        }
        for Resumed { die, superblock, goes_on, .. } in resumed {
            if let Some(stream) = goes_on {
                let opened = translator.next_sequence();
                self.opened(hw, die, Unfilled { superblock, stream, opened, filled: None });
            }
        }
    }

    /// Which parts of the map a record may have changed.
    fn note_changed(&self, record: &Record, changed: &mut [bool]) {
        let (first, last) = match *record {
            Record::Placed { lpn, .. } | Record::Lost { lpn, .. } => (lpn, lpn),
            Record::Unmapped { lpn, count, .. } => (lpn, lpn + count - 1),
            Record::Cleared { .. } => return changed.fill(true),
            Record::Opened { .. }
            | Record::Filled { .. }
            | Record::Past { .. }
            | Record::Block { .. } => return,
        };
        changed[self.parts.of_page(first) as usize..=self.parts.of_page(last) as usize].fill(true);
    }

    /// Where the log goes on, and its journal.
    fn resume_area(&mut self, recover: &Recover) {
        if let Some(last) = recover.links.iter().map(|link| link.position).max() {
            self.journal.follow(last);
        }
        let stripe_pages = self.area.stripe_pages();
        let Some(&newest) = recover.stripes.first() else {
            // A new drive, or one that was cut off before it wrote anything that counts.
            let condition = if recover.any_used { Condition::Used } else { Condition::Ready };
            for die in 0..self.area.dies() {
                for stripe in 0..self.area.stripes() {
                    self.area.set_condition(die, stripe, condition);
                }
            }
            self.to_wipe = recover.any_used.then_some(0);
            return;
        };
        let base = recover.bases[newest as usize] - 1;
        self.next = base + recover.written;
        if self.next < base + stripe_pages {
            for die in 0..self.area.dies() {
                // Without a first page of this lap it may not have been erased for it.
                let head = recover.heads[(newest * self.area.dies() + die) as usize];
                let began = head == base + 1 || is_planted(Bug::LogBlockNotErased);
                let condition = if began { Condition::Ready } else { Condition::PassedOver };
                self.area.set_condition(die, newest, condition);
            }
        }
        self.to_wipe = Some((newest + 1) % self.area.stripes());
    }

    /// What was found in open superblocks is recorded, so that these need not be read again.
    fn record_found(&mut self, hw: &mut impl Hardware, recover: &Recover, translator: &Translator) {
        for &record in &recover.found {
            let found = match record {
                Record::Placed { lpn, ppn, .. } => translator.map.is_at(lpn, ppn),
                Record::Lost { lpn, .. } => translator.map.is_lost(Lpn(lpn)),
                _ => false,
            };
            if found && !is_planted(Bug::FoundNotRecorded) {
                self.record(hw, record);
            }
        }
        for &Open { die, superblock, opened: sequence, .. } in &recover.open {
            self.record(hw, Record::Filled { die, superblock, sequence });
        }
    }
}

/// The reverse map and the valid pages of each block are counted anew: returns the superblocks that were open. `lose` is told of
/// logical pages that are lost, or at whose place another is by now.
fn rebuild(
    hw: &mut impl Hardware,
    recover: &mut Recover,
    tables: (&mut Translator, &[Record]),
    mut lose: impl FnMut(u32),
) -> Vec<Resumed> {
    let (translator, records) = tables;
    // A snapshot that was taken before their programs had ended takes them for data that are there.
    for &(lpn, ppn) in &recover.lost_at {
        if translator.map.is_at(lpn, ppn) && !is_planted(Bug::LostTakenForPresent) {
            lose(lpn);
            translator.map.restore_lost(lpn);
            let sequence = translator.next_sequence();
            recover.found.push(Record::Lost { lpn, sequence });
        }
    }
    hw.work_times(Work::Touch, translator.map.pages().div_ceil(1024));
    recover.note_claimed(translator);
    let resumed = recover.resumed(translator);
    let is_older = |one, other| recover.known_at(one, records) < recover.known_at(other, records);
    for lpn in translator.rebuild(&resumed, is_older) {
        lose(lpn);
        let sequence = translator.next_sequence();
        recover.found.push(Record::Lost { lpn, sequence });
    }
    resumed
}

impl Recover {
    fn is_younger(&self, part: u32, sequence: u64) -> bool {
        sequence >= self.newest[part as usize].1.sequence || is_planted(Bug::OldRecordsApplied)
    }

    /// Whether a record, or some of it, is younger than the snapshots.
    pub(super) fn is_needed(&self, record: &Record, geometry: &Geometry) -> bool {
        let sequence = record.sequence();
        match *record {
            Record::Placed { lpn, .. } | Record::Lost { lpn, .. } => {
                self.is_younger(self.parts.of_page(lpn), sequence)
            }
            Record::Unmapped { lpn, count, .. } => {
                let last = self.parts.of_page(lpn + count - 1);
                let end = sequence + u64::from(count);
                (self.parts.of_page(lpn)..=last).any(|part| self.is_younger(part, end))
            }
            Record::Block { block, .. } => self.is_younger(self.parts.of_block(block), sequence),
            Record::Opened { die, .. } => {
                let block = die * geometry.blocks_per_way;
                let last = block + geometry.blocks_per_way - 1;
                let parts = self.parts.of_block(block)..=self.parts.of_block(last);
                parts.into_iter().any(|part| self.is_younger(part, sequence))
            }
            Record::Cleared { .. } | Record::Filled { .. } => true,
            Record::Past { .. } => false,
        }
    }

    pub(super) fn apply(&self, record: &Record, translator: &mut Translator) {
        let map = &mut translator.map;
        match *record {
            Record::Placed { lpn, ppn, .. } => map.restore_at(lpn, ppn),
            Record::Lost { lpn, .. } => map.restore_lost(lpn),
            Record::Unmapped { lpn, count, sequence } => {
                for (lpn, sequence) in (lpn..lpn + count).zip(sequence..) {
                    if self.is_younger(self.parts.of_page(lpn), sequence) {
                        map.restore_unmapped(lpn);
                    }
                }
            }
            Record::Cleared { sequence, .. } => {
                for lpn in 0..map.pages() {
                    if self.is_younger(self.parts.of_page(lpn), sequence) {
                        map.restore_unmapped(lpn);
                    }
                }
            }
            Record::Opened { .. }
            | Record::Filled { .. }
            | Record::Past { .. }
            | Record::Block { .. } => {}
        }
    }

    /// The superblocks that were open: of each way, as many go on as there are streams to, those first that were written last.
    pub(super) fn resumed(&self, translator: &Translator) -> Vec<Resumed> {
        let blocks = &translator.blocks;
        let pages = blocks.superblock_pages();
        let of_open = |open: &Open| {
            let used = open.used.next_multiple_of(blocks.planes());
            let Open { die, superblock, .. } = *open;
            Resumed { die, superblock, used, goes_on: None }
        };
        // Of one that only may have been open nothing is known where it holds nothing.
        let is_known = |open: &&Open| open.opened > 0 || open.used > 0;
        let mut all: Vec<Resumed> = self.open.iter().filter(is_known).map(of_open).collect();
        let streams = translator.streams_of_resumed();
        for nth in (0..all.len()).rev() {
            let die = all[nth].die;
            let later = || all[nth + 1..].iter().filter(move |other| other.die == die);
            // With one stream all that are older were full.
            let is_last = streams.len() > 1 || later().all(|other| other.used == 0);
            let before = later().filter(|other| other.goes_on.is_some()).count();
            if is_last && (1..pages).contains(&all[nth].used) {
                all[nth].goes_on = streams.get(before).copied();
            }
        }
        all
    }
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
