//! Commands, in slices. A slice is a job: it is about one logical page, which comes into its entry of the data buffer.

use crate::{Command, Store};
use contract::{BufferId, CommandTag, Completer, DmaDirection, DmaMemory, DmaRequest};
use contract::{FlashOperation, Hardware, Work};
use firmware::nvme::backend::{IoKind, IoOutcome};

#[derive(Clone, Copy)]
pub struct Job {
    pub lpn: u32,
    /// How the part of the page that the host reads or writes moves.
    pub dma: DmaRequest,
    /// The flash page that is read or programmed, and how far its die is with that.
    pub page: u32,
    pub stage: Stage,
}

/// The die of a job is to do this next, is busy with it, or was asked how it went.
#[derive(Clone, Copy)]
pub enum Stage {
    Next(FlashOperation),
    Busy(FlashOperation),
    Asked(FlashOperation),
}

impl Store {
    /// Begins a slice if a job is free, but no two of a logical page at a time: neither may miss what the other writes.
    pub fn start_slice(&mut self, hw: &mut impl Hardware) -> bool {
        let Some(&tag) = self.waiting.front() else { return false };
        let Some(nth) = self.jobs.iter().position(Option::is_none) else { return false };
        let (block, page_bytes) = (self.block_bytes, self.geometry.page_bytes);
        let Command { io, cut, .. } = *self.command(tag);
        let first = (io.start + u64::from(cut)) * u64::from(block);
        let lpn = (first / u64::from(page_bytes)) as u32;
        if self.jobs.iter().flatten().any(|other| other.lpn == lpn) {
            return false;
        }
        hw.work(Work::Slice);
        let (entry, offset) = (BufferId(nth as u32), (first % u64::from(page_bytes)) as u32);
        let is_read = io.kind == IoKind::Read;
        let dma = DmaRequest {
            tag,
            direction: if is_read { DmaDirection::ToHost } else { DmaDirection::FromHost },
            host_offset: cut * block,
            length: (page_bytes - offset).min((io.blocks - cut) * block),
            command_length: io.blocks * block,
            completer: Completer::Firmware,
            memory: DmaMemory::Buffer { entry, offset },
        };
        let stage = Stage::Next(FlashOperation::ReadTrigger);
        self.jobs[nth] = Some(Job { lpn, dma, page: 0, stage });
        let command = self.command(tag);
        command.cut += dma.length / block;
        if command.cut == io.blocks {
            self.waiting.pop_front();
        }
        match self.map[lpn as usize] {
            _ if !is_read && dma.length == page_bytes => self.move_data(hw, nth),
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
        let dma = self.job(nth).dma;
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
                    (Some(nth), IoOutcome::Success) if way == 0 => self.place(hw, nth),
                    (Some(nth), _) => self.end_job(nth, outcome),
                }
            }
        }
        self.moved != before
    }

    /// A job is over, and with the last one its command.
    pub fn end_job(&mut self, nth: usize, outcome: IoOutcome) {
        let DmaRequest { tag, length, .. } = self.job(nth).dma;
        self.jobs[nth] = None;
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

    fn command(&mut self, tag: CommandTag) -> &mut Command {
        self.commands[usize::from(tag.0)].as_mut().expect("a command that is under way")
    }

    pub fn job(&mut self, nth: usize) -> &mut Job {
        self.jobs[nth].as_mut().expect("a job that is not over")
    }
}
