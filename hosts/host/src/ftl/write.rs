//! Writes units of the ring to the drive, in their order: each to the next parallel unit of the open line, once the write
//! before it on the same one has ended.

use super::commands::pages_from;
use super::commands::Ended;
use super::commands::Purpose;
use super::lines::LineState;
use super::map::Where;
use super::ring::Entry;
use super::shape::{LineId, Unit};
use super::state::{HostFtl, Port};
use super::writer::{NextLine, Stage};
use crate::memory::PAGE_BYTES;
use crate::queue::Ring as Doorbell;
use nvme::open_channel::VectorKind;
use nvme::open_channel::MOST_ADDRESSES;
use nvme::status::Status;
impl HostFtl {
    /// Goes on with writes.
    pub(super) fn write_on(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        self.fill_up(port.memory);
        if self.writer.stage == Stage::Ready && self.send_unit(port) {
            self.writer.stage = Stage::Idle;
            self.reset_some(port, 1);
        }
        let is_due = !self.writer.again.is_empty() || self.ring.next_unit().is_some();
        if self.writer.stage == Stage::Idle && is_due {
            self.writer.stage = Stage::Preparing(port.now + self.costs.request_ps);
        }
    }

    /// Sends the next write, if its parallel unit is free.
    fn send_unit(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) -> bool {
        if self.stripe.line().is_none() {
            self.open_line(port);
        }
        let Some(spot) = self.stripe.spot(&self.shape) else { return false };
        if self.writer.busy[spot.unit as usize] || !self.commands.has_room() {
            return false;
        }
        let unit = match (self.writer.again.pop_front(), self.ring.next_unit()) {
            (Some(unit), _) => unit,
            (None, Some(unit)) => {
                self.ring.send_next();
                unit
            }
            (None, None) => return true,
        };
        self.place(unit, spot.place);
        self.place_list(port.memory, (unit, spot.place));
        self.writer.busy[spot.unit as usize] = true;
        if let Some(line) = self.stripe.advance(&self.shape) {
            self.lines.of_mut(line).state = LineState::Closed;
        }
        let count = self.shape.write_blocks as usize;
        let (mut addresses, mut pages) = ([0; MOST_ADDRESSES], [0; MOST_ADDRESSES]);
        let first = self.shape.address(spot.place);
        (first..).zip(&mut addresses[..count]).for_each(|(own, address)| *address = own);
        let at = self.ring_at + u64::from(unit) * count as u64 * PAGE_BYTES;
        pages_from(at, &mut pages[..count]);
        let purpose = (Purpose::Write { unit, place: spot.place }, VectorKind::Write);
        let (addresses, pages) = (&addresses[..count], &pages[..count]);
        let ring = self.commands.send((port.now, port.memory), purpose, addresses, pages);
        (port.ring)(ring);
        self.counts.write_commands += 1;
        true
    }

    /// A unit of the ring is written from a place on: the map names its blocks there when the ring lets go of them.
    fn place(&mut self, unit: u32, place: u32) {
        self.ring.put_unit(unit, place);
        let line = self.shape.line_of(place);
        let mut valid = 0;
        for (nth, slot) in (0..).zip(self.ring.slots_of(unit)) {
            let current = self.current(slot);
            valid += u32::from(current.is_some());
            self.map.note(place + nth, current);
        }
        let own = self.lines.of_mut(line);
        own.valid += valid;
        own.pending += 1;
    }

    /// The block of an entry, unless it was written or deallocated since.
    fn current(&self, slot: u32) -> Option<u32> {
        let Entry { lba, origin, .. } = *self.ring.entry(slot);
        let is_current = origin.is_data() && self.map.find(lba) == Where::Buffer(slot);
        is_current.then_some(lba)
    }

    /// A write has ended.
    pub(super) fn end_write(&mut self, now: u64, ended: &Ended, (unit, place): (u32, u32)) {
        self.counts.write_times.record(now - ended.command.sent_ps);
        let (line, parallel) = (self.shape.line_of(place), self.shape.unit_of(place));
        self.writer.busy[parallel as usize] = false;
        self.lines.of_mut(line).pending -= 1;
        self.collector.look_again();
        match ended.status {
            status if status.is_success() => self.unit_stored(now, (unit, line)),
            status if status.is(Status::CHUNK_EARLY_CLOSE) || status.is(Status::WRITE_FAULT) => {
                self.write_again(unit, (line, parallel));
            }
            status => self.refused("a write of the next blocks of a chunk", status),
        }
    }

    /// A unit could not be written: it is written elsewhere, and its chunk no more until it was reset.
    fn write_again(&mut self, unit: u32, (line, parallel): (LineId, Unit)) {
        let current = self.ring.slots_of(unit).filter(|&slot| self.current(slot).is_some()).count();
        self.lines.of_mut(line).valid -= current as u32;
        self.ring.take_unit_back(unit);
        self.writer.again.push_back(unit);
        self.counts.failed_writes += 1;
        if self.stripe.line() == Some(line) {
            if let Some(line) = self.stripe.drop_unit(&self.shape, parallel) {
                self.lines.of_mut(line).state = LineState::Closed;
            }
        }
    }

    /// Opens the next line, if its chunks are reset.
    fn open_line(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        self.reset_some(port, self.shape.units());
        let Some(NextLine { line, unit, pending }) = self.writer.next_line else { return };
        if unit < self.shape.units() || pending > 0 {
            return;
        }
        self.writer.next_line = None;
        if self.lines.blocks(line) == 0 {
            self.lines.of_mut(line).state = LineState::Retired;
            return self.open_line(port);
        }
        self.lines.open(line);
        self.stripe.open(line, self.lines.good_units(line));
    }

    /// Resets up to `most` chunks of the line that is written next.
    fn reset_some(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>, most: u32) {
        if self.writer.next_line.is_none() {
            let Some(line) = self.lines.take_free() else { return };
            let unit = if self.lines.of(line).is_used { 0 } else { self.shape.units() };
            self.writer.next_line = Some(NextLine { line, unit, pending: 0 });
        }
        let Some(next) = &mut self.writer.next_line else { return };
        let mut sent = 0;
        while next.unit < self.shape.units() && sent < most && self.commands.has_room() {
            let unit = next.unit;
            next.unit += 1;
            if !self.lines.is_good(next.line, unit) {
                continue;
            }
            next.pending += 1;
            sent += 1;
            let address = self.shape.address(self.shape.place(next.line, unit, 0));
            let purpose = (Purpose::Reset { line: next.line, unit }, VectorKind::Reset);
            let ring = self.commands.send((port.now, port.memory), purpose, &[address], &[]);
            (port.ring)(ring);
            self.counts.resets += 1;
        }
    }

    /// A reset has ended.
    pub(super) fn end_reset(&mut self, ended: &Ended, (line, unit): (LineId, Unit)) {
        let next = self.writer.next_line.as_mut().expect("chunks of the next line are reset");
        next.pending -= 1;
        match ended.status {
            status if status.is_success() => {}
            status if status.is(Status::OFFLINE_CHUNK) || status.is(Status::INVALID_RESET) => {
                self.lines.drop_chunk(line, unit);
                self.counts.bad_chunks += 1;
                self.is_read_only |= self.lines.good_blocks() < self.least_blocks();
            }
            status => self.refused("a reset of a chunk that is written", status),
        }
    }
}
