//! Issuer: hands the chosen phase to its channel controller.

use contract::{
    BufferId, FlashRequest, Hardware, Location, Lpn, Lpns, Metadata, OperationStep, PageKind,
    PhaseChannels, UnitState, Work,
};

use super::priority::{self, Classes};
use super::PhaseScheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Stage, Station, Task};

/// The logical page written to the spare area when an entry's data are lost, so that nobody takes
/// what the page holds for data.
pub const LOST: Lpn = Lpn(u32::MAX);

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
        let whole = station.page();
        let channel = &mut self.states.channels[nth as usize];
        let Some((way, operation)) = priority::select(channel, left) else { return false };
        let die = way * channels + nth;
        let id = station.first(die).expect("a way that waits has an operation");
        id.step(hw, OperationStep::Picked);
        hw.work(Work::Select);
        let op = &mut station.pool[id];
        let command = op.owner.command();
        let flash = op.on_flash_mut().expect("a way's operations are for the flash");
        if flash.doomed {
            let ended = doom(&flash.task);
            channel.dropped(way, operation);
            station.retire(hw, die);
            station.end(id, ended);
            return true;
        }
        channel.issued(way, operation);
        if flash.stage == Stage::New {
            flash.stage = Stage::Begun;
            id.step(hw, OperationStep::Begun);
        }
        describe(hw, &flash.task, station.epoch);
        let (buffer, spare) = page(&flash.task);
        let part = match flash.task {
            Task::Read { part, .. } => part,
            _ => whole,
        };
        let location = Location { channel: nth as u8, way: way as u8, row: flash.page.row };
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, part, buffer, spare, command });
        true
    }
}

/// The buffer entry that a task uses, and the logical page that the spare area is to name. An erase uses
/// neither.
pub(super) fn page(task: &Task) -> (BufferId, Lpn) {
    match *task {
        Task::Program { entry, lost: true, .. } => (entry, LOST),
        Task::Program { entry, lpn, .. } | Task::Read { entry, lpn, .. } => (entry, lpn),
        Task::Probe { entry, .. } | Task::Log { entry, .. } => (entry, LOST),
        Task::Erase | Task::Wipe => (BufferId(0), Lpn(0)),
    }
}

/// Says what the spare area of a page of data is to say. Of a page of the log that was said.
#[inline]
pub(super) fn describe(hw: &mut impl Hardware, task: &Task, epoch: u32) {
    if let Task::Program { entry, lpn, lost, sequence, .. } = *task {
        let state = if lost { UnitState::Lost } else { UnitState::Kept };
        let lpns = Lpns::from_iter([(lpn, state)]);
        let (kind, sequence) = (PageKind::Data, sequence.get());
        hw.set_metadata(entry, Metadata { kind, epoch, sequence, lpns });
    }
}

/// How a task ends that can only fail.
pub(super) fn doom(task: &Task) -> Ended {
    Ended::Failed(match task {
        Task::Read { .. } | Task::Probe { .. } => IoOutcome::UnrecoveredRead,
        _ => IoOutcome::WriteFault,
    })
}
