//! What outlives the power: when lists are written, and who waits for them.

use super::gaps;
use super::journal;
use super::lines::LineState;
use super::map::Where;
use super::ring::Origin;
use super::shape::LineId;
use super::state::{HostFtl, Port};
use crate::memory::Memory;
use crate::memory::PAGE_BYTES;
use crate::queue::Ring as Doorbell;

impl HostFtl {
    /// A request is done once everything that came until now is durable.
    pub(super) fn store(&mut self, number: u32, now: u64) {
        let to = self.ring.data_end();
        if self.journal.listed() >= to {
            return self.finish(number, now);
        }
        self.want(to);
        self.unstored.push_back((to, number));
    }

    /// Everything up to a position of the ring is written and listed, though it fills nothing.
    pub(super) fn want(&mut self, position: u64) {
        self.journal.want(position);
        self.flush_to = self.flush_to.max(self.ring.head());
    }

    /// A flush: what was deallocated has to be durable, too.
    pub(super) fn flush(&mut self, number: u32) {
        self.gaps.demand();
        self.flushes.push_back(number);
    }

    /// All that is there is to be durable.
    pub(super) fn want_all(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        self.gaps.demand();
        self.push_gaps(port);
        if self.gaps.is_done() && self.journal.listed() < self.ring.data_end() {
            self.want(self.ring.data_end());
        }
    }

    /// Takes blocks of gaps into the ring, and then the flushes that waited for this.
    pub(super) fn push_gaps(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        while let Some(number) = self.gaps.next().filter(|_| self.ring.has_room()) {
            self.gaps.come(number);
            let page = self.push(port.memory, self.gaps.lba(number), Origin::Collector);
            let blocks = self.front.blocks();
            gaps::emit(&self.map, (number, blocks), port.memory.at_mut(page, PAGE_BYTES as usize));
        }
        while self.gaps.is_done() {
            let Some(number) = self.flushes.pop_front() else { return };
            self.store(number, port.now);
        }
    }

    /// A unit of the ring is stored.
    pub(super) fn unit_stored(&mut self, now: u64, (unit, line): (u32, LineId)) {
        let before = self.ring.synced();
        self.ring.stored(unit);
        let each = u64::from(self.shape.write_blocks);
        for position in (before..self.ring.synced()).step_by(each as usize) {
            let first = self.ring.slot(position);
            let slots = first..first + each as u32;
            let lbas = slots.map(|slot| {
                let own = self.ring.entry(slot);
                own.origin.is_data().then_some(own.lba)
            });
            self.journal.add(self.ring.entry(first).place, lbas);
        }
        if self.journal.is_in(unit) {
            self.journal.stored((&self.shape, &self.lines), line);
            self.end_stored(now);
        }
    }

    /// Ends the requests that waited for what is durable now.
    fn end_stored(&mut self, now: u64) {
        while let Some(&(position, number)) = self.unstored.front() {
            if position > self.journal.listed() {
                return;
            }
            self.unstored.pop_front();
            self.finish(number, now);
        }
    }

    /// What is valid elsewhere and named by lists in this line is named anew.
    pub(super) fn name_again(&mut self, line: LineId) {
        for unit in self.journal.take_elsewhere(line) {
            let own = self.lines.of(self.shape.line_of(unit.place));
            // Others were given back, and may have been written anew.
            if (own.opened, own.state) == (unit.opened, LineState::Closed) {
                let places = unit.place..unit.place + self.shape.write_blocks;
                let valid = |place| self.map.block_at(place).filter(|&lba| self.is_at(lba, place));
                let lbas: Vec<_> = places.map(valid).collect();
                if lbas.iter().any(Option::is_some) {
                    self.journal.add_again(unit, lbas.into_iter());
                }
            }
        }
    }

    /// Whether a logical block is read from a place, or will be when the ring lets go of it.
    fn is_at(&self, lba: u32, place: u32) -> bool {
        match self.map.find(lba) {
            Where::Flash(own) => own == place,
            Where::Buffer(slot) => self.ring.entry(slot).place == place,
            Where::Nowhere | Where::Lost => false,
        }
    }

    /// Writes a list, if one is due, at the end of what has come of its unit. Others have a unit of their own, so that
    /// blocks of jobs that follow each other lie in pages as they would without.
    pub(super) fn push_list(&mut self, memory: &mut Memory) {
        while self.journal.is_due(self.ring.synced()) && self.ring.has_room() {
            if !self.ring.is_before_last() {
                self.push(memory, 0, Origin::Pad);
                continue;
            }
            let (slot, old) = self.ring.push(0, Origin::List);
            if let Some(old) = old {
                self.release(slot, &old);
            }
            self.counts.list_blocks += 1;
            let page = self.ring_at + u64::from(slot) * PAGE_BYTES;
            let unit = slot / self.shape.write_blocks;
            self.journal.emit(unit, memory.at_mut(page, PAGE_BYTES as usize));
            self.flush_to = self.ring.head();
        }
    }

    /// A unit of the ring is written from a place on: the list in it, if it has one, says so.
    pub(super) fn place_list(&self, memory: &mut Memory, (unit, place): (u32, u32)) {
        if self.journal.is_in(unit) {
            let last = self.shape.write_blocks - 1;
            let slot = unit * self.shape.write_blocks + last;
            let page = self.ring_at + u64::from(slot) * PAGE_BYTES;
            journal::put_place(memory.at_mut(page, PAGE_BYTES as usize), place + last);
        }
    }

    /// Fills the last unit up, if what is in it, or a list, is not to wait.
    pub(super) fn fill_up(&mut self, memory: &mut Memory) {
        if self.journal.is_urgent(self.ring.synced()) {
            self.push_list(memory);
        }
        if self.flush_to <= self.ring.sent() || self.ring.next_unit().is_some() {
            return;
        }
        while self.ring.is_partial() && self.ring.has_room() {
            self.push(memory, 0, Origin::Pad);
        }
    }
}
