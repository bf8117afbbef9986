//! From commands to operations, a page at a time: transfers of blocks into the data buffer, and reads.

use contract::{BufferId, Cause, CommandTag, Hardware, Lpn, Metadata, Work};
use nvme::zones::ZoneState;

use super::held::Progress;
use super::shape::InZone;
use super::{Awaited, Waiter, Zones, HELD_READS};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Dma, Page, Place};
use crate::placed::commands::{Kind, Places};
use crate::placed::{Block, Ports};
use crate::planted::{is_planted, Bug};

/// Pages of commands that a turn of the main loop begins.
const PAGES_A_TURN: u32 = 64;

impl Zones {
    /// Works on commands as much as a turn may. True when something was done.
    pub(super) fn advance(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if self.scan.is_some() {
            return self.look(ports);
        }
        let (mut busy, mut left) = (false, PAGES_A_TURN);
        while let (1.., Some((tag, kind, waited))) = (left, self.placed.commands.front()) {
            if !self.has_room(kind) {
                break;
            }
            (busy, left) = (true, left - 1);
            if waited {
                ports.hw.waited(tag, Cause::Order);
            }
            ports.hw.attend(Some(tag));
            self.plan_next(ports, tag, kind);
            if self.placed.commands.next(tag).is_none() {
                if kind == Kind::Write && self.is_durable[usize::from(tag.0)] {
                    self.await_write(ports, tag);
                }
                self.placed.commands.pop();
            }
        }
        self.placed.commands.rest();
        busy | self.plan_erases(ports) | self.plan_marks(ports)
    }

    /// Whether a page of a command can be planned: it takes an entry a block. The pool has room for all entries.
    fn has_room(&self, kind: Kind) -> bool {
        let units = self.shape.units();
        let reads = kind != Kind::Read || self.held_reads + units <= HELD_READS;
        self.placed.free.len() >= units as usize && reads
    }

    fn plan_next(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag, kind: Kind) {
        ports.hw.work(Work::Slice);
        let one = ([0; Metadata::MOST_BLOCKS], 1);
        let Some(next) = self.placed.commands.next(tag) else {
            return self.plan_flush(ports, tag);
        };
        let number = self.placed.commands.target(tag, next);
        let planned = match kind {
            Kind::Read | Kind::Write => {
                let places = self.placed.commands.next_page(tag, self.shape.units());
                match kind {
                    Kind::Read => self.plan_read(ports, tag, number, &places),
                    _ => self.plan_write(ports, tag, number, &places),
                }
                places
            }
            Kind::Reset => {
                self.plan_reset(ports, tag, number.0);
                one
            }
            Kind::Finish => {
                self.plan_finish(ports, tag, number.0);
                one
            }
            Kind::Copy | Kind::Flush => unreachable!("nothing of it is to plan"),
        };
        self.placed.commands.note_planned(tag, &planned);
    }

    /// Plans the transfers of a page's blocks from the host.
    fn plan_write(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        number: Lpn,
        places: &Places,
    ) {
        let InZone { zone, block } = self.shape.in_zone(number);
        let units = self.shape.units();
        let is_offline = self.states.of(zone).state == ZoneState::Offline;
        let data = &mut self.data[zone as usize];
        // A zone that a reset made useless holds on to what was planned before, and nothing follows.
        if data.lost != u32::MAX || is_offline {
            let page = number.0 / units;
            self.placed
                .commands
                .fail_blocks(tag, IoOutcome::WriteFault, |lpn| lpn.0 / units == page);
            return;
        }
        assert_eq!(
            data.planned, block,
            "writes are planned in the order in which they were accepted"
        );
        data.planned += places.1 as u32;
        ports.hw.work(Work::Allocate);
        let held = match block % units {
            0 => self.held.add(zone, block / units),
            _ => self.held.last(zone).expect("a page written in part is held"),
        };
        let nth = self.placed.commands.next(tag).expect("it has blocks to plan");
        for offset in 0..places.1 as u32 {
            let entry = self.placed.free.pop().expect("there was room");
            self.held.push(held, entry);
            self.held.of_mut(held).pending += 1;
            let block = Block { lpn: Lpn(number.0 + offset), nth: nth + offset, entry, id: None };
            let from_host = |data| Dma::FromHost { data, replaced: None };
            self.placed.commands.expect(tag);
            let dma = self.placed.dma(ports, tag, &block, from_host);
            self.placed.begin(ports, dma);
        }
    }

    /// A write that is to be durable was planned to its end.
    fn await_write(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag) {
        let InZone { zone, .. } = self.shape.in_zone(self.placed.commands.target(tag, 0));
        let data = &self.data[zone as usize];
        if data.lost == u32::MAX {
            self.await_zone(ports, tag, zone, Awaited::Durable(data.planned));
        }
    }

    /// A command waits for a zone.
    pub(super) fn await_zone(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        zone: u32,
        awaited: Awaited,
    ) {
        if let Awaited::Durable(blocks) = awaited {
            let data = &mut self.data[zone as usize];
            data.wanted = data.wanted.max(blocks);
        }
        self.placed.commands.expect(tag);
        self.waiters.push(Waiter { tag, zone, awaited });
        self.go_on(ports, zone);
    }

    /// Plans reads of blocks of a page: out of the data buffer if the page is held, or else from flash, which has them in the log where
    /// the page was lost. Blocks that are not written are zeroes.
    fn plan_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        number: Lpn,
        places: &Places,
    ) {
        let InZone { zone, block } = self.shape.in_zone(number);
        let (units, data) = (self.shape.units(), self.data[zone as usize]);
        if block >= data.lost {
            let page = number.0 / units;
            let of_page = |lpn: Lpn| lpn.0 / units == page;
            self.placed.commands.fail_blocks(tag, IoOutcome::UnrecoveredRead, of_page);
            return;
        }
        match self.held.find(zone, block / units) {
            Some(held) => self.read_held(ports, tag, number, held, places.1 as u32),
            None => {
                let Zones { placed, shape, blocks, .. } = self;
                let place_of = |lpn| {
                    let InZone { zone, block } = shape.in_zone(lpn);
                    let page = block / units;
                    let logged = data.record_of(page).filter(|record| block < record.end);
                    if let Some(record) = logged {
                        let page = Page { die: record.die, row: record.row };
                        return Some(Place { page, unit: (block % units) as u8 });
                    }
                    if block >= data.planned || page >= data.stored {
                        return None;
                    }
                    let (slot, row) = shape.slot_of(page);
                    let (own, row) = blocks.place(zone, slot, row)?;
                    let page = shape.page(shape.die(zone, slot), own, row);
                    Some(Place { page, unit: (block % units) as u8 })
                };
                placed.plan_read(ports, (tag, places), place_of);
            }
        }
    }

    /// Plans transfers of blocks of a page that is held to the host.
    fn read_held(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        number: Lpn,
        held: u32,
        count: u32,
    ) {
        let nth = self.placed.commands.next(tag).expect("it has blocks to plan");
        let unit = number.0 % self.shape.units();
        for offset in 0..count {
            let own = self.held.of_mut(held);
            let is_there = own.arrived >> (unit + offset) & 1 == 1 && !own.is_blank;
            let entry = if is_there {
                own.readers += 1;
                self.held_reads += 1;
                own.entries()[(unit + offset) as usize]
            } else {
                self.zeroes(ports)
            };
            let block = Block { lpn: Lpn(number.0 + offset), nth: nth + offset, entry, id: None };
            self.placed.commands.expect(tag);
            let dma = self.placed.dma(ports, tag, &block, Dma::ToHost);
            self.placed.begin(ports, dma);
        }
    }

    /// An entry of zeroes.
    fn zeroes(&mut self, ports: &mut Ports<'_, impl Hardware>) -> BufferId {
        let entry = self.placed.free.pop().expect("there was room");
        let length = ports.station.unit().length;
        ports.hw.work_times(Work::Touch, length.div_ceil(4096));
        ports.hw.zero_buffer(entry, 0, length);
        entry
    }

    /// A flush waits for all zones with blocks that are not durable, but for those behind a loss.
    fn plan_flush(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag) {
        let mut nth = 0;
        while let Some(zone) = self.held.nth_zone(nth) {
            nth += 1;
            let data = &self.data[zone as usize];
            let end = data.planned.min(data.lost);
            if self.durable(zone) < end {
                self.await_zone(ports, tag, zone, Awaited::Durable(end));
            }
        }
        if self.log.take_lost() {
            self.placed.commands.fail(tag, IoOutcome::WriteFault);
        }
    }

    /// Plans what keeps the write pointer of a zone that was finished: its last page is programmed as it is, or a page behind it that has
    /// nothing but the place.
    fn plan_finish(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag, zone: u32) {
        let (units, data) = (self.shape.units(), self.data[zone as usize]);
        let is_meant = self.states.of(zone).state == ZoneState::Full;
        let is_behind = data.planned != self.states.of(zone).written;
        let is_left_out = is_planted(Bug::FinishNotSealed);
        if !data.is_current() {
            // A reset takes the zone away before it is sealed. Were the command to end sooner, what it held before might come back.
            return self.await_zone(ports, tag, zone, Awaited::Reset);
        }
        if !is_meant || is_behind || data.lost != u32::MAX || is_left_out {
            return;
        }
        if !data.is_sealed && data.planned < self.shape.capacity() {
            let held = match data.planned % units {
                0 => {
                    let held = self.held.add(zone, data.planned / units);
                    let entry = self.zeroes(ports);
                    self.held.push(held, entry);
                    let own = self.held.of_mut(held);
                    (own.is_blank, own.arrived) = (true, 1);
                    held
                }
                _ => self.held.last(zone).expect("a page written in part is held"),
            };
            let own = self.held.of_mut(held);
            assert_eq!(own.progress, Progress::Filling, "a page written in part is not programmed");
            own.is_last = true;
            self.data[zone as usize].is_sealed = true;
        }
        let end = match self.data[zone as usize].is_sealed {
            true => (data.planned / units + 1) * units,
            false => data.planned,
        };
        self.await_zone(ports, tag, zone, Awaited::Durable(end));
    }
}
