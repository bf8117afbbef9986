//! From the data buffer to flash: pages of a zone are programmed in order, each when all of it has arrived.

use contract::{Hardware, Work};

use super::blocks::Use;
use super::held::Progress;
use super::{Awaited, Waiter, Zones};
use crate::nvme::backend::IoOutcome;
use crate::operations::{OpId, Operation, Owner, Page, Sequence, Task};
use crate::placed::{Block, Ports};
use crate::planted::{is_planted, Bug};

impl Zones {
    /// Does for a zone what can be done now: programs of pages that are full, the log of a page that is to be durable, and the end of
    /// commands that wait for it.
    pub(super) fn go_on(&mut self, ports: &mut Ports<'_, impl Hardware>, zone: u32) {
        while let Some(held) = self.held.find(zone, self.data[zone as usize].filled) {
            let own = self.held.of(held);
            let is_full = u32::from(own.count) == self.shape.units() || own.is_last;
            let waits = own.progress != Progress::Filling || own.logging || own.pending > 0;
            if !is_full || waits {
                break;
            }
            self.program(ports, held);
        }
        self.log_wanted(ports, zone);
        self.wake(ports.hw, zone);
        let Zones { held, placed, .. } = self;
        held.trim(zone, &mut placed.free);
    }

    /// Plans the program of a page, in the block of its slot. If there is no block, the page is lost.
    fn program(&mut self, ports: &mut Ports<'_, impl Hardware>, held: u32) {
        let own = *self.held.of(held);
        let (slot, row) = self.shape.slot_of(own.page);
        let die = self.shape.die(own.zone, slot);
        let place = self.blocks.place(own.zone, slot, row).or_else(|| {
            let block = self.take_block(ports, die, Use::Zone(own.zone))?;
            self.blocks.assign(own.zone, slot, block);
            Some((block, row))
        });
        let Some((block, row)) = place else {
            return self.lose(own.zone, own.page);
        };
        self.data[own.zone as usize].filled += 1;
        self.held.of_mut(held).progress = Progress::Programming;
        let sequence = Sequence::new(self.generation(own.zone).into());
        let at = self.shape.page(die, block, row);
        self.plan_program(ports, at, held, sequence, u32::from(own.count));
    }

    /// Plans a program of the first blocks of a page that is held.
    pub(super) fn plan_program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        at: Page,
        held: u32,
        sequence: Sequence,
        count: u32,
    ) -> OpId {
        ports.hw.work(Work::Depend);
        let own = *self.held.of(held);
        let first = self.shape.start(own.zone) as u32 + own.page * self.shape.units();
        let entry = own.entries()[0];
        let lost = own.is_blank;
        let lpn = contract::Lpn(first);
        let task = Task::Program { entry, lpn, epoch: Some(0), lost, sequence };
        let id = ports.station.reserve(ports.hw, Operation::flash(Owner::Drive, at, task));
        for unit in 1..count {
            let lpn = contract::Lpn(first + unit);
            let block = Block { lpn, nth: 0, entry: own.entries()[unit as usize], id: None };
            ports.station.pool.join(Owner::Drive, block.joined(id, unit as u8));
            ports.station.pool.let_go(id);
        }
        self.placed.begin(ports, id);
        id
    }

    /// An erased block of a way whose chip is not dead.
    pub(super) fn take_block(
        &mut self,
        ports: &Ports<'_, impl Hardware>,
        die: u32,
        used: Use,
    ) -> Option<u32> {
        if ports.station.is_dead(die) {
            return None;
        }
        self.blocks.take(die, used)
    }

    /// The generation of a zone's data, which begins with its first page.
    pub(super) fn generation(&mut self, zone: u32) -> u32 {
        let data = &mut self.data[zone as usize];
        if data.generation == 0 {
            self.generations += 1;
            data.generation = self.generations;
        }
        data.generation
    }

    /// Blocks of a zone, from its start on, that a power loss leaves there.
    pub(super) fn durable(&self, zone: u32) -> u32 {
        let data = &self.data[zone as usize];
        let stored = data.stored * self.shape.units();
        let logged = data.record_of(data.stored);
        if is_planted(Bug::PartialPageForgotten) {
            return data.planned.max(stored);
        }
        logged.map_or(stored, |record| stored.max(record.end))
    }

    /// A page was programmed, or was not.
    pub(super) fn page_done(&mut self, held: u32, is_there: bool) {
        let own = self.held.of_mut(held);
        own.progress = Progress::Done;
        let (zone, page) = (own.zone, own.page);
        if own.is_dropped {
            return;
        }
        if !is_there {
            return self.lose(zone, page);
        }
        while let Some(next) = self.held.find(zone, self.data[zone as usize].stored) {
            let data = &mut self.data[zone as usize];
            let is_lost = (data.stored + 1) * self.shape.units() > data.lost;
            if is_lost || self.held.of(next).progress != Progress::Done {
                break;
            }
            data.stored += 1;
        }
        self.forget_records(zone);
    }

    /// The data of a zone from a page on are lost, but for what the log has of the page, and it takes no more.
    #[cold]
    pub(super) fn lose(&mut self, zone: u32, page: u32) {
        let units = self.shape.units();
        let data = &mut self.data[zone as usize];
        let logged = data.record_of(page);
        let lost = logged.map_or(page * units, |record| record.end);
        if data.lost <= lost {
            return;
        }
        data.lost = lost;
        self.placed.counters.lost_writes += 1;
        self.log.note_lost();
        if data.is_current() {
            let left = data.lost;
            self.states.take_read_only(zone, left);
        }
        let mut next = self.held.first(zone);
        while let Some(held) = next {
            let own = self.held.of_mut(held);
            if own.page >= page && own.progress == Progress::Filling {
                own.progress = Progress::Done;
            }
            next = Some(own.next).filter(|&next| next != super::held::NONE);
        }
    }

    /// Ends what waits for a zone and need not wait any more.
    pub(super) fn wake(&mut self, hw: &mut impl Hardware, zone: u32) {
        if self.waiters.is_empty() {
            return;
        }
        let (durable, data) = (self.durable(zone), self.data[zone as usize]);
        let is_clean = data.erasing == 0 && data.marks == 0;
        let (mut nth, mut wanted) = (0, 0);
        while let Some(&Waiter { tag, zone: own, awaited }) = self.waiters.get(nth) {
            let outcome = match awaited {
                _ if own != zone => None,
                Awaited::Durable(end) if end <= durable => Some(IoOutcome::Success),
                Awaited::Durable(end) if end > data.lost => Some(IoOutcome::WriteFault),
                Awaited::Durable(end) => {
                    wanted = wanted.max(end);
                    None
                }
                Awaited::Clean => is_clean.then_some(IoOutcome::Success),
                Awaited::Reset => None,
            };
            let Some(outcome) = outcome else {
                nth += 1;
                continue;
            };
            self.waiters.swap_remove(nth);
            // A loss is told to one flush. Another command that tells of it was about its own zone alone.
            if outcome != IoOutcome::Success && self.placed.commands.is_flush(tag) {
                self.log.take_lost();
            }
            hw.attend(Some(tag));
            self.placed.commands.fail(tag, outcome);
            self.placed.commands.end(tag);
        }
        self.data[zone as usize].wanted = wanted;
    }
}
