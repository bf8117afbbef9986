//! Issuer: hands the chosen phase to its channel controller.

use contract::{FlashOperation, FlashRequest, Hardware, Location, Lpn, OperationStep, Work};

use super::priority;
use super::Scheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Kind, Station};

/// The logical page written to the spare area when an entry's data are lost, so that nobody takes
/// what the page holds for data.
pub const LOST: Lpn = Lpn(u32::MAX);

impl Scheduler {
    /// Issues the next phase of a channel that has room for one. True when there was one.
    pub(super) fn issue_one(
        &mut self,
        hw: &mut impl Hardware,
        station: &mut Station,
        nth: u32,
    ) -> bool {
        let channels = self.states.channels.len() as u32;
        let channel = &mut self.states.channels[nth as usize];
        let Some((way, operation)) = priority::select(channel) else { return false };
        let die = way * channels + nth;
        let id = station.first(die).expect("a way that waits has an operation");
        id.step(hw, OperationStep::Picked);
        hw.work(Work::Select);
        let op = &mut station.pool[id];
        if op.doomed {
            let outcome = match op.kind {
                Kind::Read => IoOutcome::UnrecoveredRead,
                _ => IoOutcome::WriteFault,
            };
            channel.dropped(way, operation);
            station.retire(hw, die);
            station.end(id, Ended::Failed(outcome));
            return true;
        }
        channel.issued(way, operation);
        if !op.begun {
            op.begun = true;
            id.step(hw, OperationStep::Begun);
        }
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest {
            operation,
            location: Location { channel: nth as u8, way: way as u8, row: op.page.row },
            buffer: op.entry,
            spare: if op.lost && operation == FlashOperation::Program { LOST } else { op.lpn },
            command: op.command,
        });
        true
    }
}
