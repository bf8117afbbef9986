//! What becomes of a page when the host's data that were to replace all of it do not arrive: a bad
//! pointer, or a controller reset.
//!
//! Its entry was given to it without being read, since nothing of it was to be kept. If nobody uses the
//! entry since, it is dropped. Otherwise operations wait for it, perhaps a program to a new place among
//! them, and they have to find what the page held before. That is read from where it was.

use contract::{BufferId, Hardware, Lpn};

use super::buffer::{Freshness, Lost};
use super::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::programs;
use crate::operations::{Action, Dma, Former, OpId, Operation, Place, Replaced, Station};
use crate::planted::{is_planted, Bug};

/// When the entry is as it has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restored {
    /// Now.
    AtOnce,
    /// Once the operation, which became a read, is done.
    InTime,
}

impl Ftl {
    /// What a page holds that is about to be replaced, in an entry that holds another page's data.
    pub(super) fn former(&self, lpn: Lpn) -> Former {
        match self.translator.lookup(lpn) {
            Some(Place { page, unit }) => {
                let block = self.geometry.block_of(page.row);
                let erases = self.translator.blocks.erases_of(page.die, block);
                Former::InFlash { page, unit, erases }
            }
            None if self.translator.map.is_lost(lpn) => Former::Lost,
            None => Former::Zeroes,
        }
    }

    /// A program is about to give a page another place. If the host's data for it are still to come, what it holds until
    /// then is where the map says now: collection may have moved it since the write was planned.
    pub(super) fn note_former(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        lpn: Lpn,
    ) {
        let Some(id) = self.buffer.take_replacing(entry) else { return };
        let now = self.former(lpn);
        if let Action::Dma(Dma::FromHost { replaced: Some(replaced), .. }) =
            &mut ports.station.pool[id].action
        {
            replaced.former = now;
        }
    }

    /// The host's data for an entry did not arrive, which were to replace a page: their command ends with
    /// `outcome`.
    pub(super) fn restore(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, outcome): (OpId, IoOutcome),
        (entry, replaced): (BufferId, Replaced),
    ) -> Restored {
        if self.buffer.tail(entry) == Some(id) {
            // What flash has is the page's data again.
            self.set_freshness(entry, replaced.lpn, Freshness::Clean);
            self.buffer.forget(entry);
            return Restored::AtOnce;
        }
        let Replaced { lpn, former } = replaced;
        let all = self.buffer.division().all();
        let place = match former {
            Former::InFlash { page, unit, erases } => {
                self.intact(ports.station, lpn, (Place { page, unit }, erases))
            }
            Former::Lost => None,
            Former::Zeroes => {
                ports.hw.zero_buffer(entry, 0, ports.station.unit().length);
                self.buffer.set_lost(entry, all, Lost::No);
                return Restored::AtOnce;
            }
        };
        let Some(place) = place else {
            self.buffer.set_lost(entry, all, Lost::Yes);
            return Restored::AtOnce;
        };
        let owner = ports.station.pool[id].owner;
        let part = ports.station.read_part(place.unit, ports.station.unit());
        ports.station.pool[id] = Operation::read(owner, place, (entry, lpn, part));
        ports.station.reserve_early(ports.hw, id, (place, lpn));
        if let Some(tag) = owner.command() {
            self.commands.fail(tag, outcome);
        }
        Restored::InTime
    }

    /// Where the data of a logical page can be read before what its way has to do else: where they were,
    /// unless the block was erased since; or else where collection has moved them.
    fn intact(&self, station: &Station, lpn: Lpn, (former, erases): (Place, u32)) -> Option<Place> {
        let (die, block) = (former.page.die, self.geometry.block_of(former.page.row));
        let planned = self.translator.blocks.erases_of(die, block) - erases;
        let erase = |id: OpId| station.erases(&station.pool[id], block);
        // Erases that were planned before come first in the queue of the way.
        let to_come = station.not_begun(die).filter(|&id| erase(id)).count();
        let is_before = |before: &usize| !is_planted(Bug::EarlierEraseCounted) || *before == 0;
        let all_to_come = to_come.checked_sub(planned as usize).filter(is_before);
        let all_to_come = all_to_come.is_some_and(|before| {
            let mut erases = 0;
            let before = if is_planted(Bug::ErasesInAnyOrder) { 0 } else { before };
            // The program of the page itself may be still to come, but behind those erases it is of the new data.
            !station.not_begun(die).any(|id| {
                erases += usize::from(erase(id) || is_planted(Bug::ErasesInAnyOrder));
                erases > before && programs(&station.pool, id, former) == Some(lpn)
            })
        });
        if planned == 0 || all_to_come {
            return Some(former);
        }
        let moved = self.translator.lookup(lpn)?;
        let is_to_come = |id| programs(&station.pool, id, moved).is_some();
        (!station.all_queued(moved.page.die).any(is_to_come)).then_some(moved)
    }
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
