//! Status checker: takes in what the channel controllers report.

use contract::{
    ChannelStatus, FlashOperation, FlashOutcome, Hardware, OperationStep, PhaseChannels, Work,
};

use super::issue::check;
use super::priority::Class;
use super::{PhaseScheduler, HANG_RETRIES};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Met, OpId, Station, Task};
use crate::planted::{is_planted, Bug};

const UNREADABLE: Ended = Ended::Failed(IoOutcome::UnrecoveredRead);

/// What becomes of an operation whose way has answered.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// This phase is next.
    Next(FlashOperation),
    /// It is over.
    Ended(Ended),
    /// Its block has failed: the way halts.
    Failed,
}

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
        channel.waiting.add(Class::StatusCheck, ended);
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
        let die = way * self.states.channels.len() as u32 + nth;
        let id = station.first(die).expect("a way that answers has an operation");
        id.step(hw, OperationStep::Answered);
        hw.work(Work::Advance);
        let outcome = hw.take_response(nth as u8, way as u8);
        let channel = &mut self.states.channels[nth as usize];
        let was_setting = channel.setting >> way & 1 != 0;
        channel.setting &= !(1 << way);
        let verdict = if channel.resetting >> way & 1 != 0 {
            self.judge_reset(station, (nth, way, id), outcome)
        } else if was_setting && outcome != FlashOutcome::TimedOut {
            let flash = station.pool[id].on_flash().expect("a way's operations are for the flash");
            self.levels.is_set_for(die, &flash.task);
            Verdict::Next(FlashOperation::ReadTrigger)
        } else {
            self.judge(hw, station, (nth, way, id), outcome)
        };
        let next = match verdict {
            Verdict::Next(phase) => Some(phase),
            Verdict::Ended(_) | Verdict::Failed => None,
        };
        self.states.channels[nth as usize].answered(way, next);
        match verdict {
            Verdict::Next(_) => {}
            Verdict::Ended(ended) => {
                station.retire(hw, die);
                station.end(id, ended);
            }
            Verdict::Failed => station.halt(die),
        }
    }

    /// What becomes of an operation whose way has answered.
    fn judge(
        &mut self,
        hw: &mut impl Hardware,
        station: &mut Station,
        (nth, way, id): (u32, u32, OpId),
        outcome: FlashOutcome,
    ) -> Verdict {
        let channel = &mut self.states.channels[nth as usize];
        let transferred = channel.transferring >> way & 1 != 0;
        let page = station.page();
        let Station { pool, met, .. } = station;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        let (at, task) = (flash.page, &mut flash.task);
        match (task, outcome) {
            (Task::Program { .. }, FlashOutcome::TimedOut)
                if is_planted(Bug::TimeOutTakenForSuccess) =>
            {
                Verdict::Ended(Ended::Well)
            }
            (_, FlashOutcome::TimedOut) => {
                channel.resetting |= 1 << way;
                Verdict::Next(FlashOperation::Reset)
            }
            (task, FlashOutcome::Success { .. }) if task.reads() && !transferred => {
                Verdict::Next(FlashOperation::ReadTransfer)
            }
            (Task::Read { .. }, FlashOutcome::Success { corrected_bits, most_bits }) => {
                met.read(at, corrected_bits, most_bits);
                Verdict::Ended(check(hw, pool, (id, page)))
            }
            (_, FlashOutcome::Success { .. }) => Verdict::Ended(Ended::Well),
            // The mark is there whatever the decoder makes of the page.
            (Task::Mark { .. }, _) => Verdict::Ended(Ended::Well),
            (task, _) => again_or_over(task, met, self.read_retries),
        }
    }

    /// What becomes of an operation whose chip hung and was told to reset: it is ready now, or never will be.
    fn judge_reset(
        &mut self,
        station: &mut Station,
        (nth, way, id): (u32, u32, OpId),
        outcome: FlashOutcome,
    ) -> Verdict {
        let die = way * self.states.channels.len() as u32 + nth;
        let channel = &mut self.states.channels[nth as usize];
        channel.resetting &= !(1 << way);
        let back = outcome != FlashOutcome::TimedOut;
        channel.dead |= u64::from(!back) << way;
        if !back {
            station.lose_chip(die);
        }
        let Station { pool, met, .. } = station;
        met.chip_resets += 1;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        let retries = if back { self.read_retries.max(HANG_RETRIES) } else { 0 };
        again_or_over(&mut flash.task, met, retries)
    }
}

/// What becomes of a task that went wrong: what reads is tried again so often at most.
fn again_or_over(task: &mut Task, met: &mut Met, retries: u32) -> Verdict {
    match task {
        task if task.may_be_tried_again(retries) => {
            task.try_again();
            met.read_retries += 1;
            Verdict::Next(FlashOperation::ReadTrigger)
        }
        task if task.reads() => Verdict::Ended(UNREADABLE),
        _ => Verdict::Failed,
    }
}
