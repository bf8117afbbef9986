//! What a channel asks of the cells behind it.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Request;
use contract::{Duration, Instant};

/// Where and when an operation of the cells begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The way whose chip does the operation, from 0 within the channel.
    pub way: u8,
    /// When the chip took the command.
    pub at: Instant,
    /// Requests whose pages or blocks go together, one a plane, in the order in which the chip got
    /// them; the three pages of a word line.
    pub requests: &'a [Request],
    /// Per mille of the time of the cells that the array takes for it.
    pub permille: u32,
}

impl Place<'_> {
    /// How long the array takes whose cells take so long.
    pub fn taken(&self, cells: Duration) -> Duration {
        match self.permille {
            1000 => cells,
            permille => share(cells, permille),
        }
    }
}

/// So many thousandths of a length of time; all of it, where it never ends.
fn share(length: Duration, permille: u32) -> Duration {
    if length == Duration::from_ps(u64::MAX) {
        return length;
    }
    Duration::from_ps((u128::from(length.as_ps()) * u128::from(permille) / 1000) as u64)
}

/// A program or erase that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// How long it takes.
    pub length: Duration,
    /// Requests that will have failed, a bit each in their order.
    pub failed: u8,
}

impl Work {
    /// One that takes so long and succeeds.
    pub const fn good(length: Duration) -> Self {
        Self { length, failed: 0 }
    }
}

/// What the error correction made of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct PageRead {
    /// Bits corrected in the page.
    pub corrected_bits: u16,
    /// Most bits corrected in a chunk.
    pub most_bits: u8,
    /// Chunks beyond correction.
    pub lost_chunks: u8,
    /// The page was erased.
    pub erased: bool,
    /// Chunks that the decoder has to search for wrong bits, a bit each from the first one on.
    pub dirty_chunks: u64,
}

/// The chips of a channel: how long their cells take, and what comes of it.
///
/// Registers, cache mode and the commands of several planes are the channel's. A time of
/// [`Duration`]'s largest value is a chip that stays busy.
pub trait Chips {
    /// Begins to read pages. How long it takes.
    fn read(&mut self, place: Place) -> Duration;

    /// Begins to program pages.
    fn program(&mut self, place: Place) -> Work;

    /// Begins to erase blocks.
    fn erase(&mut self, place: Place) -> Work;

    /// A page, or a part of one, goes from a register of the chip to the buffer.
    fn transfer(&mut self, way: u8, at: Instant, request: &Request) -> PageRead;

    /// The four bytes of a feature.
    fn feature(&mut self, way: u8, request: &Request) -> u32 {
        let _ = (way, request);
        0
    }

    /// The four bytes of a feature change. How long the chip is busy with that is not asked.
    fn set_feature(&mut self, place: Place) {
        let _ = place;
    }

    /// Whether the buffer gives the data of a program, which it does but for mishaps.
    fn has_data(&mut self, way: u8, request: &Request) -> bool {
        let _ = (way, request);
        true
    }
}

/// Times of a chip beside those of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChipTimes {
    /// tRCBSY, when the array is idle: from page register to cache register.
    pub read_cache: Duration,
    /// tPCBSY, likewise: from cache register to page register.
    pub program_cache: Duration,
    /// Per mille of its time that a program takes whose successor comes in cache mode: tPCBSY of an array at work.
    pub cached_program_permille: u32,
    /// tPLRBSY.
    pub read_plane: Duration,
    /// tPLPBSY; also between the pages of a word line.
    pub program_plane: Duration,
    /// tPLEBSY.
    pub erase_plane: Duration,
    /// tFEAT.
    pub feature: Duration,
    /// Parameter page and unique ID to the register.
    pub parameters: Duration,
    /// tRST of an idle chip, or one that reads.
    pub reset: Duration,
    /// tRST within a program.
    pub reset_program: Duration,
    /// tRST within an erase.
    pub reset_erase: Duration,
}
