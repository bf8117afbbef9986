//! Dependency checker: the operations on a buffer entry happen one after the other, in the order
//! in which the FTL thought of them (Cosmos+ figure 10).
//!
//! A read is trigger and transfer, then DMA to the host. A write waits until the entry's former
//! page is programmed, then is DMA from the host; the program follows when the entry is recycled.

use contract::{BufferId, Hardware, Work};

use super::blocks::Stream;
use super::buffer::Buffer;
use super::collect::{Move, Moves};
use super::log::{Log, Unfilled};
use super::Ports;
use crate::operations::{Chain, OpId, Operation, Owner, Page, Sequence, Task};
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

    /// Takes a finished operation out of its chains and lets go what waited for it.
    #[inline]
    pub fn unchain(&mut self, id: OpId) {
        let op = self.ports.station.pool[id];
        let Some(mut entry) = op.entry() else { return };
        for chain in [Chain::Entry, Chain::Second] {
            if self.buffer.tail(entry) == Some(id) {
                self.buffer.set_tail(entry, None);
            } else if let Some(next) = self.ports.station.pool.release_next(id, chain) {
                next.released(self.ports.hw, Some(id));
                self.let_go(next);
            }
            let Some(second) = op.second_entry(self.buffer.compare_entry()) else { return };
            entry = second;
        }
    }

    /// Hands a released operation to the station. One on lost data goes where it fails at once; a
    /// program of them notes that they are.
    fn let_go(&mut self, id: OpId) {
        let station = &mut *self.ports.station;
        let op = &mut station.pool[id];
        if self.buffer.uses_lost(op) {
            station.set_aside(id);
            return;
        }
        if let Some(Task::Program { entry, lost, .. }) =
            op.on_flash_mut().map(|flash| &mut flash.task)
        {
            *lost = self.buffer.has_lost(*entry);
        }
        station.release(id);
    }

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

    /// All reads stand before the programs, so that the channel can join these, and those too where the
    /// pages lie so.
    fn copy(&mut self, die: u32, moved: &[Move]) {
        let whole = self.ports.station.page();
        for (nth, &Move { lpn, from, .. }) in (0..).zip(moved) {
            self.ports.hw.work(Work::Collect);
            let entry = self.buffer.move_entry(die, nth);
            self.add(Operation::read(Owner::Drive, Page { die, row: from }, (entry, lpn, whole)));
        }
        for (nth, &Move { lpn, to, sequence, .. }) in (0..).zip(moved) {
            let entry = self.buffer.move_entry(die, nth);
            let sequence = Sequence::new(sequence);
            let program = Task::Program { entry, lpn, epoch: None, lost: false, sequence };
            self.add(Operation::flash(Owner::Drive, Page { die, row: to }, program));
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
