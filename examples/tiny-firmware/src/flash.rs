//! The flash: where pages are, and what each die does. Page n is row n / dies of die n % dies; they are programmed in order.

use crate::{io::Job, io::Stage, Store};
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
    /// The block of a flash page, as they are counted in the list of bad ones.
    fn block_of(&self, page: u32) -> usize {
        let dies = self.geometry.dies();
        (self.geometry.block_of(page / dies) * dies + page % dies) as usize
    }

    /// A job needs the die of a flash page.
    pub fn on_flash(&mut self, nth: usize, page: u32, operation: FlashOperation) {
        (self.job(nth).page, self.job(nth).stage) = (page, Stage::Next(operation));
        let die = page as usize % self.queues.len();
        self.queues[die].push_back(nth);
    }

    /// Finds a flash page for a job: the next in a good block, which is erased before its first page is programmed.
    pub fn place(&mut self, hw: &mut impl Hardware, nth: usize) {
        hw.work(Work::Place);
        let (pages, dies) = (self.geometry.pages() as u32, self.geometry.dies());
        while self.next < pages && self.bad[self.block_of(self.next)] {
            self.next += 1;
        }
        let page = self.next;
        if page == pages {
            return self.end_job(nth, IoOutcome::ReadOnly);
        }
        self.next += 1;
        // The page says what it is: who looks for the map finds the newest page of each logical page.
        let said = Metadata::from(Lpn(self.job(nth).lpn));
        hw.set_metadata(BufferId(nth as u32), Metadata { sequence: page.into(), ..said });
        let is_first = page / dies % self.geometry.pages_per_block == 0;
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
        let Job { stage, page, dma, .. } = *self.job(nth);
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
            // The end of a transfer is told without a question.
            Stage::Next(ReadTransfer) if has_room => (ReadTransfer, Stage::Asked(ReadTransfer)),
            Stage::Next(next) if has_room => (next, Stage::Busy(next)),
            _ => return false,
        };
        self.job(nth).stage = next;
        (now.room, now.ready) = (now.room - 1, now.ready & !(1 << way));
        let (part, buffer, command) = (self.geometry.page(), BufferId(nth as u32), Some(dma.tag));
        hw.work(Work::Issue);
        hw.issue_flash(FlashRequest { operation, location, part, level: 0, buffer, command });
        true
    }

    /// Takes in how an operation of a die's first job went.
    fn answered(&mut self, hw: &mut impl Hardware, die: usize, told: FlashOutcome) {
        let nth = self.queues[die][0];
        let Job { lpn, page, stage, .. } = *self.job(nth);
        let Stage::Asked(operation) = stage else { return };
        let is_well = matches!(told, FlashOutcome::Success { .. } | FlashOutcome::Erased);
        match operation {
            // A chip that does not answer any more would have to be reset. The controller gives up.
            _ if told == FlashOutcome::TimedOut => return hw.set_fatal(),
            ReadTrigger if is_well => return self.job(nth).stage = Stage::Next(ReadTransfer),
            Erase if is_well => return self.job(nth).stage = Stage::Next(Program),
            _ => self.queues[die].pop_front(),
        };
        let said = hw.metadata(BufferId(nth as u32)).copied();
        if operation == Program && is_well {
            self.map[lpn as usize] = page + 1;
            self.end_job(nth, IoOutcome::Success);
        } else if matches!(operation, Program | Erase) {
            let block = self.block_of(page);
            self.bad[block] = true;
            self.end_job(nth, IoOutcome::WriteFault);
        } else if is_well && said.is_some_and(|own| own.is_of(Lpn(lpn))) {
            self.move_data(hw, nth);
        } else {
            self.end_job(nth, IoOutcome::UnrecoveredRead);
        }
    }
}
