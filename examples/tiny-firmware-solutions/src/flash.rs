//! The flash: what each die does. Page n is row n / dies of die n % dies; those of a block are programmed in order.

use crate::io::{Job, Stage, Task};
use crate::Store;
use alloc::collections::VecDeque;
use contract::FlashOperation::{Erase, Program, ReadTransfer, ReadTrigger, StatusCheck};
use contract::{BufferId, ChannelStatus, FlashOperation, FlashOutcome, FlashRequest, Geometry};
use contract::{Hardware, Location, Lpn, Metadata, PhaseChannels, Work};
use firmware::nvme::backend::IoOutcome;

pub fn location(Geometry { channels, ways, .. }: Geometry, page: u32) -> Location {
    let (channel, way) = ((page % channels) as u8, (page / channels % ways) as u8);
    Location { channel, way, row: page / (channels * ways) }
}

impl Store {
    /// A job needs the die of a flash page.
    pub fn on_flash(&mut self, nth: usize, page: u32, operation: FlashOperation) {
        (self.job(nth).page, self.job(nth).stage) = (page, Stage::Next(operation));
        let die = page as usize % self.queues.len();
        self.queues[die].push_back(nth);
    }

    /// Finds a flash page for the data of a job, or lets it wait until the collector has made room.
    pub fn place(&mut self, hw: &mut impl Hardware, nth: usize) {
        hw.work(Work::Place);
        let Job { task, lpn, .. } = *self.job(nth);
        let entry = BufferId(nth as u32);
        let Some((page, is_first)) = self.blocks.next_page(matches!(task, Task::Move(_))) else {
            self.job(nth).stage = Stage::Homeless;
            return;
        };
        // Data that are moved keep their number: they are no newer than they were.
        let said = match (task, hw.metadata(entry)) {
            (Task::Move(_), Some(said)) => *said,
            _ => {
                self.version += 1;
                Metadata { sequence: self.version, ..Metadata::from(Lpn(lpn)) }
            }
        };
        hw.set_metadata(entry, said);
        self.on_flash(nth, page, if is_first { Erase } else { Program });
    }

    /// Looks at the channels, and has each die do what its first job needs.
    pub fn run_flash(&mut self, hw: &mut impl PhaseChannels) -> bool {
        let (channels, dies) = (self.geometry.channels, self.queues.len());
        let (all, mut busy) = (u64::MAX >> (64 - channels), false);
        let mut unseen = if self.queues.iter().all(VecDeque::is_empty) { 0 } else { all };
        while let Some((channel, mut status)) = hw.poll_channels(&mut unseen, all) {
            for die in (usize::from(channel)..dies).step_by(channels as usize) {
                while self.step(hw, die, &mut status) {
                    busy = true;
                }
            }
        }
        busy
    }

    /// One step of the first job of a die, if its channel lets it.
    fn step(&mut self, hw: &mut impl PhaseChannels, die: usize, now: &mut ChannelStatus) -> bool {
        let Some(&nth) = self.queues[die].front() else { return false };
        let Job { stage, page, slice, task, .. } = *self.job(nth);
        let location = location(self.geometry, page);
        let Location { channel, way, .. } = location;
        let has_room = now.room > 0;
        let (is_ready, has_answer) = (now.ready >> way & 1 == 1, now.responses >> way & 1 == 1);
        let (operation, next) = match stage {
            Stage::Asked(_) if has_answer => {
                now.responses &= !(1 << way);
                let outcome = hw.take_response(channel, way);
                self.answered(hw, die, outcome);
                return true;
            }
            Stage::Busy(told) if is_ready && has_room => (StatusCheck, Stage::Asked(told)),
            // Its block has failed since the page was chosen.
            Stage::Next(Program | Erase) if task != Task::Wipe && self.blocks.is_bad(page) => {
                self.queues[die].pop_front();
                self.blocks.drop_page(page);
                self.place(hw, nth);
                return true;
            }
            // The end of a transfer is told without a question.
            Stage::Next(ReadTransfer) if has_room => (ReadTransfer, Stage::Asked(ReadTransfer)),
            Stage::Next(next) if has_room => (next, Stage::Busy(next)),
            _ => return false,
        };
        self.job(nth).stage = next;
        (now.room, now.ready) = (now.room - 1, now.ready & !(1 << way));
        let (part, buffer) = (self.geometry.page(), BufferId(nth as u32));
        let command = slice.map(|dma| dma.tag);
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, part, level: 0, buffer, command });
        true
    }

    /// Takes in how an operation of a die's first job went.
    fn answered(&mut self, hw: &mut impl Hardware, die: usize, told: FlashOutcome) {
        let nth = self.queues[die][0];
        let Job { task, lpn, page, stage, .. } = *self.job(nth);
        let Stage::Asked(operation) = stage else { return };
        let is_well = matches!(told, FlashOutcome::Success { .. } | FlashOutcome::Erased);
        match operation {
            // A chip that does not answer any more would have to be reset. The controller gives up.
            _ if told == FlashOutcome::TimedOut => return hw.set_fatal(),
            ReadTrigger if is_well => return self.job(nth).stage = Stage::Next(ReadTransfer),
            Erase if is_well && task != Task::Wipe => {
                return self.job(nth).stage = Stage::Next(Program);
            }
            _ => self.queues[die].pop_front(),
        };
        let said = hw.metadata(BufferId(nth as u32)).filter(|_| is_well).copied();
        match (operation, task) {
            (Erase, Task::Wipe) => self.wiped(nth, is_well),
            (Program, _) if is_well => self.programmed(nth),
            (Program | Erase, _) => {
                self.blocks.fail(page);
                self.place(hw, nth);
            }
            (_, Task::Look) => self.looked_at(nth, is_well, said),
            (_, Task::Move(_)) => self.read_to_move(hw, nth, said),
            _ if said.is_some_and(|own| own.is_of(Lpn(lpn))) => self.move_data(hw, nth),
            _ => {
                self.end_slice(nth, IoOutcome::UnrecoveredRead);
                self.jobs[nth] = None;
            }
        }
    }

    /// The data of a job are on flash.
    fn programmed(&mut self, nth: usize) {
        let Job { task, lpn, page, .. } = *self.job(nth);
        let old = &mut self.map[lpn as usize];
        // What has been moved may have been written anew meanwhile.
        let is_stale = matches!(task, Task::Move(from) if *old != from + 1);
        let left = if is_stale { page + 1 } else { core::mem::replace(old, page + 1) };
        if left > 0 {
            self.blocks.drop_page(left - 1);
        }
        self.end_slice(nth, IoOutcome::Success);
        self.jobs[nth] = None;
    }
}
