//! Issuer: hands the chosen phase to its channel controller.

use contract::{BufferId, FlashRequest, Hardware, Location, Lpn, OperationStep, Work};

use super::priority::{self, Classes};
use super::PhaseScheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Station, Task};

/// The logical page written to the spare area when an entry's data are lost, so that nobody takes
/// what the page holds for data.
pub const LOST: Lpn = Lpn(u32::MAX);

impl PhaseScheduler {
    /// Issues the next phase of a channel that has room for one, of the classes that are left. True when
    /// there was one.
    pub(super) fn issue_one(
        &mut self,
        hw: &mut impl Hardware,
        station: &mut Station,
        (nth, left): (u32, &mut Classes),
    ) -> bool {
        let channels = self.states.channels.len() as u32;
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
            let outcome = match flash.task {
                Task::Read { .. } => IoOutcome::UnrecoveredRead,
                Task::Program { .. } | Task::Erase => IoOutcome::WriteFault,
            };
            channel.dropped(way, operation);
            station.retire(hw, die);
            station.end(id, Ended::Failed(outcome));
            return true;
        }
        channel.issued(way, operation);
        if !flash.begun {
            flash.begun = true;
            id.step(hw, OperationStep::Begun);
        }
        let (buffer, spare) = match flash.task {
            Task::Program { entry, lost: true, .. } => (entry, LOST),
            Task::Program { entry, lpn, .. } | Task::Read { entry, lpn, .. } => (entry, lpn),
            // An erase uses neither.
            Task::Erase => (BufferId(0), Lpn(0)),
        };
        let location = Location { channel: nth as u8, way: way as u8, row: flash.page.row };
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, buffer, spare, command });
        true
    }
}
