//! The flash: ways side by side, each of which does one thing at a time, phase by phase.

use alloc::vec::Vec;
use contract::FlashOperation::{Erase, Program, ReadTransfer, ReadTrigger, StatusCheck};
use contract::*;
use nvme::status::Status;

use crate::Tiny;

/// Where a page of data is: its way, by the number `way * channels + channel`, and its row there.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub way: usize,
    pub row: u32,
}

/// What is done for a job.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Doing {
    /// Its next page is to begin.
    NextPage,
    /// Its data are moved.
    Move,
    /// It waits for its way, to read a row there or to write the next one.
    WaitToRead(Place),
    WaitToWrite(usize),
    /// It has its way, which does this.
    Flash(Place, FlashOperation, Stage),
}

/// How far a way is with an operation.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stage {
    /// It is to be handed to the channel.
    Issue,
    /// The chip does it.
    Busy,
    /// The chip is ready, and is to be asked how it went.
    Check,
    /// The answer is on its way.
    Answer,
}

pub(crate) struct Way {
    /// A job has it.
    is_taken: bool,
    /// The row that is written next.
    next_row: u32,
    /// By block: it is bad.
    bad: Vec<bool>,
}

impl Way {
    pub(crate) fn all(g: Geometry, hw: &mut impl Hardware) -> Vec<Self> {
        let mut way = |nth: u32| {
            let (channel, way) = ((nth % g.channels) as u8, (nth / g.channels) as u8);
            let blocks = 0..g.blocks_per_way;
            let bad = blocks.map(|block| hw.factory_bad(channel, way, block)).collect();
            Way { is_taken: false, next_row: 0, bad }
        };
        (0..g.dies()).map(&mut way).collect()
    }

    /// Gives out the row that is written next.
    fn take_row(&mut self, g: &Geometry) -> Option<u32> {
        while *self.bad.get(g.block_of(self.next_row) as usize)? {
            self.next_row = (g.block_of(self.next_row) + 1) * g.pages_per_block;
        }
        self.next_row += 1;
        Some(self.next_row - 1)
    }
}

impl Tiny {
    /// Has the page of a job written, on the ways in turn, as long as one has a row left.
    pub(crate) fn write(&mut self, hw: &mut impl Hardware, id: usize) {
        hw.work(Work::Place);
        let (ways, rows) = (self.ways.len(), self.config.geometry.rows_per_way());
        let mut in_turn = (0..ways).map(|nth| (self.next_way + nth) % ways);
        let Some(way) = in_turn.find(|&way| self.ways[way].next_row < rows) else {
            return self.end_page(hw, id, Status::CAPACITY_EXCEEDED.do_not_retry());
        };
        self.next_way = (way + 1) % ways;
        self.job(id).doing = Doing::WaitToWrite(way);
    }

    /// Lets a job that waits have its way, if that is free. True when it was.
    fn take_way(&mut self, hw: &mut impl Hardware, id: usize) -> bool {
        let (g, doing) = (self.config.geometry, self.job(id).doing);
        let (Doing::WaitToRead(Place { way, .. }) | Doing::WaitToWrite(way)) = doing else {
            return false;
        };
        let own = &mut self.ways[way];
        if own.is_taken {
            return false;
        }
        let begun = match doing {
            Doing::WaitToRead(place) => Some((place.row, ReadTrigger)),
            // A block is erased before its first row is written.
            _ => own
                .take_row(&g)
                .map(|row| (row, if row % g.pages_per_block == 0 { Erase } else { Program })),
        };
        own.is_taken = begun.is_some();
        match begun {
            None => self.write(hw, id),
            Some((row, first)) => {
                self.job(id).doing = Doing::Flash(Place { way, row }, first, Stage::Issue);
            }
        }
        true
    }

    /// Looks at the channels that have work, takes what has come from them, and hands over what they have room for. True
    /// when anything has changed.
    pub(crate) fn work_ways(&mut self, hw: &mut impl PhaseChannels) -> bool {
        let channels = self.config.geometry.channels as usize;
        let (mut busy, mut at_work, mut eager) = (false, 0, 0);
        for id in 0..self.jobs.len() {
            if self.jobs[id].is_some() {
                busy |= self.take_way(hw, id);
            }
            if let Some(Doing::Flash(place, _, stage)) = self.jobs[id].map(|job| job.doing) {
                at_work |= 1 << (place.way % channels);
                let is_eager = stage == Stage::Issue || stage == Stage::Check;
                eager |= u64::from(is_eager) << (place.way % channels);
            }
        }
        while let Some((channel, mut status)) = hw.poll_channels(&mut at_work, eager) {
            for id in 0..self.jobs.len() {
                match self.jobs[id].map(|job| job.doing) {
                    Some(Doing::Flash(place, operation, stage))
                        if place.way % channels == usize::from(channel) =>
                    {
                        self.advance(hw, (id, place), (operation, stage), &mut status);
                    }
                    _ => {}
                }
            }
            busy = true;
        }
        busy
    }

    /// Goes on with a job whose channel has this status.
    fn advance(
        &mut self,
        hw: &mut impl PhaseChannels,
        (id, place): (usize, Place),
        (operation, mut stage): (FlashOperation, Stage),
        status: &mut ChannelStatus,
    ) {
        let channels = self.config.geometry.channels as usize;
        let (channel, way) = ((place.way % channels) as u8, (place.way / channels) as u8);
        if stage == Stage::Answer && status.responses >> way & 1 == 1 {
            let outcome = hw.take_response(channel, way);
            return self.answered(hw, (id, place), (operation, outcome));
        }
        if stage == Stage::Busy && status.ready >> way & 1 == 1 {
            stage = Stage::Check;
        }
        if status.room > 0 && (stage == Stage::Issue || stage == Stage::Check) {
            status.room -= 1;
            let location = Location { channel, way, row: place.row };
            let phase = if stage == Stage::Check { StatusCheck } else { operation };
            self.issue(hw, id, (phase, location));
            stage = match phase {
                // The answer to a transfer comes by itself.
                StatusCheck | ReadTransfer => Stage::Answer,
                _ => Stage::Busy,
            };
        }
        self.job(id).doing = Doing::Flash(place, operation, stage);
    }

    fn issue(
        &mut self,
        hw: &mut impl PhaseChannels,
        id: usize,
        (operation, location): (FlashOperation, Location),
    ) {
        hw.work(Work::Issue);
        let (part, buffer, job) = (self.config.geometry.page(), BufferId(id as u32), *self.job(id));
        if operation == Program {
            self.sequence += 1;
            let lpns = Lpns::one(Lpn(job.page(&self.config.geometry).0));
            let (kind, epoch, sequence) = (PageKind::Data, 0, self.sequence);
            hw.set_metadata(buffer, Metadata { kind, epoch, sequence, lpns });
        }
        let command = Some(job.tag);
        hw.issue_flash(FlashRequest { operation, location, part, level: 0, buffer, command });
    }

    /// A way has answered how an operation went.
    fn answered(
        &mut self,
        hw: &mut impl PhaseChannels,
        (id, place): (usize, Place),
        (operation, outcome): (FlashOperation, FlashOutcome),
    ) {
        hw.work(Work::Advance);
        let (g, retries) = (self.config.geometry, self.config.read_retries);
        let job = self.job(id);
        let (page, _) = job.page(&g);
        hw.waited(job.tag, Cause::Die);
        let is_well = matches!(outcome, FlashOutcome::Success { .. });
        let next = match operation {
            ReadTrigger if is_well => Some(ReadTransfer),
            Erase if is_well => Some(Program),
            ReadTransfer if !is_well && job.tries < retries => Some(ReadTrigger),
            _ => None,
        };
        if let Some(next) = next {
            job.tries += u32::from(next == ReadTrigger);
            job.doing = Doing::Flash(place, next, Stage::Issue);
            return;
        }
        self.ways[place.way].is_taken = false;
        match operation {
            Program if is_well => {
                self.map[page as usize] = Some(place);
                self.end_page(hw, id, Status::SUCCESS);
            }
            // The block is bad. The page is written elsewhere.
            Program | Erase => {
                self.ways[place.way].bad[g.block_of(place.row) as usize] = true;
                self.write(hw, id);
            }
            _ if is_well
                && hw.metadata(BufferId(id as u32)).is_some_and(|own| own.is_of(Lpn(page))) =>
            {
                self.move_data(hw, id);
            }
            _ => self.end_page(hw, id, Status::UNRECOVERED_READ.do_not_retry()),
        }
    }
}
