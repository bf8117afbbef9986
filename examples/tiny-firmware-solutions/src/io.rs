//! Commands, in slices. A job is about one logical page, whose data come into its entry of the data buffer.

use crate::{Command, Store};
use contract::{BufferId, CommandTag, Completer, DmaDirection, DmaMemory, DmaRequest};
use contract::{FlashOperation, Hardware, Work};
use firmware::nvme::backend::{Durability, IoKind, IoOutcome};

#[derive(Clone, Copy)]
pub struct Job {
    pub task: Task,
    pub lpn: u32,
    /// How the part of the page that the host reads or writes moves, while there is a slice of a command.
    pub slice: Option<DmaRequest>,
    /// The flash page that is read, programmed or erased, and how far its die is with that.
    pub page: u32,
    pub stage: Stage,
    /// Whether the entry has data of complete writes that are not on flash yet, and how many flushes had come before these.
    pub dirty: Option<u64>,
    /// When the entry was used last, counted in uses.
    pub used: u64,
}

/// What a job is for.
#[derive(Clone, Copy, PartialEq)]
pub enum Task {
    /// A command, or a page of the cache.
    Host,
    /// The collector moves a page, which was here.
    Move(u32),
    /// Recovery looks at a block, page by page.
    Look,
    /// A block is erased, since all data are to be forgotten.
    Wipe,
}

/// The die of a job is to do this next, is busy with it, or was asked how it went; or the job needs no die.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    Next(FlashOperation),
    Busy(FlashOperation),
    Asked(FlashOperation),
    /// Data move between the host and the entry.
    Moving,
    /// The entry is a page of the cache, and nothing happens to it.
    Cached,
    /// It waits until there is a flash page for it.
    Homeless,
}

impl Job {
    pub fn new(task: Task, lpn: u32) -> Self {
        Job { task, lpn, slice: None, page: 0, stage: Stage::Homeless, dirty: None, used: 0 }
    }
}

impl Store {
    /// Begins a slice, if its logical page is in the cache, or in no job and a job is free.
    pub fn start_slice(&mut self, hw: &mut impl Hardware) -> bool {
        let Some(&tag) = self.waiting.front() else { return false };
        let (block, page_bytes) = (self.block_bytes, self.geometry.page_bytes);
        let Command { io, cut, .. } = *self.command(tag);
        let first = (io.start + u64::from(cut)) * u64::from(block);
        let lpn = (first / u64::from(page_bytes)) as u32;
        let is_read = io.kind == IoKind::Read;
        let slots = self.jobs.len() - 1;
        let has_page = |job: &Option<Job>| job.is_some_and(|job| job.lpn == lpn);
        let found = self.jobs[..slots].iter().position(has_page);
        let (nth, is_cached) = match found {
            Some(nth) if self.job(nth).stage != Stage::Cached => return false,
            // Force unit access reads what is on flash: the page goes there first.
            Some(nth) if is_read && io.durability == Durability::Durable => {
                self.place(hw, nth);
                return true;
            }
            Some(nth) => (nth, true),
            None => match self.jobs[..slots].iter().position(Option::is_none) {
                Some(nth) => (nth, false),
                None => return false,
            },
        };
        hw.work(Work::Slice);
        let (entry, offset) = (BufferId(nth as u32), (first % u64::from(page_bytes)) as u32);
        let dma = DmaRequest {
            tag,
            direction: if is_read { DmaDirection::ToHost } else { DmaDirection::FromHost },
            host_offset: cut * block,
            length: (page_bytes - offset).min((io.blocks - cut) * block),
            command_length: io.blocks * block,
            completer: Completer::Firmware,
            memory: DmaMemory::Buffer { entry, offset },
        };
        let command = self.command(tag);
        command.cut += dma.length / block;
        if command.cut == io.blocks {
            self.waiting.pop_front();
        }
        if !is_cached {
            self.jobs[nth] = Some(Job::new(Task::Host, lpn));
        }
        (self.job(nth).slice, self.job(nth).used) = (Some(dma), self.cache.next_use());
        match self.map[lpn as usize] {
            _ if is_cached || !is_read && dma.length == page_bytes => self.move_data(hw, nth),
            0 => {
                hw.zero_buffer(entry, 0, page_bytes);
                self.move_data(hw, nth);
            }
            // If a part is written, the rest of the page has to be in the buffer, too.
            page => self.on_flash(nth, page - 1, FlashOperation::ReadTrigger),
        }
        true
    }

    pub fn move_data(&mut self, hw: &mut impl Hardware, nth: usize) {
        let dma = self.job(nth).slice.expect("data of a command move");
        self.job(nth).stage = Stage::Moving;
        self.moving[dma.direction as usize].push_back((dma.tag, Some(nth)));
        hw.work_times(Work::IssueDma, dma.length.div_ceil(4096));
        hw.issue_dma(dma);
    }

    /// Takes in what has moved. The engine ends requests of a direction in their order, and counts them.
    pub fn take_moved(&mut self, hw: &mut impl Hardware) -> bool {
        hw.work(Work::PollDma);
        let progress = hw.dma_progress();
        let before = self.moved;
        for (way, count) in [progress.from_host, progress.to_host].into_iter().enumerate() {
            while self.moved[way] != count {
                self.moved[way] = self.moved[way].wrapping_add(1);
                let (tag, job) = self.moving[way].pop_front().expect("a request that was issued");
                let is_bad = progress.fault && hw.dma_fault(tag);
                let outcome = if is_bad { IoOutcome::TransferError } else { IoOutcome::Success };
                match (job, outcome) {
                    (None, _) => self.answered = Some(outcome),
                    (Some(nth), IoOutcome::Success) if way == 0 => self.written(hw, nth),
                    (Some(nth), _) => {
                        self.end_slice(nth, outcome);
                        self.keep_or_free(hw, nth);
                    }
                }
            }
        }
        self.moved != before
    }

    /// The slice of a job is over, if it has one, and with the last one its command.
    pub fn end_slice(&mut self, nth: usize, outcome: IoOutcome) {
        let Some(DmaRequest { tag, length, .. }) = self.job(nth).slice.take() else { return };
        let blocks = length / self.block_bytes;
        let command = self.command(tag);
        command.left -= blocks;
        if command.outcome == IoOutcome::Success {
            command.outcome = outcome;
        }
        if command.left == 0 {
            let end = (tag, command.outcome);
            self.done.push_back(end);
        }
    }

    pub fn command(&mut self, tag: CommandTag) -> &mut Command {
        self.commands[usize::from(tag.0)].as_mut().expect("a command that is under way")
    }

    pub fn job(&mut self, nth: usize) -> &mut Job {
        self.jobs[nth].as_mut().expect("a job that is not over")
    }
}
