//! Collects garbage: reads what is valid of a line, puts it into the ring, and gives the line back once all of it is stored.

use super::collector::{Buffer, Victim, BUFFERS};
use super::commands::pages_from;
use super::commands::Ended;
use super::commands::Purpose;
use super::lines::LineState;
use super::map::Where;
use super::ring::Origin;

use super::state::{HostFtl, Port};
use crate::queue::Ring as Doorbell;
use nvme::open_channel::VectorKind;
use nvme::open_channel::MOST_ADDRESSES;
impl HostFtl {
    /// Goes on with collecting, and begins if lines are short.
    pub(super) fn collect(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        self.move_blocks(port);
        loop {
            let free = self.free_lines();
            let is_short = match self.is_closing {
                false => self.limiter.collects(free),
                true => self.limiter.is_exhausted(free),
            };
            let can_write = !self.is_read_only || !self.has_no_line();
            if self.collector.victim.is_none() && is_short && can_write {
                self.begin_victim();
            }
            self.read_victim(port);
            // Nothing else may happen that would let the next line begin.
            if !self.end_victim(port) {
                return;
            }
        }
    }

    fn begin_victim(&mut self) {
        if self.collector.is_futile {
            return;
        }
        let Some(line) = self.lines.victim(self.shape.collect_blocks()) else {
            self.collector.is_futile = true;
            return;
        };
        self.lines.of_mut(line).state = LineState::Collected;
        let units = self.lines.good_units(line).collect();
        self.name_again(line);
        self.collector.victim = Some(Victim { line, units, next: 0, stored_at: None });
    }

    /// Reads valid blocks of the line into buffers.
    fn read_victim(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        while self.commands.has_room() {
            let Some(&buffer) = self.collector.free.last() else { return };
            let count = self.gather_victim(buffer);
            if count == 0 {
                return;
            }
            self.collector.free.pop();
            let (mut addresses, mut pages) = ([0; MOST_ADDRESSES], [0; MOST_ADDRESSES]);
            let places = &self.collector.buffers[buffer as usize].places[..count];
            for (address, &place) in addresses.iter_mut().zip(places) {
                *address = self.shape.address(place);
            }
            pages_from(self.collector.page(buffer, 0), &mut pages[..count]);
            let purpose = (Purpose::Collect { buffer }, VectorKind::Read);
            let (addresses, pages) = (&addresses[..count], &pages[..count]);
            let ring = self.commands.send((port.now, port.memory), purpose, addresses, pages);
            (port.ring)(ring);
            self.counts.collect_commands += 1;
        }
    }

    /// The next valid blocks of the line, as many as a command names.
    fn gather_victim(&mut self, buffer: u32) -> usize {
        let Some(mut victim) = self.collector.victim.take() else { return 0 };
        let mut count = 0;
        while count < MOST_ADDRESSES {
            let Some(place) = victim.place(&self.shape) else { break };
            victim.next += 1;
            if let Some(lba) = self.valid_at(place) {
                if let Some(number) = self.gaps.own(lba) {
                    self.gaps.demand_one(number);
                    continue;
                }
                let own = &mut self.collector.buffers[buffer as usize];
                (own.places[count], own.lbas[count]) = (place, lba);
                count += 1;
            }
        }
        let own = &mut self.collector.buffers[buffer as usize];
        (own.count, own.moved, own.failed) = (count, 0, 0);
        self.collector.victim = Some(victim);
        count
    }

    /// The block that a place of the flash holds, if it is read from there, or would be if the ring had no room for it any
    /// more: then the ring lets go of it now.
    fn valid_at(&mut self, place: u32) -> Option<u32> {
        let lba = self.map.block_at(place)?;
        match self.map.find(lba) {
            Where::Flash(own) => (own == place).then_some(lba),
            Where::Buffer(slot)
                if self.ring.entry(slot).place == place && self.ring.is_stored(slot) =>
            {
                self.map.put(lba, Where::Flash(place));
                Some(lba)
            }
            _ => None,
        }
    }

    /// Blocks were read into a buffer.
    pub(super) fn end_collect(&mut self, ended: &Ended, buffer: u32) {
        let own = &mut self.collector.buffers[buffer as usize];
        own.failed = match ended.status.is_success() {
            true => 0,
            // A command that names no block failed for all.
            false if ended.failed == 0 => u64::MAX,
            false => ended.failed,
        };
        self.collector.ready.push_back(buffer);
    }

    /// Puts blocks that were read into the ring.
    fn move_blocks(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        while let Some(&buffer) = self.collector.ready.front() {
            let Buffer { places, lbas, count, mut moved, failed } =
                self.collector.buffers[buffer as usize];
            while moved < count {
                let (place, lba) = (places[moved], lbas[moved]);
                if self.map.find(lba) != Where::Flash(place) {
                    // It was written or deallocated meanwhile.
                } else if failed >> moved & 1 == 1 {
                    self.forget(lba);
                    self.map.put(lba, Where::Lost);
                    self.gaps.note(lba);
                    self.counts.lost_blocks += 1;
                } else if self.may_come(Origin::Collector) {
                    let to = self.push(port.memory, lba, Origin::Collector);
                    let from = self.collector.page(buffer, moved);
                    port.memory.copy(from, to, self.copied_bytes);
                } else {
                    break;
                }
                moved += 1;
            }
            self.collector.buffers[buffer as usize].moved = moved;
            if moved < count {
                return;
            }
            self.collector.ready.pop_front();
            self.collector.free.push(buffer);
        }
    }

    /// Gives the line back if all that was valid of it is stored elsewhere. Returns whether it did.
    fn end_victim(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) -> bool {
        let is_moved = self.collector.free.len() == BUFFERS as usize;
        let Some(victim) = &mut self.collector.victim else { return false };
        if victim.place(&self.shape).is_some() || !is_moved {
            return false;
        }
        let line = victim.line;
        if victim.stored_at.is_none() {
            // What was deallocated since it was written must not come back either.
            self.gaps.demand();
            self.push_gaps(port);
            if !self.gaps.is_done() {
                return false;
            }
        }
        let Some(victim) = &mut self.collector.victim else { return false };
        let stored_at = *victim.stored_at.get_or_insert(self.ring.data_end());
        if self.journal.listed() < stored_at {
            self.want(stored_at);
            return false;
        }
        if !self.journal.has_named_again() {
            return false;
        }
        self.lines.free_line(line);
        self.counts.collected_lines += 1;
        self.collector.victim = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::journal::Elsewhere;
    use crate::ftl::shape::tests::geometry;
    use crate::ftl::tests::rig::Body;
    use crate::ftl::tests::ruled::Ruled;
    use crate::ftl::tests::rules::Faults;

    /// Lists in a line name a unit elsewhere. Nothing is to be moved, and all that came is in lists, but the line stays
    /// until a list in another line that names the unit is stored.
    #[test]
    fn a_line_is_kept_until_what_its_lists_name_is_named_by_another() {
        let mut rig = Ruled::rig(&geometry(), Faults::default(), 1);
        rig.run(300);
        rig.close();
        let (now, memory, ftl) = rig.body.host();
        let line = ftl.lines.take_free().expect("a free line");
        ftl.lines.of_mut(line).state = LineState::Collected;
        let unit = Elsewhere { place: 64, position: 0, opened: 0 };
        ftl.journal.add_again(unit, (0..ftl.shape.write_blocks).map(|_| None));
        let units = Vec::new();
        ftl.collector.victim = Some(Victim { line, units, next: 0, stored_at: None });
        assert!(ftl.journal.listed() >= ftl.ring.data_end() && ftl.gaps.is_clean());
        let mut port = Port { now, memory, ring: |_| {} };
        assert!(!ftl.end_victim(&mut port));
        assert_eq!(ftl.lines.of(line).state, LineState::Collected);
        while rig.body.step(&mut rig.random) {}
        let ftl = &rig.body.ftl;
        assert!(ftl.journal.has_named_again() && ftl.collector.victim.is_none());
        assert_eq!(ftl.lines.of(line).state, LineState::Free);
    }
}
