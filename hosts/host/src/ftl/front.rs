//! The side of the jobs: queues in host memory as those of a drive of logical blocks, which the FTL serves in place of one.

use std::collections::VecDeque;

use machine::{CommandTimes, HostMemory, NEVER};
use nvme::command::{Entry, ENTRY_BYTES};
use nvme::completion::{self, CompletionEntry, Phase};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::register::Doorbell;
use nvme::status::Status;

use crate::memory::{Memory, PAGE_BYTES};
use crate::queue::{QueuePair, Ring};

/// What a request is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Read from the ring or from the flash.
    Read,
    /// Write; forced to the flash if it has unit access.
    Write(UnitAccess),
    /// Make durable what was written before.
    Flush,
    /// Deallocate.
    Trim,
    /// Nothing: it ends with this status.
    Refuse(Status),
}

/// A request of a job.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its queue.
    pub lane: u16,
    /// Its identifier there.
    pub cid: u16,
    /// What it is to do.
    pub what: What,
    /// First logical block.
    pub start: u64,
    /// Logical blocks.
    pub blocks: u32,
    /// Blocks that are seen to.
    pub done: u32,
    /// Commands to the drive that it waits for.
    pub outstanding: u32,
    /// The first thing that went wrong.
    pub status: Status,
    /// When it came.
    pub came_ps: u64,
    /// Where its time went.
    pub times: CommandTimes,
    prp1: u64,
    prp2: u64,
}

impl Request {
    /// The page in host memory of its nth block. Pages that a list names stand in one list: no command of jobs has more.
    #[inline]
    pub fn page(&self, memory: &Memory, nth: u32) -> u64 {
        match (nth, self.blocks) {
            (0, _) => self.prp1,
            (_, 2) => self.prp2,
            _ => u64::from_le_bytes(*memory.array(self.prp2 + u64::from(nth - 1) * 8)),
        }
    }
}

/// One queue of jobs.
#[derive(Debug)]
struct Lane {
    pair: QueuePair,
    /// Entries that were taken.
    submission_head: u32,
    completion_tail: u32,
    phase: Phase,
    /// Requests that wait for the processor of the host, by number.
    queue: VecDeque<u32>,
    /// When the first of them is seen to.
    due_ps: u64,
}

/// All queues of jobs, and the requests in them.
#[derive(Debug)]
pub struct Front {
    lanes: Vec<Lane>,
    stride: u8,
    /// By lane and identifier.
    requests: Vec<Request>,
    entries: u32,
    /// Logical blocks that there are.
    blocks: u64,
}

impl Front {
    /// Queues that jobs use, identifiers from 1, all of as many entries.
    pub fn new(pairs: &[QueuePair], stride: u8, blocks: u64) -> Self {
        let entries = pairs[0].entries();
        let nothing = Request {
            lane: 0,
            cid: 0,
            what: What::Flush,
            start: 0,
            blocks: 0,
            done: 0,
            outstanding: 0,
            status: Status::SUCCESS,
            came_ps: 0,
            times: CommandTimes::default(),
            prp1: 0,
            prp2: 0,
        };
        let lane = |&pair: &QueuePair| Lane {
            pair,
            submission_head: 0,
            completion_tail: 0,
            phase: Phase::One,
            queue: VecDeque::with_capacity(entries as usize),
            due_ps: NEVER,
        };
        Front {
            lanes: pairs.iter().map(lane).collect(),
            stride,
            requests: vec![nothing; pairs.len() * entries as usize],
            entries,
            blocks,
        }
    }

    /// Logical blocks that jobs have.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Requests that there can be.
    pub fn capacity(&self) -> usize {
        self.requests.len()
    }

    /// A request by its number.
    #[inline]
    pub fn request(&self, number: u32) -> &Request {
        &self.requests[number as usize]
    }

    /// A request by its number, to be changed.
    #[inline]
    pub fn request_mut(&mut self, number: u32) -> &mut Request {
        &mut self.requests[number as usize]
    }

    /// A job rings a doorbell: its requests are taken. Returns the lane, if something came to one where nothing waited.
    pub fn ring(&mut self, (now, memory): (u64, &Memory), ring: Ring) -> Option<usize> {
        let Some(Doorbell::SubmissionTail(id)) = Doorbell::at(ring.offset, self.stride) else {
            return None;
        };
        let nth = usize::from(id) - 1;
        let lane = &mut self.lanes[nth];
        let was_idle = lane.queue.is_empty();
        while lane.submission_head != ring.value {
            let at = lane.pair.submission_address()
                + u64::from(lane.submission_head) * ENTRY_BYTES as u64;
            let entry = Entry::from_bytes(memory.array(at));
            let request = parse(&entry, (nth as u16, now), (memory, self.blocks));
            let number = nth as u32 * self.entries + u32::from(request.cid);
            self.requests[number as usize] = request;
            lane.queue.push_back(number);
            lane.submission_head = (lane.submission_head + 1) % lane.pair.entries();
        }
        (was_idle && !lane.queue.is_empty()).then_some(nth)
    }

    /// The first request that waits in a lane.
    pub fn first(&self, lane: usize) -> Option<u32> {
        self.lanes[lane].queue.front().copied()
    }

    /// Takes the first request that waits in a lane.
    pub fn take(&mut self, lane: usize) -> u32 {
        self.lanes[lane].due_ps = NEVER;
        self.lanes[lane].queue.pop_front().expect("a request waits")
    }

    /// The first request of a lane is seen to at this time.
    pub fn set_due(&mut self, lane: usize, due_ps: u64) {
        self.lanes[lane].due_ps = due_ps;
    }

    /// The lane with the first request that is to be seen to, and when.
    #[inline]
    pub fn due(&self) -> (usize, u64) {
        let lanes = self.lanes.iter().map(|lane| lane.due_ps).enumerate();
        lanes.min_by_key(|&(_, due_ps)| due_ps).unwrap_or((0, NEVER))
    }

    /// Puts the completion of a request into its queue.
    pub fn post(&mut self, memory: &mut Memory, number: u32) {
        let Request { lane, cid, status, .. } = self.requests[number as usize];
        let lane = &mut self.lanes[usize::from(lane)];
        let entry = CompletionEntry {
            result: 0,
            result_high: 0,
            submission_head: lane.submission_head as u16,
            submission_queue: lane.pair.id(),
            cid,
            phase: lane.phase,
            status,
        };
        let at = lane.pair.completion_address()
            + u64::from(lane.completion_tail) * completion::ENTRY_BYTES as u64;
        let is_there = memory.write(at, &entry.emit());
        assert!(is_there, "queues are in host memory");
        lane.completion_tail += 1;
        if lane.completion_tail == lane.pair.entries() {
            (lane.completion_tail, lane.phase) = (0, lane.phase.flipped());
        }
    }
}

/// What an entry asks for.
fn parse(entry: &Entry, (lane, now): (u16, u64), (memory, all): (&Memory, u64)) -> Request {
    let header = entry.header();
    let whole = |range: BlockRange| (range.start, range.blocks);
    let (what, (start, blocks)) = match IoCommand::parse(entry) {
        Ok(IoCommand::Read(range, _)) => (What::Read, whole(range)),
        Ok(IoCommand::Write(range, access)) => (What::Write(access), whole(range)),
        Ok(IoCommand::Flush) => (What::Flush, (0, 0)),
        Ok(IoCommand::DatasetManagement { purpose: DatasetUse::Deallocate, ranges: 1 }) => {
            let bytes = memory.array::<{ Range::BYTES }>(header.data.prp1);
            let Range { start, blocks, .. } = Range::parse(bytes);
            (What::Trim, (start, blocks))
        }
        Ok(_) => (What::Refuse(Status::INVALID_OPCODE), (0, 0)),
        Err(fault) => (What::Refuse(fault.status), (0, 0)),
    };
    let is_inside = start.checked_add(blocks.into()).is_some_and(|end| end <= all);
    let is_aligned = header.data.prp1 % PAGE_BYTES == 0;
    let what = match what {
        What::Refuse(_) => what,
        _ if !is_inside => What::Refuse(Status::LBA_OUT_OF_RANGE),
        What::Read | What::Write(_) if !is_aligned => What::Refuse(Status::INVALID_PRP_OFFSET),
        _ => what,
    };
    Request {
        lane,
        cid: header.cid,
        what,
        start,
        blocks,
        done: 0,
        outstanding: 0,
        status: Status::SUCCESS,
        came_ps: now,
        times: CommandTimes::default(),
        prp1: header.data.prp1,
        prp2: header.data.prp2,
    }
}
