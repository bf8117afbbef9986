//! Issuer: hands the chosen phase to its channel controller.

use contract::{
    BufferId, FlashOperation, FlashRequest, Hardware, Location, OperationStep, PhaseChannels, Span,
    Work,
};

use super::priority::Classes;
use super::status::next_of_suspended;
use super::PhaseScheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::Moved;
use crate::operations::{Ended, Flash, OpId, Pool, Stage, Station, Task, Turns};
use crate::planted::{is_planted, Bug};

impl PhaseScheduler {
    /// Issues the next phase of a channel that has room for one, of the classes that are left. True when
    /// there was one.
    pub(super) fn issue_one(
        &mut self,
        hw: &mut impl PhaseChannels,
        station: &mut Station,
        (nth, left): (u32, &mut Classes),
    ) -> bool {
        let channels = self.states.channels.len() as u32;
        let channel = &mut self.states.channels[nth as usize];
        let Some((way, operation)) = self.priority.select(channel, left) else { return false };
        let die = way * channels + nth;
        let id = station.current(die).expect("a way that waits has an operation");
        id.step(hw, OperationStep::Picked);
        hw.work(Work::Select);
        station.describe(hw, id);
        let op = &mut station.pool[id];
        let command = op.owner.command();
        let flash = op.on_flash_mut().expect("a way's operations are for the flash");
        let is_dead = channel.dead >> way & 1 != 0;
        // The chip has begun with it, and is to end it whatever becomes of it.
        let has_begun = matches!(operation, FlashOperation::Suspend | FlashOperation::Resume);
        if !has_begun && flash.doomed || is_dead && flash.task.reads() {
            let ended = doom(&flash.task);
            station.retire(hw, die);
            station.end(id, ended);
            let is_suspended = channel.suspended >> way & 1 != 0;
            let next = is_suspended.then(|| next_of_suspended(hw, station, die));
            self.states.channels[nth as usize].dropped(way, operation, next);
            return true;
        }
        if is_dead {
            flash.turns = Turns::default();
            // It counts as failed, so that the FTL knows what is lost once the way has no spare block left.
            channel.dropped(way, operation, None);
            station.halt(die);
            return true;
        }
        let (operation, level) = match self.levels.to_set(die, &flash.task) {
            Some(level) if operation == FlashOperation::ReadTrigger => {
                channel.setting |= 1 << way;
                (FlashOperation::SetLevel, level)
            }
            _ => (operation, 0),
        };
        channel.issued(way, operation);
        if flash.stage == Stage::New {
            flash.stage = Stage::Begun;
            id.step(hw, OperationStep::Begun);
        }
        let flash = *flash;
        let Flash { task, page, .. } = flash;
        let (buffer, part) = (entry(&task), station.part_of_turn(&flash));
        let location = Location { channel: nth as u8, way: way as u8, row: page.row };
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, part, level, buffer, command });
        if operation == FlashOperation::Suspend {
            station.note_suspended(die);
        } else if station.suspends() {
            // Reads may wait behind it already.
            station.mark(die);
        }
        true
    }
}

/// The buffer entry that a task uses. An erase uses none.
pub(super) fn entry(task: &Task) -> BufferId {
    match *task {
        Task::Program { entry, .. }
        | Task::Read { entry, .. }
        | Task::Probe { entry, .. }
        | Task::Mark { entry, .. }
        | Task::Log { entry, .. } => entry,
        Task::Erase | Task::Wipe => BufferId(0),
    }
}

/// How a read ended that the flash has done. Another page's data, or a mapping unit marked as lost, are not what was to be
/// read: to read again would not help. A part comes without metadata, and is taken for what it is to be.
#[inline(always)]
pub(super) fn check(hw: &mut impl Hardware, pool: &mut Pool, (id, page): (OpId, Span)) -> Ended {
    match pool[id].on_flash().map(|flash| flash.task) {
        Some(Task::Read { entry, part, .. }) if part == page => {
            let metadata = hw.metadata(entry);
            let is_there =
                |own: &Moved| metadata.is_some_and(|said| said.names(own.unit.into(), own.lpn));
            let ignored = is_planted(Bug::MetadataIgnored);
            pool.note_lost(id, |own| own.lost || !ignored && !is_there(own));
            if pool.moved(id).all(|own| own.lost) {
                return Ended::Failed(IoOutcome::UnrecoveredRead);
            }
            Ended::Well
        }
        _ => Ended::Well,
    }
}

/// How a task ends that can only fail.
pub(super) fn doom(task: &Task) -> Ended {
    Ended::Failed(match task {
        task if task.reads() => IoOutcome::UnrecoveredRead,
        _ => IoOutcome::WriteFault,
    })
}
