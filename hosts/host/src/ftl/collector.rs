//! The line that is collected, and the buffers that its blocks go through ([`super::collect`]).

use std::collections::VecDeque;

use nvme::open_channel::MOST_ADDRESSES;

use super::shape::{LineId, Shape, Unit};
use crate::memory::{Memory, PAGE_BYTES};

/// Buffers that the collector reads into, a command each.
pub const BUFFERS: u32 = 8;

/// A line that is collected.
#[derive(Debug)]
pub(super) struct Victim {
    pub(super) line: LineId,
    /// Its parallel units, in the order in which they were written.
    pub(super) units: Vec<Unit>,
    /// Where in this order the next block to be looked at is.
    pub(super) next: u32,
    /// Position of the ring up to which all has to be stored before the line is free, once all of it is there.
    pub(super) stored_at: Option<u64>,
}

/// Blocks that are moved by one command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub(super) places: [u32; MOST_ADDRESSES],
    pub(super) lbas: [u32; MOST_ADDRESSES],
    pub(super) count: usize,
    /// Blocks that are in the ring.
    pub(super) moved: usize,
    /// A bit for each block that could not be read.
    pub(super) failed: u64,
}

/// The line whose valid blocks are moved away, and the buffers that they go through.
#[derive(Debug)]
pub struct Collector {
    pub(super) victim: Option<Victim>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) free: Vec<u32>,
    /// Those that were read, in the order in which they came.
    pub(super) ready: VecDeque<u32>,
    /// Where in host memory the blocks of the buffers are.
    pub(super) at: u64,
    /// Whether no line had anything to collect, and nothing was written or forgotten since.
    pub(super) is_futile: bool,
}

impl Victim {
    /// The next place to be looked at.
    pub(super) fn place(&self, shape: &Shape) -> Option<u32> {
        let each = shape.write_blocks;
        if self.next >= self.units.len() as u32 * shape.chunk_blocks {
            return None;
        }
        let round = self.units.len() as u32 * each;
        let (turn, within) = (self.next / round, self.next % round);
        let unit = self.units[(within / each) as usize];
        Some(shape.place(self.line, unit, turn * each + within % each))
    }
}

impl Collector {
    /// Host memory that the buffers take.
    pub const MEMORY_BYTES: u64 = BUFFERS as u64 * MOST_ADDRESSES as u64 * PAGE_BYTES;

    /// One that has nothing to do.
    pub fn new(memory: &mut Memory) -> Self {
        let empty = Buffer {
            places: [0; MOST_ADDRESSES],
            lbas: [0; MOST_ADDRESSES],
            count: 0,
            moved: 0,
            failed: 0,
        };
        Collector {
            victim: None,
            buffers: vec![empty; BUFFERS as usize],
            free: (0..BUFFERS).rev().collect(),
            ready: VecDeque::with_capacity(BUFFERS as usize),
            at: memory.allocate(Self::MEMORY_BYTES),
            is_futile: false,
        }
    }

    /// Whether nothing is collected.
    pub fn is_idle(&self) -> bool {
        self.victim.is_none()
    }

    /// A line may have something to collect.
    #[inline]
    pub fn look_again(&mut self) {
        self.is_futile = false;
    }

    pub(super) fn page(&self, buffer: u32, nth: usize) -> u64 {
        self.at + (u64::from(buffer) * MOST_ADDRESSES as u64 + nth as u64) * PAGE_BYTES
    }
}
