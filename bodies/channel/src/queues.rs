//! The requests of all ways: a queue for each way and class, as `rtl/flash/way_queues.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Request;

use crate::reorder::Slot;

/// A request in its queue.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Queued {
    /// What was asked for.
    pub request: Request,
    /// Its place in the reorder buffer; none if it is silent.
    pub slot: Option<Slot>,
    /// Whatever the caller knows it by.
    pub ticket: u32,
}

/// All queues.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Queues {
    depth: usize,
    entries: Vec<Option<Queued>>,
    /// By queue: its first place, and how many requests it holds.
    first: Vec<usize>,
    level: Vec<usize>,
    /// Queues of low and of high priority that have a request, a bit a way.
    filled: [u64; 2],
}

/// Names a queue: each way has two, by priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Way whose requests wait here, from 0 within the channel.
    pub way: u8,
    /// Whether it is the one of high priority.
    pub urgent: bool,
}

impl Queue {
    fn index(self) -> usize {
        usize::from(self.way) * 2 + usize::from(self.urgent)
    }
}

impl Queues {
    pub fn new(ways: u8, depth: usize) -> Self {
        let queues = usize::from(ways) * 2;
        Self {
            depth,
            entries: vec![None; queues * depth],
            first: vec![0; queues],
            level: vec![0; queues],
            filled: [0; 2],
        }
    }

    /// Requests that a queue holds.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn has_room(&self, queue: Queue) -> bool {
        self.level[queue.index()] < self.depth
    }

    /// Ways whose queue of this class has a request.
    pub fn filled(&self, urgent: bool) -> u64 {
        self.filled[usize::from(urgent)]
    }

    pub fn push(&mut self, queue: Queue, entry: Queued) {
        let index = queue.index();
        assert!(self.level[index] < self.depth, "the queue has room");
        let place = (self.first[index] + self.level[index]) % self.depth;
        self.entries[index * self.depth + place] = Some(entry);
        self.level[index] += 1;
        self.filled[usize::from(queue.urgent)] |= 1 << queue.way;
    }

    pub fn pop(&mut self, queue: Queue) {
        let index = queue.index();
        assert!(self.level[index] > 0, "the queue has a request");
        self.first[index] = (self.first[index] + 1) % self.depth;
        self.level[index] -= 1;
        if self.level[index] == 0 {
            self.filled[usize::from(queue.urgent)] &= !(1 << queue.way);
        }
    }

    /// The request so many places in front of the last one.
    pub fn look_back(&self, queue: Queue, offset: u8) -> Option<&Queued> {
        let behind = self.level[queue.index()].checked_sub(usize::from(offset) + 1)?;
        self.peek(queue, behind as u8)
    }

    /// The request so many places behind the first one.
    pub fn peek(&self, queue: Queue, offset: u8) -> Option<&Queued> {
        let index = queue.index();
        if usize::from(offset) >= self.level[index] {
            return None;
        }
        let place = (self.first[index] + usize::from(offset)) % self.depth;
        self.entries[index * self.depth + place].as_ref()
    }
}
