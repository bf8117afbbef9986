//! The power has gone away, and the capacitor is what is left.
//!
//! Nothing comes from the host any more. What waited for it is forgotten, and so is what had not begun on the
//! flash: reads, collection, programs. What has begun there ends, if its chip does not hang. What the host may know to be
//! written is saved meanwhile ([`super::saving`]).

use contract::Hardware;

use super::saving::Saving;
use super::{Phase, Way};
use crate::ftl::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Action, Chain, Deed, Dma, Ended, Flash, OpId, Operation, Task, Touch};

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
        for slot in 0..ports.station.pool.slots() {
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            let op = ports.station.pool[id];
            if !self.fills(&op) {
                continue;
            }
            // What follows on its entry was planned for data that never come.
            let mut at = id;
            while let Some(next) = ports.station.pool.next(at, Chain::Entry) {
                if let Some(flash) = ports.station.pool[next].on_flash_mut() {
                    flash.doomed = true;
                }
                at = next;
            }
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

    /// Whether an entry does not hold what it should before an operation has ended.
    fn fills(&self, op: &Operation) -> bool {
        match &op.action {
            Action::Dma(Dma::FromHost { data, .. }) => self.buffer.is_cached(data.entry),
            Action::Flash(Flash { task: Task::Read { entry, .. }, .. }) => {
                self.buffer.is_cached(*entry)
            }
            Action::Touch(Touch { deed: Deed::Zero, .. }) => true,
            _ => false,
        }
    }

    /// What was planned for the flash and has not begun is forgotten, but for programs that are to be saved.
    pub(crate) fn forget_planned(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        for slot in 0..ports.station.pool.slots() {
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            let op = &ports.station.pool[id];
            // What is joined with an operation goes with it.
            let is_part = matches!(op.action, Action::Joined(_));
            if !is_part && !ports.station.may_have_begun(id) && !self.is_to_be_saved(op) {
                ports.station.pool.remove(id);
            }
        }
    }

    /// Whether an operation is a program of data that the host may know to be written.
    pub(super) fn is_to_be_saved(&self, op: &Operation) -> bool {
        op.on_flash().is_some_and(|flash| {
            matches!(flash.task, Task::Program { epoch: Some(_), .. }) && !flash.doomed
        })
    }
}
