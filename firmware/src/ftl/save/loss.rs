//! The power has gone away, and the capacitor is what is left.
//!
//! Nothing comes from the host any more. What waited for it is forgotten, and so is what had not begun on the
//! flash: reads, collection, programs. What has begun there ends, if its chip does not hang. What the host may know to be
//! written is saved meanwhile ([`super::saving`]).

use contract::Hardware;

use super::{Phase, Saving, Way};
use crate::ftl::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::Moved;
use crate::operations::{Action, Chain, Deed, Dma, Ended, Flash, Joined, OpId, Pool, Task, Touch};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// The power has gone away. What had begun on the flash is still to end.
    pub(crate) fn lose_power(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        let wanted = self.save.as_ref().is_some_and(|save| save.is_ready() && save.pages > 0);
        if wanted {
            self.forget_host(ports);
        }
        let Some(save) = &mut self.save else { return };
        save.ways.fill(Way::default());
        save.phase = Phase::Lost(Saving::new(wanted));
    }

    /// Ends what waits for the host and needs nothing of it, and what follows; then forgets the rest.
    fn forget_host(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        loop {
            let mut all = u32::MAX;
            self.run_instant(ports, &mut all);
            let slots = ports.station.pool.slots();
            let next = (0..slots).find_map(|slot| self.ends_without_host(ports, slot));
            let Some((id, ended)) = next else { break };
            ports.station.clear_dma();
            self.finish(ports, id, ended);
        }
        ports.station.clear_dma();
        let pool = &ports.station.pool;
        let mut absent = alloc::vec![false; pool.slots() as usize];
        for id in (0..pool.slots()).filter_map(|slot| pool.in_slot(slot)) {
            if !self.fills(pool, id) && !takes(pool, id) {
                continue;
            }
            // What follows on its entry was planned for data that never come. Of programs of an entry that is the first one
            // alone, so that the entry has the metadata of no two.
            let mut at = id;
            while let Some(next) = pool.next(at, Chain::Entry) {
                absent[next.slot()] = true;
                at = next;
            }
        }
        if let Some(save) = &mut self.save {
            save.absent = absent;
        }
    }

    /// An operation that is over without the host, if one is in the slot: data for the host, or the host's before they
    /// replaced anything.
    fn ends_without_host(
        &self,
        ports: &Ports<'_, impl Hardware>,
        slot: u32,
    ) -> Option<(OpId, Ended)> {
        let pool = &ports.station.pool;
        let id = pool.in_slot(slot).filter(|&id| pool.is_released(id))?;
        match pool[id].action {
            Action::Dma(Dma::ToHost(_)) => Some((id, Ended::Well)),
            Action::Dma(Dma::FromHost { data, .. }) if !self.buffer.is_cached(data.entry) => {
                Some((id, Ended::Failed(IoOutcome::TransferError)))
            }
            _ => None,
        }
    }

    /// Whether an entry does not hold what it should before an operation has ended, which brings it there.
    fn fills(&self, pool: &Pool, id: OpId) -> bool {
        match &pool[id].action {
            Action::Dma(Dma::FromHost { data, .. }) => self.buffer.is_cached(data.entry),
            Action::Flash(Flash { task: Task::Read { entry, .. }, .. }) => {
                self.buffer.is_cached(*entry)
            }
            Action::Joined(Joined { with, entry, .. }) => {
                let reads = pool[*with].on_flash().is_some_and(|flash| flash.task.reads());
                reads && self.buffer.is_cached(*entry)
            }
            Action::Touch(Touch { deed: Deed::Zero, .. }) => true,
            _ => false,
        }
    }

    /// What was planned for the flash and has not begun is forgotten, but for programs that are to be saved.
    pub(crate) fn forget_planned(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        for slot in 0..ports.station.pool.slots() {
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            // What is joined with an operation goes with it.
            let is_part = matches!(ports.station.pool[id].action, Action::Joined(_));
            let is_wanted = self.is_to_be_saved(&ports.station.pool, id);
            if !is_part && !ports.station.may_have_begun(id) && !is_wanted {
                ports.station.pool.remove(id);
            }
        }
    }

    /// Whether an operation is a program of data that the host may know to be written.
    pub(super) fn is_to_be_saved(&self, pool: &Pool, id: OpId) -> bool {
        let is_program = pool[id].on_flash().is_some_and(|flash| {
            matches!(flash.task, Task::Program { epoch: Some(_), .. }) && !flash.doomed
        });
        is_program && pool.moved(id).any(|own| self.may_be_known(&own))
    }

    /// Whether the host may know that a mapping unit is written which a program holds: it is the host's, and its data came.
    pub(super) fn may_be_known(&self, own: &Moved) -> bool {
        let absent = self.save.as_ref().and_then(|save| save.absent.get(own.id.slot()).copied());
        own.of_host && (absent != Some(true) || is_planted(Bug::AbsentSaved))
    }
}

/// Whether an operation is a program of an entry, or has a part in one: until it has ended the entry is as the program needs it.
fn takes(pool: &Pool, id: OpId) -> bool {
    let programs = |op: OpId| {
        let flash = pool[op].on_flash();
        flash.is_some_and(|flash| matches!(flash.task, Task::Program { .. }))
    };
    let is_program = match pool[id].action {
        Action::Joined(Joined { with, .. }) => programs(with),
        _ => programs(id),
    };
    is_program && !is_planted(Bug::EntrySavedTwice)
}
