//! The channels schedule: whole operations are handed over, and come back with how they ended.
//!
//! Operations of a way are handed over in order, as soon as what they depend on has ended and their
//! channel has room. Reads that commands wait for are urgent there, and may begin before what was handed over
//! earlier. The channel keeps in order what depends on each other, so several of a way may be there at a time.
//! Three things it cannot know: a read that fails is repeated, so an erase waits until no read of its way is
//! left there; a block that fails is replaced, for which the way halts and everything that did not run comes
//! back; and a chip that does not turn ready is reset, for which everything comes back likewise.
//!
//! Operations that the channel can join over planes are handed over together: it joins what it has when the
//! first of them begins, and waits for nothing.

mod requests;

use alloc::vec::Vec;
use contract::packet::{self, set_level, Outcome, Priority, Request, Response};
use contract::{
    Configuration, Grain, HandOver, Location, OperationChannels, OperationGrain, OperationStep,
    WayOrder, Work,
};

use self::requests::{priority, stream, whole};
use super::dma::DmaQueue;
use super::issue::{check, doom, entry};
use super::levels::Levels;
use super::ways::{Chip, Doing, Ways};
use super::{Run, Scheduling, HANG_RETRIES};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Ended, Flash, OpId, Stage, Station, Task};
use crate::planted::{is_planted, Bug};

/// The scheduler that hands whole operations over.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct HandOverScheduler {
    dma: DmaQueue,
    grain: OperationGrain,
    read_retries: u32,
    levels: Levels,
    pages_per_block: u32,
    joined_planes: u32,
    ways: Ways,
    /// Channels that have an operation, a bit each.
    awaited: u64,
    /// Operations that each channel has.
    under_way: Vec<u32>,
    turn: Option<Turn>,
}

/// How far a turn of the main loop has come.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Turn {
    /// Channels that may have responses, a bit each.
    channels: u64,
    /// Anything changed so far.
    busy: bool,
}

/// What becomes of an operation that a channel has answered.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// It is over.
    Ended(Ended),
    /// It is handed over again at once.
    Again,
    /// It was not done, or not where it is wanted: it stays until its way has given all back.
    Back,
    /// Its block has failed.
    Failed,
}

impl<H: OperationChannels> Scheduling<H> for HandOverScheduler {
    fn new(config: &Configuration) -> Self {
        let Grain::Operations(grain) = config.grain else {
            panic!("the channels take whole operations")
        };
        HandOverScheduler {
            dma: DmaQueue::new(config.dma_requests),
            grain,
            read_retries: config.read_retries,
            levels: Levels::new(config),
            pages_per_block: config.geometry.pages_per_block,
            joined_planes: config.joined_planes,
            ways: Ways::new(config.geometry, grain.way_requests),
            awaited: 0,
            under_way: alloc::vec![0; config.geometry.channels as usize],
            turn: None,
        }
    }

    fn check_dma(&mut self, hw: &mut H, station: &mut Station) -> bool {
        self.dma.check(hw, station)
    }

    fn abandon(&mut self, hw: &mut H, station: &mut Station) {
        for die in 0..station.dies() {
            station.clear(die);
            let way = self.ways.of_mut(die);
            if way.under_way() > 0 {
                way.forgets = true;
                self.stop(hw, die);
            }
        }
    }

    fn run(&mut self, hw: &mut H, station: &mut Station) -> Run {
        let mut turn = self.turn.take().unwrap_or_else(|| {
            hw.attend(None);
            Turn { channels: self.awaited, busy: false }
        });
        loop {
            turn.busy |= self.dma.issue(hw, station);
            let Some((channel, response)) = hw.next_response(&mut turn.channels) else { break };
            self.take(hw, station, (channel, response));
            turn.busy = true;
            if station.has_news() {
                self.turn = Some(turn);
                return Run::News;
            }
        }
        self.ways.refresh(station);
        while let Some(die) = self.ways.next_eager() {
            let acted = self.serve(hw, station, die);
            turn.busy |= acted;
            if !acted {
                self.ways.rest(die);
            }
            if station.has_news() {
                self.turn = Some(turn);
                return Run::News;
            }
        }
        Run::Over(turn.busy)
    }
}

impl HandOverScheduler {
    /// Does the next thing for a way, with what its channel can join with it. False when there is nothing
    /// to be done for now.
    fn serve(&mut self, hw: &mut impl OperationChannels, station: &mut Station, die: u32) -> bool {
        let way = self.ways.of(die);
        match way.doing {
            Doing::GivesBack | Doing::Resets => return false,
            Doing::Halts if station.is_halted(die) => return false,
            Doing::Halts => {
                self.go_on(hw, station, die);
                return true;
            }
            Doing::Works => {}
        }
        let Some(id) = station.first(die).filter(|&id| station.pool.is_released(id)) else {
            return false;
        };
        let flash = *station.pool[id].on_flash().expect("a way's operations are for the flash");
        let alone = way.under_way() == 0;
        if way.chip == Chip::Dead {
            self.fail(hw, station, (die, id));
            return true;
        }
        if flash.doomed && alone {
            station.retire(hw, die);
            station.end(id, doom(&flash.task));
            return true;
        }
        let sets_level = way.sets_level || self.levels.to_set(die, &flash.task).is_some();
        let waits = flash.task == Task::Erase && way.reads > 0 || sets_level && !alone;
        if flash.doomed || waits || !station.has_room(die) {
            return false;
        }
        self.send(hw, station, (die, id));
        station.hand_over(hw, die);
        while let Some(id) = self.joined_with(station, die, &flash) {
            self.send(hw, station, (die, id));
            station.hand_over(hw, die);
        }
        true
    }

    /// The first operation that waits for a way, if it can go and the channel can join it with one that was
    /// handed over just now: the same is done on another plane, and on the same page.
    fn joined_with(&self, station: &Station, die: u32, before: &Flash) -> Option<OpId> {
        if self.joined_planes == 1 || self.ways.of(die).sets_level || !station.has_room(die) {
            return None;
        }
        let id = station.first(die).filter(|&id| station.pool.is_released(id))?;
        let next = station.pool[id].on_flash()?;
        let pages = self.pages_per_block;
        let place =
            |flash: &Flash| (flash.page.row / pages % self.joined_planes, flash.page.row % pages);
        let ((plane, page), (other, same)) = (place(next), place(before));
        let alike = core::mem::discriminant(&next.task) == core::mem::discriminant(&before.task);
        (alike && !next.doomed && plane > other && page == same).then_some(id)
    }

    /// The chip of an operation is dead. What would change a block counts as failed, so that the FTL knows what
    /// is lost once the way has no spare block left.
    fn fail(
        &mut self,
        hw: &mut impl OperationChannels,
        station: &mut Station,
        (die, id): (u32, OpId),
    ) {
        let flash = station.pool[id].on_flash_mut().expect("a way's operations are for the flash");
        if flash.doomed || matches!(flash.task, Task::Read { .. }) {
            let ended = doom(&flash.task);
            station.retire(hw, die);
            return station.end(id, ended);
        }
        flash.stage = Stage::Failed;
        self.halt(station, die);
    }

    /// Sends an operation to its channel.
    fn send(
        &mut self,
        hw: &mut impl OperationChannels,
        station: &mut Station,
        (die, id): (u32, OpId),
    ) {
        id.step(hw, OperationStep::Picked);
        hw.work(Work::Select);
        let priority = priority(station, die, &station.pool[id]);
        station.describe(hw, id);
        let op = &mut station.pool[id];
        let command = op.owner.command();
        let flash = op.on_flash_mut().expect("a way's operations are for the flash");
        if flash.stage == Stage::New {
            flash.stage = Stage::Begun;
            id.step(hw, OperationStep::Begun);
        }
        let Flash { task, page, .. } = *flash;
        let tag = self.ways.begin(die, (id, &task));
        let location = self.ways.location(die, page.row);
        let (buffers, part) = (&[entry(&task)], station.part_of(&task));
        let request = whole((priority, &task), (location, tag), (buffers, part))
            .requests(&self.grain.format)
            .next()
            .expect("it has a page");
        let channel = location.channel;
        if let Some(level) = self.levels.to_set(die, &task) {
            let Request { priority, stream, .. } = request;
            let request = Request { priority, ..set_level(location.way, stream, level) };
            hw.work(Work::Issue);
            hw.hand_over(HandOver { channel, request, command });
            self.levels.is_set_for(die, &task);
            self.ways.of_mut(die).sets_level = true;
        }
        hw.work(Work::Issue);
        hw.hand_over(HandOver { channel, request, command });
        self.under_way[usize::from(channel)] += 1;
        self.awaited |= 1 << channel;
    }

    /// Takes a response in: its operation has ended, or is repeated, or the way gives back.
    fn take(
        &mut self,
        hw: &mut impl OperationChannels,
        station: &mut Station,
        (channel, response): (u8, Response),
    ) {
        let die = self.ways.die(channel, response.way);
        let left = &mut self.under_way[usize::from(channel)];
        *left -= 1;
        self.awaited &= !(u64::from(*left == 0) << channel);
        if self.ways.of(die).doing == Doing::Resets {
            return self.was_reset(station, die, response.outcome);
        }
        let id = self.ways.end(die, response.tag);
        let read =
            matches!(station.pool[id].on_flash(), Some(Flash { task: Task::Read { .. }, .. }));
        self.ways.of_mut(die).reads -= u32::from(read);
        id.step(hw, OperationStep::Answered);
        hw.work(Work::Advance);
        let verdict = self.judge(hw, station, ((die, id), &response));
        if response.outcome == Outcome::TimedOut {
            self.give_up(hw, die);
        }
        if response.outcome == Outcome::TimedOut || matches!(verdict, Verdict::Failed) {
            self.give_back(hw, die);
        } else if matches!(verdict, Verdict::Back) {
            self.stop(hw, die);
        }
        match verdict {
            Verdict::Ended(ended) => {
                station.leave(hw, die, id);
                station.end(id, ended);
            }
            Verdict::Again => self.send(hw, station, (die, id)),
            Verdict::Back | Verdict::Failed => {}
        }
        let way = self.ways.of(die);
        if way.doing == Doing::GivesBack && way.under_way() == 0 {
            station.take_back(hw, die);
            if core::mem::take(&mut self.ways.of_mut(die).forgets) {
                while let Some(id) = station.first(die) {
                    station.retire(hw, die);
                    station.end(id, Ended::Failed(IoOutcome::WriteFault));
                }
            }
            match self.ways.of(die).chip {
                Chip::Hangs => self.reset(hw, die),
                Chip::Works | Chip::Dead => self.halt(station, die),
            }
        }
    }

    /// What becomes of an operation that was answered.
    fn judge(
        &mut self,
        hw: &mut impl OperationChannels,
        station: &mut Station,
        ((die, id), response): ((u32, OpId), &Response),
    ) -> Verdict {
        let works = self.ways.of(die).doing == Doing::Works;
        let astray = !works && self.is_astray(station, (die, id));
        let page = station.page();
        let Station { pool, met, .. } = station;
        let flash = pool[id].on_flash_mut().expect("a way's operations are for the flash");
        let unreadable = Ended::Failed(IoOutcome::UnrecoveredRead);
        match (&mut flash.task, response.outcome) {
            (_, Outcome::Refused) => panic!("a channel refused {response:?}"),
            (_, Outcome::GivenBack) => Verdict::Back,
            // What is to be read was programmed, as far as anybody knows: the chip has lost that. A part of a page comes
            // without metadata, so that nothing else would tell.
            (Task::Read { .. }, Outcome::Success)
                if response.erased && !is_planted(Bug::ErasedTakenForData) =>
            {
                Verdict::Ended(unreadable)
            }
            (Task::Read { .. }, Outcome::Success) => {
                met.read(flash.page, response.corrected_bits.into(), response.most_bits);
                Verdict::Ended(check(hw, pool, (id, page)))
            }
            (Task::Probe { .. }, Outcome::Success) => Verdict::Ended(Ended::Well),
            // The mark is there whatever the decoder makes of the page.
            (Task::Mark { .. }, outcome) if outcome != Outcome::TimedOut => {
                Verdict::Ended(Ended::Well)
            }
            (task, outcome) if task.may_be_tried_again(self.retries(outcome)) => {
                task.try_again();
                met.read_retries += 1;
                // A level is set while the way has nothing else.
                let level = self.levels.to_set(die, task);
                let at_once = works && outcome != Outcome::TimedOut && level.is_none();
                if at_once {
                    Verdict::Again
                } else {
                    Verdict::Back
                }
            }
            (task, _) if task.reads() => Verdict::Ended(unreadable),
            // Another page of the log is written in its place.
            (Task::Log { .. }, Outcome::Success)
                if astray && !is_planted(Bug::LogPageProgrammedTwice) =>
            {
                Verdict::Ended(Ended::Failed(IoOutcome::WriteFault))
            }
            (_, Outcome::Success) if astray => Verdict::Back,
            (_, Outcome::Success) => Verdict::Ended(Ended::Well),
            (Task::Program { .. }, Outcome::TimedOut)
                if is_planted(Bug::TimeOutTakenForSuccess) =>
            {
                Verdict::Ended(Ended::Well)
            }
            (_, _) => {
                flash.stage = Stage::Failed;
                Verdict::Failed
            }
        }
    }

    /// How often a read is tried again that ended so. A chip that hung tells nothing of its page, and is reset.
    fn retries(&self, outcome: Outcome) -> u32 {
        match outcome {
            Outcome::TimedOut => self.read_retries.max(HANG_RETRIES),
            _ => self.read_retries,
        }
    }

    /// Whether a program that ended well is in a block that has failed before: in cache mode it had begun
    /// when that was known. What is in the block from the failed page on is not looked for there.
    fn is_astray(&self, station: &Station, (die, id): (u32, OpId)) -> bool {
        let block = |row: u32| row / self.pages_per_block;
        let Some(own) = station.pool[id].on_flash() else { return false };
        station.handed(die).filter_map(|op| op.on_flash()).any(|other| {
            other.stage == Stage::Failed && block(other.page.row) == block(own.page.row)
        })
    }

    /// A chip did not turn ready in time: what else of its operation is under way is not waited for.
    fn give_up(&mut self, hw: &mut impl OperationChannels, die: u32) {
        let way = self.ways.of_mut(die);
        if way.chip == Chip::Works {
            way.chip = Chip::Hangs;
            let Location { channel, way, .. } = self.ways.location(die, 0);
            hw.order_way(channel, way, WayOrder::Abort);
        }
    }

    /// Has the chip of a way that has nothing under way reset.
    fn reset(&mut self, hw: &mut impl OperationChannels, die: u32) {
        self.ways.of_mut(die).doing = Doing::Resets;
        let Location { channel, way, .. } = self.ways.location(die, 0);
        let stream = stream(way, Priority::Low);
        let request = Request { stream, ..Request::new(packet::Operation::Reset, way, 0) };
        hw.order_way(channel, way, WayOrder::Resume);
        hw.attend(None);
        hw.work(Work::Issue);
        hw.hand_over(HandOver { channel, request, command: None });
        self.under_way[usize::from(channel)] += 1;
        self.awaited |= 1 << channel;
    }

    /// The chip of a way was told to reset, and turned ready or not.
    fn was_reset(&mut self, station: &mut Station, die: u32, outcome: Outcome) {
        station.met.chip_resets += 1;
        let back = outcome == Outcome::Success;
        self.ways.of_mut(die).chip = if back { Chip::Works } else { Chip::Dead };
        if !back {
            station.lose_chip(die);
        }
        self.halt(station, die);
    }

    /// Has a way in which nothing has failed give back what has not begun.
    fn stop(&mut self, hw: &mut impl OperationChannels, die: u32) {
        if self.ways.of(die).doing == Doing::Works {
            let Location { channel, way, .. } = self.ways.location(die, 0);
            hw.order_way(channel, way, WayOrder::Halt);
        }
        self.give_back(hw, die);
    }

    /// Has a way that has halted give back what has not begun.
    fn give_back(&mut self, hw: &mut impl OperationChannels, die: u32) {
        let way = self.ways.of_mut(die);
        if way.doing == Doing::Works {
            way.doing = Doing::GivesBack;
            let Location { channel, way, .. } = self.ways.location(die, 0);
            hw.order_way(channel, way, WayOrder::GiveBack);
        }
    }

    /// A way has nothing under way any more. It halts until the block that has failed, if one has, is
    /// replaced.
    fn halt(&mut self, station: &mut Station, die: u32) {
        self.ways.of_mut(die).doing = Doing::Halts;
        station.mark(die);
        if station.bring_failed(die).is_some() {
            station.halt(die);
        }
    }

    /// The block that had failed is replaced: the way goes on, or another is.
    fn go_on(&mut self, hw: &mut impl OperationChannels, station: &mut Station, die: u32) {
        if station.bring_failed(die).is_some() {
            return station.halt(die);
        }
        self.ways.of_mut(die).doing = Doing::Works;
        let Location { channel, way, .. } = self.ways.location(die, 0);
        hw.order_way(channel, way, WayOrder::Resume);
    }
}
