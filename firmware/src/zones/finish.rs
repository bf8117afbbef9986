//! What has ended: operations tell their pages and commands.

use contract::{Hardware, OperationStep, Work};

use super::log::{parse_sequence, Mark};
use super::Zones;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Action, Data, Dma, Ended, Flash, OpId, Owner, Page, Sequence, Task};
use crate::placed::{Placed, Ports};

impl Zones {
    /// An operation is done.
    pub(super) fn finish(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        id.step(ports.hw, OperationStep::Ended);
        ports.hw.work(Work::Depend);
        let op = ports.station.pool[id];
        match op.action {
            Action::Dma(Dma::Control(_)) => self.placed.end_control(ended),
            Action::Dma(Dma::ToHost(data)) => self.end_to_host(op.owner, data, ended),
            Action::Dma(Dma::FromHost { data, .. }) => {
                self.end_from_host(ports, op.owner, data, ended);
            }
            Action::Flash(Flash { page, task, .. }) => match task {
                Task::Read { .. } => self.end_read(ports, id, op.owner, ended),
                Task::Program { sequence, .. } => {
                    self.end_program(ports, id, page, sequence, ended == Ended::Well);
                }
                Task::Erase => self.erased(ports, page, ended == Ended::Well),
                Task::Probe { entry, .. } => self.looked(ports, page, entry, ended),
                Task::Mark { .. } | Task::Log { .. } | Task::Wipe => {
                    unreachable!("a drive with zones keeps no log of a map")
                }
            },
            Action::Touch(_) | Action::Joined(_) => {
                unreachable!("what stands for a block ends with its page")
            }
        }
        ports.station.pool.remove(id);
    }

    /// Data went to the host, or could not.
    fn end_to_host(&mut self, owner: Owner, data: Data, ended: Ended) {
        let tag = owner.command().expect("data are moved for a command");
        let Some((held, _)) = self.held.by_entry(data.entry) else {
            return self.placed.end_to_host(tag, data, ended);
        };
        if let Ended::Failed(outcome) = ended {
            self.placed.fail_at(tag, data, outcome);
        }
        self.placed.commands.end(tag);
        self.held_reads -= 1;
        let own = self.held.of_mut(held);
        own.readers -= 1;
        let (zone, is_dropped) = (own.zone, own.is_dropped);
        match is_dropped {
            true => self.held.release_dropped(held, &mut self.placed.free),
            false => self.held.trim(zone, &mut self.placed.free),
        }
    }

    /// Data of the host are in their entry, or never will be. A block whose data do not come is zeroes: its place behind the write pointer
    /// was given out, and the blocks behind it may have been acknowledged.
    fn end_from_host(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        owner: Owner,
        data: Data,
        ended: Ended,
    ) {
        let tag = owner.command().expect("data are moved for a command");
        if let Ended::Failed(outcome) = ended {
            self.placed.fail_at(tag, data, outcome);
            ports.hw.zero_buffer(data.entry, 0, ports.station.unit().length);
        }
        let (held, unit) =
            self.held.by_entry(data.entry).expect("what comes from the host is held");
        let own = self.held.of_mut(held);
        own.pending -= 1;
        own.arrived |= 1 << unit;
        let (zone, is_dropped) = (own.zone, own.is_dropped);
        self.placed.commands.end(tag);
        match is_dropped {
            true => self.held.release_dropped(held, &mut self.placed.free),
            false => self.go_on(ports, zone),
        }
    }

    fn end_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        id: OpId,
        owner: Owner,
        ended: Ended,
    ) {
        let Some(tag) = owner.command() else {
            return self.restored(ports, id, ended);
        };
        self.placed.end_read(ports, (id, ended), |placed, ports, own| {
            let other = placed.lose_for_host(ports, tag, own);
            assert!(other.is_none(), "blocks are read for the host alone");
        });
    }

    fn end_program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        id: OpId,
        page: Page,
        sequence: Sequence,
        is_there: bool,
    ) {
        let all = Placed::units(ports, id);
        let first = all[0].expect("a page is programmed");
        let count = all.iter().flatten().count() as u32;
        let of_log = parse_sequence(sequence.get());
        let held = self.held.by_entry(first.entry);
        match (of_log, held) {
            (Some((_, generation)), None) => {
                self.placed.free.push(first.entry);
                let zone = self.shape.in_zone(first.lpn).zone;
                let mark = if generation == 0 { Mark::Floor } else { Mark::Reset(zone) };
                self.placed.counters.moves += u64::from(is_there);
                self.mark_done(page.die, Some(page), mark, is_there);
                if let Mark::Reset(zone) = mark {
                    self.wake(ports.hw, zone);
                }
            }
            (Some(_), Some((held, _))) => {
                self.placed.counters.moves += u64::from(is_there);
                self.logged(ports, page, count, held, is_there);
            }
            (None, Some((held, _))) => {
                self.placed.counters.programs += u64::from(is_there);
                let own = *self.held.of(held);
                self.page_done(held, is_there);
                match own.is_dropped {
                    true => self.held.release_dropped(held, &mut self.placed.free),
                    false => self.go_on(ports, own.zone),
                }
            }
            (None, None) => unreachable!("what goes to a zone is held"),
        }
    }

    /// Fails what an operation was to do, which leaves the queue of its way.
    #[cold]
    pub(super) fn give_up(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        self.finish(ports, id, Ended::Failed(IoOutcome::WriteFault));
    }
}
