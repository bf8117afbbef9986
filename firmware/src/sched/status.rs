//! Status checker: takes in what the channel controllers report.

use contract::{
    ChannelStatus, FlashOperation, FlashOutcome, Hardware, OperationStep, PhaseChannels, Work,
};

use super::issue::check;
use super::priority::Class;
use super::PhaseScheduler;
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Station, Task};

impl PhaseScheduler {
    /// Takes in one read of a channel's status. Returns the ways whose answers are to be taken, and
    /// whether anything changed.
    pub(super) fn take_in(
        &mut self,
        hw: &mut impl Hardware,
        (nth, status): (u32, ChannelStatus),
    ) -> (u64, bool) {
        let channel = &mut self.states.channels[nth as usize];
        // The chip is ready again, but only a status check tells how it went.
        let ended = status.ready & channel.busy;
        channel.busy &= !ended;
        channel.waiting[Class::StatusCheck as usize] |= ended;
        let answers = status.responses & (channel.checked | channel.transferring);
        if ended != 0 {
            hw.work_times(Work::Advance, ended.count_ones());
        }
        (answers, ended | answers != 0)
    }

    /// Takes a way's answer: its next phase waits, or its operation has ended, or the way halts.
    pub(super) fn take_answer(
        &mut self,
        hw: &mut impl PhaseChannels,
        station: &mut Station,
        (nth, way): (u32, u32),
    ) {
        let channel = &self.states.channels[nth as usize];
        let die = way * self.states.channels.len() as u32 + nth;
        let id = station.first(die).expect("a way that answers has an operation");
        let transferred = channel.transferring >> way & 1 != 0;
        id.step(hw, OperationStep::Answered);
        hw.work(Work::Advance);
        let outcome = hw.take_response(nth as u8, way as u8);
        let page = station.page();
        let Station { pool, met, .. } = station;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        let (at, task) = (flash.page, &mut flash.task);
        let unreadable = Ended::Failed(IoOutcome::UnrecoveredRead);
        let (next, ended) = match (task, outcome) {
            (Task::Read { .. } | Task::Probe { .. }, FlashOutcome::Success { .. })
                if !transferred =>
            {
                (Some(FlashOperation::ReadTransfer), None)
            }
            (Task::Read { .. }, FlashOutcome::Success { corrected_bits, most_bits }) => {
                met.read(at, corrected_bits, most_bits);
                (None, Some(check(hw, pool, (id, page))))
            }
            (Task::Probe { .. }, FlashOutcome::Success { .. }) => (None, Some(Ended::Well)),
            (task, _) if task.may_be_tried_again(self.read_retries) => {
                task.try_again();
                met.read_retries += 1;
                (Some(FlashOperation::ReadTrigger), None)
            }
            (Task::Read { .. } | Task::Probe { .. }, _) => (None, Some(unreadable)),
            (_, FlashOutcome::Success { .. }) => (None, Some(Ended::Well)),
            (_, _) => (None, None),
        };
        self.states.channels[nth as usize].answered(way, next);
        match (next, ended) {
            (Some(_), _) => {}
            (None, Some(ended)) => {
                station.retire(hw, die);
                station.end(id, ended);
            }
            (None, None) => station.halt(die),
        }
    }
}
