//! What the FTL tells its log, and what it does when the log lets it.

use contract::{Hardware, Lpn};

use super::depend::Adder;
use super::flush::Kept;
use super::log::holds::Waiter;
use super::log::page::Time;
use super::log::record::Record;
use super::log::{Log, LogCounters, Tables};
use super::map::Ppn;
use super::precondition::Media;
use super::save::Save;
use super::slice::Slice;
use super::translate::{Freed, Translator};
use super::{Ftl, Ports};
use crate::nvme::backend::Durability;
use crate::operations::moved::Moved;
use crate::operations::{Ended, OpId, Operation, Page, Place, Stage, Task};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// Whether the drive knows where its data are, and can take commands.
    pub fn is_ready(&self) -> bool {
        let has_saved = self.save.as_ref().is_none_or(Save::is_ready);
        has_saved && !self.is_scanning() && self.log.as_ref().is_none_or(Log::is_ready)
    }

    /// What the log did since power-on.
    pub fn log_counters(&self) -> LogCounters {
        self.log.as_ref().map_or(LogCounters::default(), |log| log.counters)
    }

    /// Lets the log find the map, or write what there is to be written. True when something was done.
    pub(super) fn advance_log(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if self.is_gathering() {
            return false;
        }
        let Some(log) = &mut self.log else { return false };
        if log.recover.is_none() {
            let mut tables = tables(&mut self.translator, self.block_bytes);
            let busy = log.advance(ports, &mut tables);
            self.let_go_waiting(ports);
            return busy;
        }
        let busy = log.recover(ports, &mut self.translator);
        if log.lacks_blocks {
            self.look_at_all();
        } else if log.recover.is_none() {
            if let Some(block_bytes) = log.found_format.take() {
                self.block_bytes = block_bytes;
            }
        }
        busy
    }

    /// An operation has ended: true if it was one of the log.
    pub(super) fn log_ended(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (page, task): (Page, Task),
        ended: Ended,
    ) -> bool {
        if let Task::Mark { entry, .. } = task {
            self.mark_read(ports.hw, (page, entry), ended);
            return true;
        }
        if self.is_saved_at(page) {
            match task {
                Task::Probe { entry, .. } => self.gathered(ports.hw, (page, entry), ended),
                Task::Wipe => self.area_erased(page, ended),
                _ => return false,
            }
            return true;
        }
        let Some(log) = &mut self.log else { return false };
        match task {
            Task::Probe { entry, .. } if log.recover.is_none() => {
                log.loaded(ports.hw, &mut self.translator.map, (entry, ended));
            }
            Task::Probe { entry, .. } => {
                log.probed(ports.hw, (page, entry), ended, &mut self.translator);
            }
            Task::Log { .. } | Task::Wipe => {
                log.ended(&mut self.translator.map, (page, task), ended);
            }
            Task::Read { .. } | Task::Mark { .. } | Task::Program { .. } | Task::Erase => {
                return false
            }
        }
        true
    }

    /// A program of data has ended.
    pub(super) fn note_programmed(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, page, task): (OpId, Page, Task),
        ended: Ended,
    ) {
        let (Some(log), Task::Program { sequence, .. }) = (&mut self.log, task) else { return };
        let sequence = sequence.get();
        let block = self.geometry.block_of(page.row);
        let superblock = self.translator.blocks.superblock_of(page.die, block);
        let kept = |own: &Moved| ended == Ended::Well && !own.lost;
        let record = |Moved { lpn: Lpn(lpn), unit, .. }| {
            let Ppn(ppn) = self.translator.ppn(Place { page, unit });
            Record::Placed { lpn, ppn, sequence }
        };
        let records = ports.station.pool.moved(id).filter(kept).map(record);
        // One behind another that fails may end before it, in cache mode.
        let station = &*ports.station;
        let is_before = |op: &Operation| match op.on_flash().map(|flash| flash.task) {
            Some(Task::Program { sequence: other, .. }) => other.get() < sequence,
            _ => false,
        };
        let mut left = station.queued(page.die).chain(station.handed(page.die));
        let is_first = || !left.any(is_before);
        log.program_ended(ports.hw, (page, superblock), records, (sequence, is_first));
    }

    /// The data of a logical page are lost.
    pub(super) fn note_lost(&mut self, ports: &mut Ports<'_, impl Hardware>, lpn: Lpn) {
        if let Some(log) = &mut self.log {
            let sequence = self.translator.sequence;
            log.freed(ports.hw, Record::Lost { lpn: lpn.0, sequence });
        }
    }

    /// A mapping unit was freed, or had been before. Where that is to be durable at once, its command waits
    /// for the record of it.
    pub(super) fn note_freed(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        slice: &Slice,
        freed: Freed,
    ) {
        let Some(log) = &mut self.log else { return };
        if freed == Freed::Now && !is_planted(Bug::FreedNotRecorded) {
            let sequence = self.translator.sequence;
            log.freed(ports.hw, Record::Unmapped { lpn: slice.lpn.0, count: 1, sequence });
        }
        // Whoever freed it before did not have to wait for the record.
        let record = log.last_freed();
        let skipped = freed == Freed::Before && is_planted(Bug::FreedBeforeNotAwaited);
        let durable = slice.durability == Durability::Durable && !skipped;
        if durable && log.holds.wait_for_record(record, Waiter::Command(slice.tag)) {
            self.commands.expect(slice.tag);
        }
    }

    /// All logical pages were freed.
    pub(super) fn note_cleared(&mut self) {
        let sequence = self.translator.next_sequence();
        if let Some(log) = self.log.as_mut().filter(|_| !is_planted(Bug::FormatNotRecorded)) {
            log.cleared = Some(Record::Cleared { block_bytes: self.block_bytes, sequence });
        }
    }

    /// Blocks of a way have other places since one of them failed.
    pub(super) fn note_blocks(
        &mut self,
        hw: &mut impl Hardware,
        die: u32,
        blocks: [Option<u32>; 2],
    ) {
        let Some(log) = &mut self.log else { return };
        // Without the record of the one, the other's would leave a superblock that lacks a block.
        let count = blocks.iter().flatten().count() as u32;
        for (block, behind) in blocks.into_iter().flatten().zip((0..count).rev()) {
            if is_planted(Bug::BadBlocksNotRecorded) {
                return;
            }
            let sequence = self.translator.next_sequence();
            let place = self.translator.blocks.place_of(die, block).code();
            let block = die * self.geometry.blocks_per_way + block;
            let record = log.record_before(hw, Record::Block { block, place, sequence }, behind);
            log.block_replaced(die, record);
        }
    }

    /// A way whose block was replaced goes on when flash holds the record of that.
    pub(super) fn hold_way(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let first = ports.station.first_of_data(die);
        let (Some(log), Some(first)) = (&mut self.log, first) else { return };
        // One that has failed too is seen to next, and ends perhaps; the way is held then.
        let stage = ports.station.pool[first].on_flash().map(|flash| flash.stage);
        if stage == Some(Stage::Failed) {
            return;
        }
        let record = log.holds.made();
        if log.holds.wait_for_record(record, Waiter::Operation(first)) {
            ports.station.pool.hold(first, 1);
            ports.station.bring_log(die);
        }
    }

    /// A flush ends when flash holds the records of what was freed before, too.
    pub(super) fn flush_records(&mut self) {
        let Some(log) = &mut self.log else { return };
        let record = log.last_freed();
        if is_planted(Bug::FlushForgetsFreed) {
            return;
        }
        if record > log.holds.kept() {
            let epoch = self.flushes.begin();
            log.holds.wait_for_record(record, Waiter::Flush(epoch));
        }
    }

    /// Lets go what waited for the log.
    pub(super) fn let_go_waiting(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        while let Some(waiter) = self.log.as_mut().and_then(|log| log.holds.next_free()) {
            match waiter {
                Waiter::Operation(id) => {
                    Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.let_go_of(id);
                }
                Waiter::Flush(epoch) => self.flushes.end(epoch, Kept::All),
                Waiter::Command(tag) => self.commands.finish_one(tag),
                Waiter::Snapshots => {
                    if let Some(log) = &mut self.log {
                        log.snapshots.release();
                    }
                }
            }
        }
    }

    /// The drive was brought into a state that nothing was written for: its log is put there too.
    pub fn establish_log(&mut self, media: &mut impl Media) {
        let Some(log) = &mut self.log else { return };
        self.translator.next_sequence();
        let mut tables = tables(&mut self.translator, self.block_bytes);
        log.establish(&mut tables, |page, metadata, bytes| media.log(page, metadata, bytes));
    }
}

fn tables(translator: &mut Translator, block_bytes: u32) -> Tables<'_> {
    let Translator { map, blocks, sequence, .. } = translator;
    Tables { map, blocks, time: Time { sequence: *sequence + 1, block_bytes, position: 0 } }
}
