//! Status checker: takes in what the channel controllers report.

use contract::{ChannelStatus, FlashOperation, FlashOutcome, Hardware, OperationStep, Work};

use super::priority::Class;
use super::reservation::Station;
use super::state::first_phase;
use super::Scheduler;
use crate::ftl::badblock::Remedy;
use crate::ftl::{Ended, Ftl};
use crate::nvme::backend::IoOutcome;
use crate::operation::Kind;

impl Scheduler {
    /// Takes in one read of a channel's status. True when a way's state changed.
    pub(super) fn take_in(
        &mut self,
        hw: &mut impl Hardware,
        ftl: &mut Ftl,
        station: &mut Station,
        (nth, status): (u32, ChannelStatus),
    ) -> bool {
        let channel = &mut self.states.channels[nth as usize];
        // The chip is ready again, but only a status check tells how it went.
        let ended = status.ready & channel.busy;
        channel.busy &= !ended;
        channel.waiting[Class::StatusCheck as usize] |= ended;
        let mut answers = status.responses & (channel.checked | channel.transferring);
        let busy = ended | answers != 0;
        if ended != 0 {
            hw.work_times(Work::Advance, ended.count_ones());
        }
        while answers != 0 {
            let way = answers.trailing_zeros();
            answers &= answers - 1;
            let next = self.answer(hw, ftl, station, (nth, way));
            self.states.channels[nth as usize].answered(way, next);
        }
        busy
    }

    /// What follows on a way's answer: the next phase, or none when its operation is done.
    fn answer(
        &mut self,
        hw: &mut impl Hardware,
        ftl: &mut Ftl,
        station: &mut Station,
        (nth, way): (u32, u32),
    ) -> Option<FlashOperation> {
        let channel = &self.states.channels[nth as usize];
        let die = way * self.states.channels.len() as u32 + nth;
        let id = station.first(die).expect("a way that answers has an operation");
        let transferred = channel.transferring >> way & 1 != 0;
        id.step(hw, OperationStep::Answered);
        hw.work(Work::Advance);
        let response = hw.take_response(nth as u8, way as u8);
        let op = &mut station.pool[id];
        let ended = match (op.kind, response.outcome) {
            (Kind::Read, FlashOutcome::Success { .. }) if !transferred => {
                return Some(FlashOperation::ReadTransfer);
            }
            (Kind::Read, FlashOutcome::Success { corrected_bits }) => {
                ftl.counters.corrected_bits += u64::from(corrected_bits);
                // Another page's data, or a page marked as lost: to read again would not help.
                let right = response.spare == op.lpn;
                ftl.counters.unreadable_pages += u64::from(!right);
                if right {
                    Ended::Well
                } else {
                    Ended::Failed(IoOutcome::UnrecoveredRead)
                }
            }
            (Kind::Read, _) if op.retries < self.read_retries => {
                op.retries += 1;
                ftl.counters.read_retries += 1;
                return Some(FlashOperation::ReadTrigger);
            }
            (Kind::Read, _) => {
                ftl.counters.unreadable_pages += 1;
                Ended::Failed(IoOutcome::UnrecoveredRead)
            }
            (_, FlashOutcome::Success { .. }) => Ended::Well,
            (kind, _) => match ftl.block_failed(hw, station, die) {
                Remedy::Again => return Some(first_phase(kind)),
                Remedy::Done => Ended::Well,
                Remedy::Lost => Ended::Failed(IoOutcome::WriteFault),
            },
        };
        let op = &station.pool[id];
        if ended == Ended::Well {
            match op.kind {
                Kind::Program if op.epoch.is_some() => ftl.counters.programs += 1,
                Kind::Program => ftl.counters.moves += 1,
                Kind::Erase => ftl.counters.erases += 1,
                Kind::Read => ftl.counters.reads += 1,
                _ => {}
            }
        }
        station.retire(hw, die);
        ftl.finish(hw, station, id, ended);
        None
    }
}
