//! What goes to the log of pages written in part, and when blocks of it are given up.

use contract::{Hardware, Lpn};

use super::blocks::Use;
use super::held::Progress;
use super::log::{sequence_of, LogBlock, Mark, Record};
use super::Zones;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Operation, Owner, Page, Task};
use crate::placed::Ports;
use crate::planted::{is_planted, Bug};

impl Zones {
    /// Writes what is there of the last page of a zone to the log, if something waits for it to be durable and it is not there.
    pub(super) fn log_wanted(&mut self, ports: &mut Ports<'_, impl Hardware>, zone: u32) {
        let data = self.data[zone as usize];
        let full = data.filled * self.shape.units();
        if data.wanted <= full || data.lost != u32::MAX {
            return;
        }
        let Some(held) = self.held.find(zone, data.filled) else { return };
        let own = self.held.of(held);
        let is_part = u32::from(own.count) < self.shape.units() && !own.is_last;
        let is_there = full + own.ready() >= data.wanted;
        let is_logged = data.record_of(data.filled).is_some_and(|record| record.end >= data.wanted);
        // A page whose program is under way is one of two that the log may have.
        let has_both = data.records[1].is_some() && data.record_of(data.filled).is_none();
        if has_both {
            return;
        }
        if is_part && is_there && !own.logging && !is_logged {
            self.log_page(ports, held);
        }
    }

    /// Plans to write what is there of a page to the log.
    fn log_page(&mut self, ports: &mut Ports<'_, impl Hardware>, held: u32) {
        let own = *self.held.of(held);
        let (slot, _) = self.shape.slot_of(own.page);
        let die = self.shape.die(own.zone, slot);
        // Before a place is sought: where that begins another block, what stands in older ones is written there.
        self.held.of_mut(held).logging = true;
        let Some(at) = self.log_place(ports, die) else {
            self.held.of_mut(held).logging = false;
            return self.log_failed(own.zone, own.page);
        };
        let (block, _) = self.shape.block_of(at);
        self.log.count(die, block, 1);
        self.data[own.zone as usize].first_logged |= own.page == 0;
        self.log.serial += 1;
        let sequence = sequence_of(self.log.serial, self.generation(own.zone));
        self.plan_program(ports, at, held, sequence, own.ready());
    }

    /// The next page of a way's log; none if there is no erased block for it.
    fn log_place(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) -> Option<Page> {
        let rows = self.shape.rows();
        if self.log.way(die).row.is_none_or(|row| row == rows) {
            self.next_log_block(ports, die)?;
        }
        let way = self.log.way(die);
        let (row, last) = (way.row.as_mut()?, way.blocks.back()?);
        *row += 1;
        Some(self.shape.page(die, last.block, *row - 1))
    }

    /// The log of a way goes on in another block.
    fn next_log_block(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) -> Option<u32> {
        let block = self.take_block(ports, die, Use::Log)?;
        let serial = self.log.serial;
        let way = self.log.way(die);
        way.blocks.push_back(LogBlock { block, live: 0 });
        way.row = Some(0);
        if way.floor > 0 {
            way.floor = serial + 1;
        }
        self.renew_marks(die);
        self.renew_records(ports, die);
        self.drop_log_blocks(die);
        Some(block)
    }

    /// What marks of a way still have to say is to be said again.
    pub(super) fn renew_marks(&mut self, die: u32) {
        if self.log.way(die).floor > 0 {
            self.log.marks.push_back((die, Mark::Floor));
        }
        for nth in 0..self.log.way(die).stale.len() {
            let zone = self.log.way(die).stale[nth];
            if self.data[zone as usize].stored == 0 {
                self.mark_reset(die, zone);
            }
        }
    }

    /// A mark in a way's log is to say that a zone was reset.
    fn mark_reset(&mut self, die: u32, zone: u32) {
        self.data[zone as usize].marks += 1;
        self.log.marks.push_back((die, Mark::Reset(zone)));
    }

    /// A zone was reset. Where no erase says so, a mark is to: if the log may hold its first page, and for blocks that could not be erased.
    pub(super) fn mark_resets(&mut self, zone: u32, is_first_logged: bool) {
        if is_first_logged && !is_planted(Bug::ResetNotMarked) {
            self.mark_reset(self.shape.die(zone, 0), zone);
        }
        let mut from = 0;
        loop {
            let next = self.log.stale_ways(zone).find(|&die| die >= from);
            let Some(die) = next else { return };
            self.mark_reset(die, zone);
            from = die + 1;
        }
    }

    /// A block of a zone could not be erased: a mark is to say that its data are gone.
    pub(super) fn mark_stale(&mut self, die: u32, zone: u32) {
        self.log.note_stale(die, zone);
        if self.data[zone as usize].stored == 0 {
            self.mark_reset(die, zone);
        }
    }

    /// A log block of a way could not be erased. The log goes on in another block, which says so before marks that are in older ones go.
    pub(super) fn mark_floor(&mut self, die: u32) {
        let rows = self.shape.rows();
        let way = self.log.way(die);
        way.floor = way.floor.max(1);
        way.row = way.row.map(|_| rows);
    }

    /// Writes the last pages of zones to a way's present log block that stand in an older one.
    pub(super) fn renew_records(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let mut nth = 0;
        while let Some(zone) = self.held.nth_zone(nth) {
            nth += 1;
            for record in self.data[zone as usize].records.into_iter().flatten() {
                let way = self.log.way(die);
                let is_last = way.blocks.back().is_some_and(|own| own.block == record.block);
                if record.die != die || way.row.is_some() && is_last {
                    continue;
                }
                let Some(held) = self.held.find(zone, record.page) else { continue };
                let own = self.held.of(held);
                if own.progress == Progress::Filling && !own.logging {
                    self.log_page(ports, held);
                }
            }
        }
    }

    /// What the log has of a page does not count any more once that is stored.
    pub(super) fn forget_records(&mut self, zone: u32) {
        let stored = self.data[zone as usize].stored;
        self.drop_records(zone, |record| record.page < stored);
    }

    /// Records of a zone do not count any more: all of them where it is reset.
    pub(super) fn drop_records(&mut self, zone: u32, is_over: impl Fn(&Record) -> bool) {
        for nth in 0..2 {
            let place = &mut self.data[zone as usize].records[nth];
            if let Some(record) = place.take_if(|record| is_over(record)) {
                self.log.count(record.die, record.block, -1);
                self.drop_log_blocks(record.die);
            }
        }
    }

    /// Gives up the oldest blocks of a way's log in which nothing counts.
    pub(super) fn drop_log_blocks(&mut self, die: u32) {
        while !self.log.is_held {
            let is_marking = self.log.marks.iter().any(|(own, _)| *own == die);
            let way = self.log.way(die);
            let is_last = way.blocks.len() == 1 && way.row.is_some();
            match way.blocks.front() {
                Some(own) if own.live == 0 && !is_last && !is_marking => {
                    let block = own.block;
                    way.blocks.pop_front();
                    self.blocks.doom(die, block, None);
                }
                _ => return,
            }
        }
    }

    /// Plans marks that wait. True when something was done.
    pub(super) fn plan_marks(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let mut busy = false;
        for _ in 0..self.log.marks.len() {
            let Some((die, mark)) = self.log.marks.pop_front() else { break };
            if self.placed.free.is_empty() || mark == Mark::Floor && self.counts_in_old(die) {
                self.log.marks.push_back((die, mark));
                continue;
            }
            busy = true;
            self.plan_mark(ports, die, mark);
            self.drop_log_blocks(die);
        }
        busy
    }

    /// Whether pages of a way's log count that are not in its last block.
    fn counts_in_old(&mut self, die: u32) -> bool {
        let blocks = &self.log.way(die).blocks;
        blocks.iter().rev().skip(1).any(|own| own.live > 0)
    }

    fn plan_mark(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32, mark: Mark) {
        let Some(at) = self.log_place(ports, die) else {
            return self.mark_done(die, None, mark, false);
        };
        let (block, _) = self.shape.block_of(at);
        self.log.serial += 1;
        let (lpn, generation) = match mark {
            Mark::Reset(zone) => {
                let first = self.shape.start(zone) as u32;
                (Lpn(first), self.generation(zone))
            }
            Mark::Floor => (Lpn(self.log.way(die).floor), 0),
        };
        let entry = self.placed.free.pop().expect("an entry is free");
        ports.hw.zero_buffer(entry, 0, ports.station.unit().length);
        self.log.count(die, block, 1);
        let sequence = sequence_of(self.log.serial, generation);
        let task = Task::Program { entry, lpn, epoch: None, lost: true, sequence };
        let id = ports.station.reserve(ports.hw, Operation::flash(Owner::Drive, at, task));
        self.placed.begin(ports, id);
    }

    /// A page of the log was programmed, or was not.
    pub(super) fn logged(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        at: Page,
        count: u32,
        held: u32,
        is_there: bool,
    ) {
        let (block, _) = self.shape.block_of(at);
        let own = self.held.of_mut(held);
        own.logging = false;
        let own = *own;
        let end = own.page * self.shape.units() + count;
        let record = Record { die: at.die, block, row: at.row, page: own.page, end };
        if own.is_dropped || !is_there || self.data[own.zone as usize].stored > own.page {
            self.log.count(at.die, block, -1);
        } else {
            self.drop_records(own.zone, |old| old.page == own.page);
            let records = &mut self.data[own.zone as usize].records;
            *records = [Some(record), records[0].or(records[1])];
        }
        self.drop_log_blocks(at.die);
        if own.is_dropped {
            return self.held.release_dropped(held, &mut self.placed.free);
        }
        if !is_there {
            self.log_failed(own.zone, own.page);
        }
        self.renew_records(ports, at.die);
        self.go_on(ports, own.zone);
    }

    /// A page could not be written to the log. It is lost, unless an older page of the log has all that is to be durable of it: that
    /// one counts on, and its block stays.
    #[cold]
    fn log_failed(&mut self, zone: u32, page: u32) {
        let data = &self.data[zone as usize];
        if data.record_of(page).is_none_or(|record| record.end < data.wanted) {
            self.lose(zone, page);
        }
    }

    /// A mark was programmed, or was not.
    pub(super) fn mark_done(&mut self, die: u32, at: Option<Page>, mark: Mark, is_there: bool) {
        if let Some(at) = at {
            let (block, _) = self.shape.block_of(at);
            self.log.count(die, block, -1);
        }
        if !is_there {
            self.log.note_lost();
        }
        if let Mark::Reset(zone) = mark {
            self.data[zone as usize].marks -= 1;
            if !is_there {
                self.fail_reset(zone);
            }
        }
        self.drop_log_blocks(die);
    }

    /// What a zone held before its reset may come back after a power loss: the zone is of no use any more.
    #[cold]
    pub(super) fn fail_reset(&mut self, zone: u32) {
        self.states.take_offline(zone);
        self.fail_waiters(zone, IoOutcome::WriteFault);
    }

    /// A log block failed in a row: its pages from there on go to another one. Returns that block.
    pub(super) fn follow_log(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        die: u32,
    ) -> Option<u32> {
        let block = self.take_block(ports, die, Use::Log)?;
        self.log.way(die).blocks.push_back(LogBlock { block, live: 0 });
        Some(block)
    }

    /// The last block of a way's log takes no more.
    pub(super) fn stop_log(&mut self, die: u32) {
        self.log.way(die).row = None;
    }

    /// Programs that were under way in a log block go on in another one, and the next page of that is this row.
    pub(super) fn move_log(&mut self, die: u32, from: u32, to: u32, row: u32) {
        self.log.count(die, from, -(row as i32));
        self.log.count(die, to, row as i32);
        self.log.way(die).row = Some(row);
    }
}
