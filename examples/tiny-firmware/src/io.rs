//! Commands that move data: one page of each after the other, many commands side by side.

use alloc::collections::VecDeque;
use contract::*;
use nvme::io::{BlockRange, DatasetUse, IoCommand};
use nvme::{command::Entry, dataset::Range, status::Status};

use crate::{flash::Doing, Answer, Tiny};

/// The drive's only namespace.
pub(crate) const NAMESPACE: u32 = 1;
/// Pages of a range that are deallocated at most. It is a hint of the host, and a turn is to be short.
const MOST_TRIMMED: usize = 256;

/// A command that moves data.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub tag: CommandTag,
    direction: DmaDirection,
    /// Its first byte in the namespace, how many there are, and how many of them are done.
    start: u64,
    bytes: u32,
    done: u32,
    pub doing: Doing,
    /// How often the flash page at hand was read in vain.
    pub tries: u32,
}

impl Job {
    /// The page at hand, and the part of it that the job is about.
    pub fn page(&self, g: &Geometry) -> (u32, Span) {
        let at = self.start + u64::from(self.done);
        let offset = (at % u64::from(g.page_bytes)) as u32;
        let length = (self.bytes - self.done).min(g.page_bytes - offset);
        ((at / u64::from(g.page_bytes)) as u32, Span { offset, length })
    }
}

impl Tiny {
    /// Bytes of a logical block.
    pub(crate) fn block(&self) -> u32 {
        self.config.block_formats[usize::from(self.config.block_format)]
    }

    /// Blocks of the namespace.
    pub(crate) fn blocks(&self) -> u64 {
        let page_blocks = self.config.geometry.page_bytes / self.block();
        u64::from(self.config.logical_pages) * u64::from(page_blocks)
    }

    /// Takes a command of an I/O queue. A write has ended when its data are in flash: there is nothing to flush.
    pub(crate) fn io(
        &mut self,
        hw: &mut impl Hardware,
        (tag, entry): (CommandTag, Entry),
    ) -> Answer {
        let command = IoCommand::parse(&entry).map_err(|fault| fault.status)?;
        let (direction, BlockRange { start, blocks }) = match command {
            IoCommand::Flush => return Ok(Some(0)),
            _ if entry.nsid() != NAMESPACE => return Err(Status::INVALID_NAMESPACE),
            IoCommand::Read(range, _) => (DmaDirection::ToHost, range),
            IoCommand::Write(range, _) => (DmaDirection::FromHost, range),
            IoCommand::DatasetManagement { ranges, purpose: DatasetUse::Deallocate } => {
                return self.use_control(hw, (tag, entry, ranges));
            }
            IoCommand::DatasetManagement { .. } => return Ok(Some(0)),
            _ => return Err(Status::INVALID_OPCODE),
        };
        let (start, bytes) = (start.saturating_mul(self.block().into()), blocks * self.block());
        if bytes > self.config.max_transfer_bytes {
            return Err(Status::INVALID_FIELD);
        }
        if start.saturating_add(bytes.into()) > self.blocks() * u64::from(self.block()) {
            return Err(Status::LBA_OUT_OF_RANGE);
        }
        let doing = Doing::NextPage;
        self.waiting.push_back(Job { tag, direction, start, bytes, done: 0, doing, tries: 0 });
        Ok(None)
    }

    /// Deallocates the whole pages in some ranges, whose list is in the control page.
    pub(crate) fn trim(&mut self, hw: &mut impl Hardware, ranges: u16) {
        let page_blocks = u64::from(self.config.geometry.page_bytes / self.block());
        for bytes in hw.control_page().chunks_exact(Range::BYTES).take(ranges.into()) {
            let Range { start, blocks, .. } = Range::parse(bytes.try_into().expect("a range"));
            let end = start.saturating_add(blocks.into()).min(self.blocks());
            let pages = start.div_ceil(page_blocks)..end / page_blocks;
            pages.take(MOST_TRIMMED).for_each(|page| self.map[page as usize] = None);
        }
    }

    /// Lets jobs begin with their next pages, where no other job is at the same. True when any did.
    pub(crate) fn begin_pages(&mut self, hw: &mut impl Hardware) -> bool {
        let mut busy = false;
        for id in 0..self.jobs.len() {
            if self.jobs[id].is_none() {
                self.jobs[id] = self.waiting.pop_front();
            }
            if matches!(self.jobs[id], Some(Job { doing: Doing::NextPage, .. })) {
                busy |= self.begin_page(hw, id);
            }
        }
        busy
    }

    fn begin_page(&mut self, hw: &mut impl Hardware, id: usize) -> bool {
        let (g, job) = (self.config.geometry, *self.job(id));
        let (page, span) = job.page(&g);
        let mut others = self.jobs.iter().flatten().filter(|other| other.doing != Doing::NextPage);
        if others.any(|other| other.page(&g).0 == page) {
            return false;
        }
        hw.work(Work::Slice);
        // What the page holds is needed, unless all of it is overwritten.
        match self.map[page as usize] {
            _ if job.direction == DmaDirection::FromHost && span == g.page() => {}
            Some(place) => {
                self.job(id).doing = Doing::WaitToRead(place);
                return true;
            }
            None => hw.zero_buffer(BufferId(id as u32), 0, g.page_bytes),
        }
        self.move_data(hw, id);
        true
    }

    pub(crate) fn job(&mut self, id: usize) -> &mut Job {
        self.jobs[id].as_mut().expect("a job that has begun")
    }

    /// Moves the data of a job between the host and the buffer, which has what the page holds.
    pub(crate) fn move_data(&mut self, hw: &mut impl Hardware, id: usize) {
        self.job(id).doing = Doing::Move;
        let Job { tag, direction, done, bytes, .. } = *self.job(id);
        let (_, span) = self.jobs[id].expect("a job").page(&self.config.geometry);
        let memory = DmaMemory::Buffer { entry: BufferId(id as u32), offset: span.offset };
        self.start_move(hw, (tag, Some(id)), (direction, done, span.length, bytes), memory);
    }

    /// Hands a request to the DMA engine: for a job, or for the control page.
    pub(crate) fn start_move(
        &mut self,
        hw: &mut impl Hardware,
        (tag, job): (CommandTag, Option<usize>),
        (direction, host_offset, length, command_length): (DmaDirection, u32, u32, u32),
        memory: DmaMemory,
    ) {
        hw.work_times(Work::IssueDma, length.div_ceil(4096));
        self.moving[direction as usize].push_back(job);
        let completer = Completer::Firmware;
        hw.issue_dma(DmaRequest {
            tag,
            direction,
            host_offset,
            length,
            command_length,
            completer,
            memory,
        });
    }

    /// Takes what was moved. What came from the host is written. True when anything was moved.
    pub(crate) fn take_moved(&mut self, hw: &mut impl Hardware) -> bool {
        if self.moving.iter().all(VecDeque::is_empty) {
            return false;
        }
        hw.work(Work::PollDma);
        let (before, progress) = (self.moved, hw.dma_progress());
        for (nth, moved) in [progress.from_host, progress.to_host].into_iter().enumerate() {
            while self.moved[nth] != moved {
                self.moved[nth] = self.moved[nth].wrapping_add(1);
                let id = self.moving[nth].pop_front().expect("only what was begun ends");
                let tag = match id {
                    None => self.control[0].0,
                    Some(id) => self.job(id).tag,
                };
                hw.waited(tag, Cause::DmaEngine);
                let status = match progress.fault && hw.dma_fault(tag) {
                    true => Status::DATA_TRANSFER_ERROR,
                    false => Status::SUCCESS,
                };
                match id {
                    None => self.control_moved(hw, status),
                    Some(id) if nth == 0 && status.is_success() => self.write(hw, id),
                    Some(id) => self.end_page(hw, id, status),
                }
            }
        }
        self.moved != before
    }

    /// A job is done with its page, and over with the last one.
    pub(crate) fn end_page(&mut self, hw: &mut impl Hardware, id: usize, status: Status) {
        let g = self.config.geometry;
        let job = self.job(id);
        job.done += job.page(&g).1.length;
        (job.doing, job.tries) = (Doing::NextPage, 0);
        let Job { tag, done, bytes, .. } = *job;
        if done == bytes || !status.is_success() {
            self.jobs[id] = None;
            self.complete(hw, tag, (status, 0));
        }
    }
}
