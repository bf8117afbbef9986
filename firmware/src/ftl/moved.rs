//! The end of operations that move mapping units of a page: what becomes of each unit.

use contract::Hardware;

use super::buffer::Lost;
use super::depend::Adder;
use super::{Ftl, Ports};
use crate::operations::moved::{span_of_unit, Moved};
use crate::operations::{Ended, Flash, OpId, Operation, Page, Place, Task};

impl Ftl {
    /// A read of several mapping units failed. Others of them may be as they should where channels move parts of pages:
    /// then each is read by itself. True when that was planned.
    pub(super) fn reads_apart(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        id: OpId,
        ended: Ended,
    ) -> bool {
        let station = &mut *ports.station;
        let Some(&Flash { page, task: Task::Read { part, .. }, doomed, .. }) =
            station.pool[id].on_flash()
        else {
            return false;
        };
        let several = station.pool.next_joined(id).is_some();
        let all_or_none = station.read_part(0, station.unit()) == station.page();
        if ended == Ended::Well || doomed || !several || all_or_none {
            return false;
        }
        let mut next = Some(id);
        while let Some(id) = next {
            let own = station.pool.own_unit(id).expect("it moves a unit");
            next = station.pool.next_joined(id);
            station.pool.part(id);
            let Moved { entry, lpn, unit, lost, .. } = own;
            let part = span_of_unit(unit, part, station.unit().length);
            let (place, part) = (Place { page, unit }, station.read_part(unit, part));
            let owner = station.pool[id].owner;
            station.pool[id] = Operation::read(owner, place, (entry, lpn, part));
            if let Some(flash) = station.pool[id].on_flash_mut() {
                flash.doomed = lost;
            }
            station.reserve_early(ports.hw, id, (place, lpn));
        }
        true
    }

    /// A read has ended: whether what it was to bring into its entries is there.
    #[inline]
    pub(super) fn take_units(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, part): (OpId, contract::Span),
        ended: Ended,
    ) {
        let unit_bytes = ports.station.unit().length;
        for Moved { entry, unit, lost, .. } in ports.station.pool.moved(id) {
            let lost = if ended == Ended::Well && !lost { Lost::No } else { Lost::Yes };
            let there = span_of_unit(unit, part, unit_bytes);
            self.buffer.set_lost(entry, self.buffer.division().touched(there), lost);
        }
    }

    /// A program has ended: the map says of which units of its page the data are lost.
    #[inline]
    pub(super) fn note_lost_units(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, page): (OpId, Page),
    ) {
        let mut next = Some(id);
        while let Some(own) = next.and_then(|id| ports.station.pool.own_unit(id)) {
            let place = Place { page, unit: own.unit };
            if own.lost {
                if self.translator.lose_at(own.lpn, place) {
                    self.note_lost(ports, own.lpn);
                } else if let Some(log) = &mut self.log {
                    // It has another place already, which a snapshot that waits for this program does not know.
                    log.snapshots.invalidate();
                }
                ports.station.doom_reads(place);
            }
            next = ports.station.pool.next_joined(own.id);
        }
    }

    /// An operation has ended, and with it what stands for further units of its page.
    #[inline]
    pub(super) fn end_joined(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        id: OpId,
        ended: Ended,
    ) {
        let mut next = ports.station.pool.next_joined(id);
        while let Some(part) = next {
            next = ports.station.pool.next_joined(part);
            let op = ports.station.pool[part];
            let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
            adder.unchain(part, id);
            self.tell(&op, ended);
        }
    }
}
