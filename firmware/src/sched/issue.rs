//! Issuer: hands the chosen phase to its channel controller.

use contract::{
    BufferId, FlashRequest, Hardware, Location, Lpns, Metadata, OperationStep, PageKind,
    PhaseChannels, Span, UnitState, Work,
};

use super::priority::{self, Classes};
use super::PhaseScheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Stage, Station, Task};

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
        let buffer = entry(&flash.task);
        let part = match flash.task {
            Task::Read { part, .. } => part,
            _ => whole,
        };
        let location = Location { channel: nth as u8, way: way as u8, row: flash.page.row };
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, part, buffer, command });
        true
    }
}

/// The buffer entry that a task uses. An erase uses none.
pub(super) fn entry(task: &Task) -> BufferId {
    match *task {
        Task::Program { entry, .. }
        | Task::Read { entry, .. }
        | Task::Probe { entry, .. }
        | Task::Log { entry, .. } => entry,
        Task::Erase | Task::Wipe => BufferId(0),
    }
}

/// Whether a read that went well brought what it was to. Another page's data, or a page marked as lost, are not: to
/// read again would not help. A part comes without metadata, and is taken for what it is to be.
#[inline]
pub(super) fn is_right(hw: &mut impl Hardware, task: &Task, page: Span) -> bool {
    match *task {
        Task::Read { entry, part, lpn, .. } if part == page => {
            hw.metadata(entry).is_some_and(|metadata| metadata.is_of(lpn))
        }
        _ => true,
    }
}

/// Puts the metadata of a page of data behind it. Those of a page of the log are there.
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
