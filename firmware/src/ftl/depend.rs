//! Dependency checker: the operations on a buffer entry happen one after the other, in the order
//! in which the FTL thought of them (Cosmos+ figure 10).
//!
//! A read is trigger and transfer, then DMA to the host. A write waits until the entry's former
//! page is programmed, then is DMA from the host; the program follows when the entry is recycled.

use contract::{BufferId, Hardware, Work};

use super::blocks::Stream;
use super::buffer::Buffer;
use super::gathered::{Gathered, Unit};
use super::log::{Log, Unfilled};
use super::moves::{Move, Moves};
use super::Ports;
use crate::operations::moved::hull;
use crate::operations::{
    Action, Chain, Joined, OpId, Operation, Owner, Page, Place, Sequence, Task,
};
use crate::planted::{is_planted, Bug};

/// Adds operations behind those of their entry.
pub struct Adder<'a, 'b, H> {
    /// The body, and where operations go.
    pub ports: &'a mut Ports<'b, H>,
    /// The chains' ends.
    pub buffer: &'a mut Buffer,
    /// What operations may have to wait for beyond that.
    pub log: &'a mut Option<Log>,
}

impl<H: Hardware> Adder<'_, '_, H> {
    /// Adds an operation to the chain of its entry (a compare also to that of the compare entry, a copy to that of its source;
    /// an erase to none) and to the station.
    pub fn add(&mut self, op: Operation) -> OpId {
        self.add_with(op, &[])
    }

    /// Adds an operation on the flash that moves these mapping units too: it waits for the operations on their entries as
    /// well, and later operations on these entries wait for it.
    pub(super) fn add_with(&mut self, op: Operation, others: &[(Owner, Unit)]) -> OpId {
        self.ports.hw.work(Work::Depend);
        let Ports { hw, station } = &mut *self.ports;
        let id = station.reserve(*hw, op);
        if let Some(log) = self.log {
            station.pool.hold(id, log.hold(id, &op));
        }
        if let Some(entry) = op.entry() {
            self.append(entry, id);
        }
        if let Some(second) = op.second_entry(self.buffer.compare_entry()) {
            self.append(second, id);
        }
        for &(owner, Unit { entry, lpn, unit, moved }) in others {
            self.ports.hw.work(Work::Depend);
            let joined = Joined { with: id, entry, lpn, unit, lost: false, moved, age: 0 };
            let station = &mut *self.ports.station;
            let part = station.pool.join(owner, joined);
            self.append(entry, part);
            if self.ports.station.pool.is_released(part) {
                self.ports.station.pool.let_go(id);
            }
        }
        if self.ports.station.pool.is_released(id) {
            id.released(self.ports.hw, None);
            self.let_go(id);
        }
        id
    }

    /// One of the things is there that an operation waited for beyond those of its entry.
    pub fn let_go_of(&mut self, id: OpId) {
        if self.ports.station.pool.let_go(id) {
            id.released(self.ports.hw, None);
            self.let_go(id);
        }
    }

    /// Takes an operation that is finished, by itself or with another, out of its chains and lets go what waited for it.
    #[inline]
    pub fn unchain(&mut self, id: OpId, by: OpId) {
        let op = self.ports.station.pool[id];
        let Some(mut entry) = op.entry() else { return };
        for chain in [Chain::Entry, Chain::Second] {
            if self.buffer.tail(entry) == Some(id) {
                self.buffer.set_tail(entry, None);
            } else if let Some(next) = self.ports.station.pool.release_next(id, chain) {
                self.release(next, by);
            }
            let Some(second) = op.second_entry(self.buffer.compare_entry()) else { return };
            entry = second;
        }
    }

    /// Nothing is left to do before an operation, or before one of the units that it moves.
    #[inline]
    fn release(&mut self, id: OpId, by: OpId) {
        let pool = &mut self.ports.station.pool;
        let action = pool[id].action;
        let id = match action {
            Action::Joined(Joined { with, .. }) if pool.let_go(with) => with,
            Action::Joined(_) => return,
            _ => id,
        };
        id.released(self.ports.hw, Some(by));
        self.let_go(id);
    }

    /// Hands a released operation to the station. One on lost data goes where it fails at once; a
    /// program of them notes that they are.
    fn let_go(&mut self, id: OpId) {
        let station = &mut *self.ports.station;
        let op = &station.pool[id];
        if self.buffer.uses_lost(op) {
            station.set_aside(id);
            return;
        }
        if let Some(Task::Program { .. }) = op.on_flash().map(|flash| flash.task) {
            station.pool.note_lost(id, |own| self.buffer.has_lost(own.entry));
        }
        station.release(id);
    }

    /// Reads mapping units of a way, which are to be moved, to entries for that. Those of a flash page are read together.
    pub(super) fn read_to_move(&mut self, die: u32, moved: &[Move]) {
        let mut nth = 0;
        let units_read = self.ports.station.units_per_flash_page();
        let together = |a: &Move, b: &Move| {
            let of = |one: &Move| (one.from.page, one.from.unit / units_read);
            of(a) == of(b)
        };
        for page in moved.chunk_by(together) {
            let units = self.units_to_move(die, (page, nth), |one| one.from);
            nth += page.len() as u32;
            self.ports.hw.work_times(Work::Collect, page.len() as u32);
            let whole = self.ports.station.unit();
            let read = |one: &Move| self.ports.station.read_part(one.from.unit, whole);
            let part = page.iter().map(read).reduce(hull).expect("units of a page");
            let Move { lpn, from, .. } = page[0];
            let (_, Unit { entry, .. }) = *units.first();
            let op = Operation::read(Owner::Drive, from, (entry, lpn, part));
            self.add_with(op, units.others());
        }
    }

    /// Mapping units of a page that move from or to `place`, through entries of their way from the `nth` on.
    fn units_to_move(
        &self,
        die: u32,
        (page, nth): (&[Move], u32),
        place: impl Fn(&Move) -> Place,
    ) -> Gathered {
        let unit = |(one, nth): (&Move, u32)| {
            let entry = self.buffer.move_entry(die, nth);
            (Owner::Drive, Unit { entry, lpn: one.lpn, unit: place(one).unit, moved: true })
        };
        let mut all = page.iter().zip(nth..).map(unit);
        let mut units = Gathered::of(all.next().expect("units of a page"));
        all.for_each(|unit| units.push(unit));
        units
    }

    #[inline]
    fn append(&mut self, entry: BufferId, id: OpId) {
        if let Some(tail) = self.buffer.tail(entry) {
            let chain = chain_in(&self.ports.station.pool[tail], entry, self.buffer);
            self.ports.station.pool.chain((tail, chain), id);
        }
        self.buffer.set_tail(entry, Some(id));
    }
}

impl<H: Hardware> Moves for Adder<'_, '_, H> {
    fn idle_ways(&self, channel: usize) -> u64 {
        self.ports.station.idle[channel]
    }

    fn victim(&mut self) {
        self.ports.hw.work(Work::Victim);
    }

    fn opened(&mut self, (die, stream): (u32, Stream), superblock: u32, opened: u64) {
        if let Some(log) = self.log {
            let unfilled = Unfilled { superblock, stream, opened, filled: None };
            log.opened(self.ports.hw, die, unfilled);
        }
    }

    /// All reads stand before the programs, so that the channel can join the programs, and the reads too where their
    /// pages lie on planes that can be read together.
    fn copy(&mut self, die: u32, moved: &[Move]) {
        self.read_to_move(die, moved);
        let mut nth = 0;
        for page in moved.chunk_by(|a, b| a.to.page == b.to.page) {
            let units = self.units_to_move(die, (page, nth), |one| one.to);
            nth += page.len() as u32;
            let (_, Unit { entry, lpn, .. }) = *units.first();
            let sequence = Sequence::new(page[0].sequence);
            let program = Task::Program { entry, lpn, epoch: None, lost: false, sequence };
            self.add_with(Operation::flash(Owner::Drive, page[0].to.page, program), units.others());
        }
    }

    fn erase(&mut self, die: u32, block: u32) {
        self.ports.hw.work(Work::Collect);
        let block = block ^ u32::from(is_planted(Bug::WrongBlockErased));
        let row = block * self.ports.station.pages_per_block();
        self.add(Operation::flash(Owner::Drive, Page { die, row }, Task::Erase));
    }
}

/// The chain of `tail` that runs on `entry`.
fn chain_in(tail: &Operation, entry: BufferId, buffer: &Buffer) -> Chain {
    if tail.second_entry(buffer.compare_entry()) == Some(entry) {
        Chain::Second
    } else {
        Chain::Entry
    }
}
