//! What a scheduler is told: its execution model, what it merges, whom it prefers.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Model;

/// In which order operations begin and complete (Ozone, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Execution {
    /// One operation at a time.
    Sequential,
    /// Operations begin in the order of requests, and complete in the order in which they began.
    Decoupled,
    /// Operations begin in the order of requests, and complete when their chips are ready.
    InOrderIssue,
    /// Ways are independent.
    OutOfOrder,
}

impl Execution {
    /// Whether operations begin in the order of requests.
    pub const fn keeps_order(self) -> bool {
        !matches!(self, Execution::OutOfOrder)
    }
}

impl From<Model> for Execution {
    fn from(model: Model) -> Self {
        match model {
            Model::OutOfOrder => Execution::OutOfOrder,
            Model::Decoupled => Execution::Decoupled,
            // Requests of firmware that schedules by itself are steps, run one at a time.
            Model::Sequential | Model::InOrder => Execution::Sequential,
        }
    }
}

/// What priority means where the order of requests is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Classes {
    /// Nothing: all requests are of low priority, and the reservation does not count. As the
    /// hardware.
    Ignored,
    /// Each class keeps an order of its own; the urgent one begins first, and low ones within the
    /// reservation.
    Kept,
}

/// What becomes of a request whose queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum FullQueue {
    /// It waits, and all behind it.
    Waits,
    /// It is given back, so that it blocks nobody.
    GivesBack,
}

/// Planes and LUNs in a row of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Planes {
    /// Planes of a LUN, as a power of two: 0 to 2.
    pub bits: u8,
    /// Lowest bit of the plane in a row, or of the block if there is one plane.
    pub shift: u8,
    /// Lowest bit of the LUN in a row.
    pub lun_shift: u8,
}

impl Planes {
    /// The bits of a row that name the plane.
    pub const fn mask(self) -> u32 {
        ((1 << self.bits) - 1) << self.shift
    }

    /// The plane of a row.
    pub const fn plane(self, row: u32) -> u8 {
        (row >> self.shift & ((1 << self.bits) - 1)) as u8
    }

    /// Whether two rows are in the same block.
    pub const fn same_block(self, row: u32, other: u32) -> bool {
        (row ^ other) >> self.shift == 0
    }

    /// The LUN of a row.
    pub const fn lun(self, row: u32) -> u32 {
        row >> self.lun_shift
    }
}

/// The policies of a scheduler, as `scheduler_config_t` of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Policy {
    /// Order of operations.
    pub execution: Execution,
    /// Priority where an order is kept.
    pub classes: Classes,
    /// Whole operations on other planes go together.
    pub merge_planes: bool,
    /// Reads that follow each other use cache mode.
    pub merge_cache_read: bool,
    /// Programs likewise.
    pub merge_cache_program: bool,
    /// JEDEC instead of ONFI multi-plane commands.
    pub jedec: bool,
    /// Where planes and LUNs are.
    pub planes: Planes,
    /// F-RSVP(l) of Ozone section 4.3: ways that operations of low priority may occupy.
    pub low_ways: u8,
    /// A way halts when a program or erase of it has failed, or something of it has timed out.
    pub halt_on_failure: bool,
    /// What becomes of a request whose queue is full.
    pub full_queue: FullQueue,
    /// Longest busy time of a way, in units of 256 cycles; 0 is for ever.
    pub busy_timeout: u16,
    /// How often somebody may be passed over by those that go before him, at least three times; 0 is for
    /// ever.
    ///
    /// With an age of n, of 4 classes of steps one that has a step all the time is passed over at most
    /// n + 3 times, and a way's queue of low priority by at most n urgent operations.
    pub age: u8,
}

/// The least that somebody who is old was passed over. As many others may be old as well, and none of
/// them must be so again before it is his turn.
const OLD: u8 = 3;

impl Policy {
    /// Whether somebody who was passed over so often goes first.
    pub const fn is_old(&self, passed: u8) -> bool {
        self.age != 0 && passed >= self.age && passed >= OLD
    }

    /// Ways are independent, nothing is merged, urgent ones go first without end, requests wait for room.
    pub const fn new(planes: Planes) -> Self {
        Self {
            execution: Execution::OutOfOrder,
            classes: Classes::Ignored,
            merge_planes: false,
            merge_cache_read: false,
            merge_cache_program: false,
            jedec: false,
            planes,
            low_ways: 64,
            halt_on_failure: false,
            full_queue: FullQueue::Waits,
            busy_timeout: 0,
            age: 0,
        }
    }
}
