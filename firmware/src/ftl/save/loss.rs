//! The power has gone away, and the capacitor is what is left.
//!
//! Nothing comes from the host any more. What waited for it is forgotten, and so is what had not begun on the
//! flash: reads, collection, programs. What has begun there ends. Then each page that the host may know to be
//! written and that flash does not hold goes to the area, and with them the journal's records of what was freed.

use contract::{BufferId, Hardware, Lpns, Metadata, PageKind, Work};

use super::{holds_new_data, Phase};
use crate::ftl::log::page::Time;
use crate::ftl::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::{
    Action, Chain, Deed, Dma, Ended, Fifo, Flash, OpId, Operation, Owner, Sequence, Stage, Task,
    Touch,
};
use crate::planted::{is_planted, Bug};

/// Pages of a way that are saved at a time: one is carried while another is programmed.
const PAGES_A_WAY: u32 = 2;

/// How far saving has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saving {
    /// Whether there is anything to be saved: the area may be in use for what was saved before.
    wanted: bool,
    /// What had begun on the flash has ended.
    begun: bool,
    /// The slot of the pool and the entry of the buffer to be looked at next.
    slot: u32,
    entry: u32,
    /// Pages under way.
    under_way: u32,
    /// A journal page is.
    journal: bool,
    /// Pages whose program failed.
    again: Fifo,
    /// The way to be written to next.
    die: u32,
}

/// What is to be saved next.
enum Next {
    /// A page that failed elsewhere.
    Again(OpId),
    /// This, to a page that is not chosen yet.
    New(Task),
}

impl Ftl {
    /// The power has gone away. What had begun on the flash is still to end.
    pub(crate) fn lose_power(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        let wanted = self.save.as_ref().is_some_and(|save| save.is_ready() && save.pages > 0);
        if wanted {
            self.forget_host(ports);
        }
        let Some(save) = &mut self.save else { return };
        let saving = Saving {
            wanted,
            begun: false,
            slot: 0,
            entry: 0,
            under_way: 0,
            journal: false,
            again: Fifo::EMPTY,
            die: 0,
        };
        save.phase = Phase::Lost(saving);
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
            if !ports.station.may_have_begun(id) && !self.is_to_be_saved(&ports.station.pool[id]) {
                ports.station.pool.remove(id);
            }
        }
    }

    /// Whether an operation is a program of data that the host may know to be written.
    fn is_to_be_saved(&self, op: &Operation) -> bool {
        op.on_flash().is_some_and(|flash| {
            matches!(flash.task, Task::Program { epoch: Some(_), .. }) && !flash.doomed
        })
    }

    /// Takes what has ended without power.
    pub(crate) fn settle_loss(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        while let Some((id, ended)) = ports.station.next_ended() {
            let op = ports.station.pool[id];
            let Some(&Flash { page, task, .. }) = op.on_flash() else { continue };
            if self.is_saved_at(page) && is_of_saving(&task) {
                if let Some(saving) = self.saving() {
                    saving.under_way -= 1;
                    saving.journal &= !matches!(task, Task::Log { .. });
                }
            } else if ended != Ended::Well && self.is_to_be_saved(&op) {
                continue;
            }
            ports.station.pool.remove(id);
        }
        while let Some(die) = ports.station.next_halted() {
            self.redirect_saved(ports, die);
            ports.station.resume(die);
        }
    }

    /// A program of a way has failed: what was to be saved there goes elsewhere, and so does what follows. Behind pages
    /// that stay erased nobody would look for it.
    fn redirect_saved(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        while let Some(id) = ports.station.first(die) {
            ports.station.retire(ports.hw, die);
            let flash = ports.station.pool[id].on_flash_mut().expect("it is for the flash");
            let page = flash.page;
            flash.stage = Stage::New;
            let of_saving = is_of_saving(&flash.task);
            let Some(save) = self.save.as_mut().filter(|save| of_saving && save.area.has(page))
            else {
                continue;
            };
            save.area.fail(page);
            if let Phase::Lost(saving) = &mut save.phase {
                saving.under_way -= 1;
                ports.station.pool.push(&mut saving.again, id);
            }
        }
    }

    fn saving(&mut self) -> Option<&mut Saving> {
        match &mut self.save.as_mut()?.phase {
            Phase::Lost(saving) => Some(saving),
            _ => None,
        }
    }

    /// Saves what is to be saved, as much as the flash takes for now. True when something was begun.
    pub(crate) fn save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let most = self.geometry.dies() * PAGES_A_WAY;
        let rests = (0..self.geometry.dies()).all(|die| ports.station.is_idle(die));
        let Some(saving) = self.saving() else { return false };
        saving.begun |= rests;
        if !saving.begun {
            return false;
        }
        let mut busy = false;
        while self.saving().is_some_and(|saving| saving.wanted && saving.under_way < most) {
            let Some(next) = self.next_to_save(ports) else { break };
            if !self.save_one(ports, next) {
                break;
            }
            busy = true;
        }
        busy
    }

    fn next_to_save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> Option<Next> {
        let saving = self.saving()?;
        if let Some(id) = ports.station.pool.pop(&mut saving.again) {
            return Some(Next::Again(id));
        }
        let idle = !core::mem::replace(&mut saving.journal, true);
        if idle && !is_planted(Bug::SaveForgetsJournal) {
            let time = Time {
                sequence: self.translator.sequence + 1,
                block_bytes: self.block_bytes,
                position: 0,
            };
            let journal = &mut self.log.as_mut()?.journal;
            if let Some(entry) = journal.to_save(ports.hw, time) {
                let metadata = Metadata {
                    kind: PageKind::Journal,
                    epoch: ports.station.epoch,
                    sequence: self.translator.sequence,
                    lpns: Lpns::NONE,
                };
                ports.hw.set_metadata(entry, metadata);
                let position = Sequence::new(self.translator.sequence);
                return Some(Next::New(Task::Log { entry, position }));
            }
        }
        let mut saving = *self.saving()?;
        let task = self.next_data(ports, &mut saving);
        *self.saving()? = saving;
        task.map(Next::New)
    }

    /// The next page of data that is to be saved: of programs that were planned, and of the buffer.
    fn next_data(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        saving: &mut Saving,
    ) -> Option<Task> {
        while saving.slot < ports.station.pool.slots() {
            let slot = saving.slot;
            saving.slot += 1;
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            let op = ports.station.pool[id];
            if !self.is_to_be_saved(&op) {
                continue;
            }
            if let Some(&Flash { task: Task::Program { entry, lpn, sequence, .. }, .. }) =
                op.on_flash()
            {
                let lost = self.buffer.has_lost(entry);
                return Some(Task::Program { entry, lpn, epoch: None, lost, sequence });
            }
        }
        while saving.entry < self.buffer.cached() {
            let entry = BufferId(saving.entry);
            saving.entry += 1;
            if !holds_new_data(self, entry) {
                continue;
            }
            let lpn = self.buffer.lpn(entry)?;
            let lost = self.buffer.has_lost(entry);
            let sequence = Sequence::new(self.translator.next_sequence());
            return Some(Task::Program { entry, lpn, epoch: None, lost, sequence });
        }
        None
    }

    /// Saves something to the next way that has a page for it. False if none has.
    fn save_one(&mut self, ports: &mut Ports<'_, impl Hardware>, next: Next) -> bool {
        let dies = self.geometry.dies();
        let Some(save) = &mut self.save else { return false };
        let Phase::Lost(saving) = &mut save.phase else { return false };
        let turn = (0..dies).map(|nth| (saving.die + nth) % dies);
        let Some(page) = turn.into_iter().find_map(|die| save.area.take(die)) else {
            return false;
        };
        saving.die = (page.die + 1) % dies;
        saving.under_way += 1;
        ports.hw.work(Work::Place);
        match next {
            Next::Again(id) => {
                if let Some(flash) = ports.station.pool[id].on_flash_mut() {
                    flash.page = page;
                }
                ports.station.put(ports.hw, id);
            }
            Next::New(task) => {
                let id = ports.station.pool.add(Operation::flash(Owner::Drive, page, task));
                let op = ports.station.pool[id];
                id.step(
                    ports.hw,
                    contract::OperationStep::Planned { command: None, needs: op.needs() },
                );
                id.released(ports.hw, None);
                ports.station.put(ports.hw, id);
            }
        }
        true
    }
}

/// Whether it brings a page to the save area.
fn is_of_saving(task: &Task) -> bool {
    matches!(task, Task::Program { epoch: None, .. } | Task::Log { .. })
}
