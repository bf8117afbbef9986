//! Status checker: takes in what the channel controllers report.

use contract::{
    ChannelStatus, FlashOperation, FlashOutcome, Hardware, OperationStep, PhaseChannels, Work,
};

use super::issue::check;
use super::priority::Class;
use super::state::first_phase;
use super::{PhaseScheduler, HANG_RETRIES};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Flash, Met, OpId, Station, Task, Turns};
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
        let id = station.current(die).expect("a way that answers has an operation");
        id.step(hw, OperationStep::Answered);
        hw.work(Work::Advance);
        let outcome = hw.take_response(nth as u8, way as u8);
        let channel = &mut self.states.channels[nth as usize];
        let was_setting = channel.setting >> way & 1 != 0;
        channel.setting &= !(1 << way);
        let verdict = if outcome == FlashOutcome::Suspended {
            channel.suspended |= 1 << way;
            Verdict::Next(next_of_suspended(hw, station, die))
        } else if channel.resetting >> way & 1 != 0 {
            self.judge_reset(station, (nth, way, id), outcome)
        } else if was_setting && outcome != FlashOutcome::TimedOut {
            let flash = station.pool[id].on_flash().expect("a way's operations are for the flash");
            self.levels.is_set_for(die, &flash.task);
            Verdict::Next(FlashOperation::ReadTrigger)
        } else {
            // It had ended before the chip was told to suspend it, if it was.
            channel.suspending &= channel.suspended | !(1 << way);
            self.judge(hw, station, (nth, way, id), outcome)
        };
        let next = match verdict {
            Verdict::Next(phase) => Some(phase),
            Verdict::Ended(ended) => {
                station.retire(hw, die);
                station.end(id, ended);
                let is_suspended = self.states.channels[nth as usize].suspended >> way & 1 != 0;
                is_suspended.then(|| next_of_suspended(hw, station, die))
            }
            Verdict::Failed => {
                station.halt(die);
                None
            }
        };
        self.states.channels[nth as usize].answered(way, next);
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
        let turns = station.turns_left(id);
        let Station { pool, met, .. } = station;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        match (&flash.task, outcome) {
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
            // What is to be read was programmed, as far as anybody knows: the chip has lost that. A part of a page comes
            // without metadata, so that nothing else would tell.
            (Task::Read { .. }, FlashOutcome::Erased) if !is_planted(Bug::ErasedTakenForData) => {
                Verdict::Ended(UNREADABLE)
            }
            (task, outcome @ (FlashOutcome::Success { .. } | FlashOutcome::Erased)) => {
                let is_read = matches!(task, Task::Read { .. });
                if let (true, FlashOutcome::Success { corrected_bits, most_bits }) =
                    (is_read, outcome)
                {
                    met.read(flash.page, corrected_bits, most_bits);
                }
                match next_turn(flash, turns) {
                    Some(phase) => Verdict::Next(phase),
                    None if is_read => Verdict::Ended(check(hw, pool, (id, page))),
                    None if flash.turns.spoilt => Verdict::Ended(UNREADABLE),
                    None => Verdict::Ended(Ended::Well),
                }
            }
            // The mark is there whatever the decoder makes of the page.
            (Task::Mark { .. }, _) => Verdict::Ended(Ended::Well),
            _ => again_or_over(flash, met, (self.read_retries, turns)),
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
        let turns = station.turns_left(id);
        let Station { pool, met, .. } = station;
        met.chip_resets += 1;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        let retries = if back { self.read_retries.max(HANG_RETRIES) } else { 0 };
        again_or_over(flash, met, (retries, turns))
    }
}

/// What follows on a way whose chip suspends its first operation: the next read that overtakes that, or it goes on.
pub(super) fn next_of_suspended(
    hw: &mut impl Hardware,
    station: &mut Station,
    die: u32,
) -> FlashOperation {
    match station.take_aside(hw, die) {
        Some(_) => FlashOperation::ReadTrigger,
        None => {
            if let Some(first) = station.first(die) {
                first.step(hw, OperationStep::First { die });
            }
            FlashOperation::Resume
        }
    }
}

/// Decides what becomes of an operation that went wrong. A read is tried again at most `retries` times. When recovery looks at a
/// page that consists of several flash pages, the metadata are in the last flash page. So the last flash page is read whatever came of the flash pages
/// before it.
fn again_or_over(flash: &mut Flash, met: &mut Met, (retries, turns): (u32, u8)) -> Verdict {
    match &mut flash.task {
        task if task.may_be_tried_again(retries) => {
            task.try_again();
            met.read_retries += 1;
            Verdict::Next(FlashOperation::ReadTrigger)
        }
        Task::Probe { .. } if turns > 1 => {
            flash.turns.spoilt = true;
            next_turn(flash, turns).map_or(Verdict::Ended(UNREADABLE), Verdict::Next)
        }
        task if task.reads() => Verdict::Ended(UNREADABLE),
        _ => {
            // It is done again from its first flash page on.
            flash.turns = Turns::default();
            Verdict::Failed
        }
    }
}

/// An operation is done with a flash page: the phase that the next one begins with, if there are more than one left.
#[inline]
fn next_turn(flash: &mut Flash, left: u8) -> Option<FlashOperation> {
    if left <= 1 {
        return None;
    }
    flash.turns.done += 1;
    flash.task.try_next();
    Some(first_phase(&flash.task))
}

#[cfg(test)]
mod tests {
    use contract::{BufferId, Configuration, Geometry, Lpn, Programming, Span};

    use super::*;
    use crate::nvme::tests::mock::{configuration, MockHardware};
    use crate::operations::{Operation, Owner, Page, Place};

    /// Flash pages of a word line.
    const FLASH_PAGES: u8 = 3;

    /// How the read of a word line for recovery ends of which one flash page is uncorrectable, if any, however often it is
    /// tried.
    fn probed(unreadable: Option<u8>) -> Ended {
        let plain = configuration();
        let config = Configuration {
            programming: Programming { flash_pages: FLASH_PAGES.into(), passes: 1 },
            geometry: Geometry { page_bytes: u32::from(FLASH_PAGES) * 16_384, ..plain.geometry },
            ..plain
        };
        let mut hw = MockHardware::new(&config);
        let mut station = Station::of(&config, 4);
        let mut scheduler = PhaseScheduler::of_channels(u64::MAX, &config);
        let task = Task::Probe { entry: BufferId(0), retries: 0 };
        let probe = Operation::flash(Owner::Drive, Page { die: 0, row: 8 }, task);
        let id = station.reserve(&mut hw, probe);
        let good = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };
        for _ in 0..100 {
            let done = station.pool[id].on_flash().expect("it is for the flash").turns.done;
            let transferring = &mut scheduler.states.channels[0].transferring;
            let is_bad = *transferring != 0 && unreadable == Some(done);
            let outcome = if is_bad { FlashOutcome::Uncorrectable } else { good };
            match scheduler.judge(&mut hw, &mut station, (0, 0, id), outcome) {
                Verdict::Next(phase) => {
                    let is_transfer = phase == FlashOperation::ReadTransfer;
                    scheduler.states.channels[0].transferring = is_transfer.into();
                }
                Verdict::Ended(ended) => return ended,
                Verdict::Failed => panic!("a read halts no way"),
            }
        }
        panic!("it does not end");
    }

    /// A part of a page comes without metadata: that it is erased is all that tells of a program that the chip lost.
    #[test]
    fn a_part_of_an_erased_page_is_not_read_well() {
        let config = configuration();
        let mut hw = MockHardware::new(&config);
        let mut station = Station::of(&config, 4);
        let mut scheduler = PhaseScheduler::of_channels(u64::MAX, &config);
        scheduler.states.channels[0].transferring = 1;
        let place = Place { page: Page { die: 0, row: 8 }, unit: 0 };
        let part = Span { offset: 0, length: 4096 };
        let read = Operation::read(Owner::Drive, place, (BufferId(0), Lpn(3), part));
        let id = station.reserve(&mut hw, read);
        let good = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };
        for (outcome, expected) in [(good, Ended::Well), (FlashOutcome::Erased, UNREADABLE)] {
            match scheduler.judge(&mut hw, &mut station, (0, 0, id), outcome) {
                Verdict::Ended(ended) => assert_eq!(ended, expected, "{outcome:?}"),
                other => panic!("{outcome:?}: {other:?}"),
            }
        }
    }

    /// The metadata stand behind the last flash page. If that reads as erased, the word line is not erased all the same.
    #[test]
    fn a_word_line_of_which_a_flash_page_is_unreadable_is_not_read_well() {
        assert_eq!(probed(None), Ended::Well);
        for nth in 0..FLASH_PAGES {
            assert_eq!(probed(Some(nth)), UNREADABLE, "flash page {nth}");
        }
    }
}
