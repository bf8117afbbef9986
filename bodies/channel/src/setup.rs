//! What a channel is made of, and what it tells of its bus.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{CodeWords, Operation};
use contract::Instant;

use crate::bus::BusTiming;
use crate::chips::ChipTimes;
use crate::decoder::DecoderTiming;
use crate::policy::Policy;
use crate::shared_enable::SharedEnable;
use crate::status_polls::StatusPolls;

/// What a channel is made of.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Setup {
    /// The number of the channel, which its completions carry.
    pub channel: u8,
    /// Ways, at most 64.
    pub ways: u8,
    /// LUNs of a chip, which do one thing at a time.
    pub luns: u8,
    /// LUNs of a chip that overlap instead; there are `ways` chips all the same.
    pub shared_enable: Option<SharedEnable>,
    /// Ways are asked for their status where R/B# tells nothing.
    pub status_polls: Option<StatusPolls>,
    /// Requests that a queue holds; each way has two.
    pub queue_depth: usize,
    /// Requests whose order can be written down, in the models that keep one.
    pub order_depth: usize,
    /// Requests that may wait for their queue.
    pub window: usize,
    /// A cycle of the clock, in picoseconds.
    pub period_ps: u64,
    /// The policies.
    pub policy: Policy,
    /// Waits of the bus as its registers have them, and of the data paths behind it.
    pub bus: BusTiming,
    /// tWB, in picoseconds: until then a chip that was told to be busy does not say so.
    pub busy_shown_ps: u64,
    /// Code words.
    pub code: CodeWords,
    /// How long the decoder of the error correction takes.
    pub decoder: DecoderTiming,
    /// Times of the chips beside those of their cells.
    pub times: ChipTimes,
}

/// A turn on the bus, as it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct BusStep {
    /// When the bus took it.
    pub at: Instant,
    /// When it had left the bus.
    pub over: Instant,
    /// The operation, a step.
    pub operation: Operation,
    /// JEDEC's 81h for 80h, on planes behind the first one.
    pub next_plane: bool,
    /// The way that has the bus, from 0 within the channel.
    pub way: u8,
    /// The row of its request.
    pub row: u32,
    /// The number that the request was given with; [`NOBODY`] where no request asked for it.
    pub ticket: u32,
}

/// The ticket of a turn on the bus that no request asked for: a status of a way, or READ MODE behind it.
pub const NOBODY: u32 = u32::MAX;
