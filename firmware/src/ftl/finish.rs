//! What the end of an operation means: for its command, its flush, its entry of the buffer, and what waits for that.

use contract::{Hardware, OperationStep, Work};

use super::buffer::Lost;
use super::depend::Adder;
use super::flush::Kept;
use super::restore::Restored;
use super::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::{
    Action, Data, Deed, Dma, Ended, Flash, OpId, Operation, Owner, Task, Touch,
};

impl Ftl {
    /// Counts an operation that has ended.
    pub(super) fn count(&mut self, op: &Operation, ended: Ended) {
        let Some(Flash { task, doomed, .. }) = op.on_flash() else { return };
        match (task, ended) {
            (Task::Read { .. }, Ended::Well) => self.counters.reads += 1,
            (Task::Read { .. }, _) if !doomed => self.counters.unreadable_pages += 1,
            (Task::Program { epoch: Some(_), .. }, Ended::Well) => self.counters.programs += 1,
            (Task::Program { .. }, Ended::Well) => self.counters.moves += 1,
            (Task::Erase, Ended::Well) => self.counters.erases += 1,
            _ => {}
        }
    }

    /// An operation is done: tells its command, its flush and what waits for its entry.
    pub(super) fn finish(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        id.step(ports.hw, OperationStep::Ended);
        ports.hw.work(Work::Depend);
        let op = ports.station.pool[id];
        if let Some(&Flash { page, task, .. }) = op.on_flash() {
            if self.log_ended(ports, (page, task), ended) {
                ports.station.pool.remove(id);
                return;
            }
        }
        if let Action::Dma(Dma::FromHost { data, replaced: Some(_) }) = op.action {
            self.buffer.take_replacing(data.entry);
        }
        let replaced = match op.action {
            Action::Dma(Dma::FromHost { replaced, .. }) => replaced,
            _ => None,
        };
        match (op.action, ended) {
            (
                Action::Dma(Dma::FromHost { data, replaced: Some(replaced) }),
                Ended::Failed(outcome),
            ) => {
                let restored = self.restore(ports, (id, outcome), (data.entry, replaced));
                self.translator.map.unpin(replaced.lpn);
                if restored == Restored::InTime {
                    return;
                }
            }
            (Action::Flash(Flash { page, task: Task::Program { epoch, .. }, .. }), _) => {
                if epoch.is_some() {
                    let of_host = ports.station.pool.moved(id).filter(|own| own.of_host);
                    self.flushes.end_units(of_host.count() as u32);
                }
                self.note_lost_units(ports, (id, page));
            }
            (Action::Flash(Flash { task: Task::Read { part, .. }, .. }), _) => {
                self.take_units(ports, (id, part), ended);
            }
            (
                Action::Dma(Dma::FromHost { data: Data { entry, .. }, .. })
                | Action::Touch(Touch { entry, deed: Deed::Zero | Deed::Copy { .. }, .. }),
                Ended::Well,
            ) => {
                self.buffer.set_lost(entry, self.buffer.replaced(&op), Lost::No);
                if let Some(replaced) = replaced {
                    self.translator.map.unpin(replaced.lpn);
                }
            }
            (Action::Dma(Dma::Control(_)), _) => {
                self.control = Some(match ended {
                    Ended::Well => IoOutcome::Success,
                    Ended::Failed(outcome) => outcome,
                });
                ports.station.pool.remove(id);
                return;
            }
            _ => {}
        }
        if let Some(entry) = op.entry() {
            self.buffer.filled(entry, id);
        }
        let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
        adder.unchain(id, id);
        self.tell(&op, ended);
        self.end_joined(ports, id, ended);
        if let Some(&Flash { page, task, .. }) = op.on_flash() {
            self.note_programmed(ports, (id, page, task), ended);
        }
        ports.station.pool.remove(id);
    }

    /// Tells flush and command of an operation that has ended.
    #[inline]
    pub(super) fn tell(&mut self, op: &Operation, ended: Ended) {
        let program = match op.on_flash() {
            Some(&Flash { task: Task::Program { epoch, .. }, .. }) => Some(epoch),
            _ => None,
        };
        if let Some(Some(epoch)) = program {
            self.flushes.end(epoch, if ended == Ended::Well { Kept::All } else { Kept::NotAll });
        }
        match (op.owner, ended) {
            // A former page that could not be written is not this command's fault. What could not be read fails what
            // uses it, if anything does: a write that replaces it goes on.
            (Owner::Step(_), Ended::Failed(_)) if op.is_for_flash() => {}
            (Owner::Step(tag) | Owner::Counts(tag), Ended::Failed(outcome)) => {
                self.commands.fail(tag, outcome);
            }
            _ => {}
        }
        if let Owner::Counts(tag) = op.owner {
            self.commands.finish_one(tag);
        }
    }
}
