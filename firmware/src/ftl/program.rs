//! Programs of data from the buffer: which dirty entries go to a page together, and where.
//!
//! A page takes as many mapping units as it has. The entry that is to be programmed is joined by others that are dirty,
//! the least recently used first; for the page of one that nobody waits for, those whose data are still on their way
//! stay behind, and so do those of another placement handle. What a command wants in flash at once is programmed together as far as it fills pages. What is left of
//! a page stays empty.

use contract::{BufferId, CommandTag, Hardware, Lpn, Work};

use super::buffer::Freshness;
use super::depend::Adder;
use super::gathered::{Gathered, Unit};
use super::translate::Room;
use super::wanted::Wanted;
use super::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Operation, Owner, Sequence, Task};

/// Dirty entries that are looked at for others that share a page, the least recently used first.
const LOOKED_AT: usize = 64;

/// For whose sake an entry is programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sake {
    /// Nobody's yet: the entry is wanted clean before it is needed.
    Ahead,
    /// A command needs the entry, or is a flush.
    Step(CommandTag),
    /// A command waits until its data are in flash.
    Counts(CommandTag),
}

impl Ftl {
    /// Programs an entry that a command wants in flash, together with others of the same command.
    pub(super) fn program_with_command(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        tag: CommandTag,
    ) {
        let Wanted { entries, count, tag: known } = &mut self.wanted;
        (entries[*count], *known) = (entry, tag);
        *count += 1;
        if *count == self.translator.units_per_page() as usize {
            self.program_wanted(ports);
        }
    }

    /// Programs what a command wants in flash and what is not programmed yet.
    pub(super) fn program_wanted(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        let wanted = core::mem::replace(&mut self.wanted, Wanted::NONE);
        let mut left = wanted.entries();
        while !left.is_empty() {
            let count = self.program(ports, left, Sake::Counts(wanted.tag));
            left = &left[count..];
        }
    }

    /// Programs a dirty entry that a command needs for another page.
    pub(super) fn clean(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        tag: CommandTag,
    ) {
        if self.wanted.entries().contains(&entry) {
            self.program_wanted(ports);
        } else {
            self.program(ports, &[entry], Sake::Step(tag));
        }
    }

    /// Programs the first of these dirty entries to a new page, with others of them and of the buffer as far as there is
    /// room. The map changes now; the data follow. Returns how many of these entries are in it.
    pub(super) fn program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entries: &[BufferId],
        sake: Sake,
    ) -> usize {
        ports.hw.work(Work::Place);
        let owner = match sake {
            Sake::Ahead => Owner::Drive,
            Sake::Step(tag) => Owner::Step(tag),
            Sake::Counts(tag) => Owner::Counts(tag),
        };
        let lpn = self.take_dirty(ports, entries[0]);
        let handle = self.buffer.handle(entries[0]);
        let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
        let Some(room) = self.translator.find_room(lpn, handle, &mut adder) else {
            self.translator.lose(lpn);
            self.translator.map.unpin(lpn);
            self.note_lost(ports, lpn);
            self.flushes.lose();
            self.read_only = true;
            self.counters.lost_writes += 1;
            if let Sake::Counts(tag) = sake {
                self.commands.fail(tag, IoOutcome::WriteFault);
            }
            return 1;
        };
        if self.translator.units_per_page() == 1 {
            if let Sake::Counts(tag) = sake {
                self.commands.expect(tag);
            }
            self.put_one(ports, owner, entries[0], room);
            return 1;
        }
        let first = Unit { entry: entries[0], lpn, unit: 0, moved: false };
        let mut units = Gathered::of((owner, first));
        let of_these = entries.len().min(room.units as usize);
        for &entry in &entries[1..of_these] {
            let lpn = self.take_dirty(ports, entry);
            let unit = units.len() as u8;
            units.push((owner, Unit { entry, lpn, unit, moved: false }));
        }
        self.fill_up(ports, (&mut units, room), sake);
        if let Sake::Counts(tag) = sake {
            (0..of_these).for_each(|_| self.commands.expect(tag));
        }
        self.put(ports, units, room);
        of_these
    }

    /// Takes further dirty entries into a page, as far as it has room.
    fn fill_up(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (units, room): (&mut Gathered, Room),
        sake: Sake,
    ) {
        let handle = self.buffer.handle(units.first().1.entry);
        while units.len() < room.units as usize {
            let waits = matches!(sake, Sake::Step(_));
            let may_join = |&entry: &BufferId| {
                let is_there = waits || self.buffer.tail(entry).is_none();
                let belongs = self.buffer.handle(entry) == handle;
                is_there && belongs && !self.wanted.entries().contains(&entry)
            };
            let Some(entry) = self.buffer.dirty_from_oldest().take(LOOKED_AT).find(may_join) else {
                break;
            };
            let lpn = self.take_dirty(ports, entry);
            let unit = units.len() as u8;
            units.push((Owner::Drive, Unit { entry, lpn, unit, moved: false }));
        }
    }

    /// A dirty entry is about to be programmed.
    fn take_dirty(&mut self, ports: &mut Ports<'_, impl Hardware>, entry: BufferId) -> Lpn {
        self.buffer.set_freshness(entry, Freshness::Clean);
        let lpn = self.buffer.lpn(entry).expect("a dirty entry has a page");
        assert!(self.buffer.is_complete(entry), "a dirty entry has all of its page");
        self.note_former(ports, entry, lpn);
        lpn
    }

    /// Puts the only mapping unit of a page there, as [`Ftl::put`] does with several: a list of units is long to make.
    fn put_one(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        owner: Owner,
        entry: BufferId,
        room: Room,
    ) {
        let lpn = self.buffer.lpn(entry).expect("an entry that is programmed has a page");
        let page = self.translator.put(room, core::iter::once(lpn));
        self.translator.map.unpin(lpn);
        let sequence = Sequence::new(self.translator.sequence);
        let epoch = Some(self.flushes.begin());
        self.flushes.begin_units(1);
        let program = Task::Program { entry, lpn, epoch, lost: false, sequence };
        let op = Operation::flash(owner, page, program);
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
    }

    /// Puts mapping units to a page, and what collection has left in its way behind them.
    fn put(&mut self, ports: &mut Ports<'_, impl Hardware>, mut units: Gathered, room: Room) {
        let page = self.translator.put(room, units.iter().map(|(_, unit)| unit.lpn));
        units.iter().for_each(|(_, unit)| self.translator.map.unpin(unit.lpn));
        let sequence = Sequence::new(self.translator.sequence);
        let epoch = Some(self.flushes.begin());
        self.flushes.begin_units(units.len() as u32);
        let (owner, Unit { entry, lpn, .. }) = *units.first();
        let program = Task::Program { entry, lpn, epoch, lost: false, sequence };
        let op = Operation::flash(owner, page, program);
        let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
        let carried = self.translator.carry(page, units.len() as u32);
        adder.read_to_move(page.die, carried.moved());
        for (one, nth) in carried.moved().iter().zip(0..) {
            let (entry, unit) = (adder.buffer.move_entry(page.die, nth), one.to.unit);
            units.push((Owner::Drive, Unit { entry, lpn: one.lpn, unit, moved: true }));
        }
        adder.add_with(op, units.others());
        self.translator.carried(page.die, &mut adder);
    }
}
