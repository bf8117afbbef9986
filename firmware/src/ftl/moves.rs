//! What a collection asks for: mapping units that move in their way, and blocks that are erased.

use contract::Lpn;

use super::blocks::Stream;
use crate::operations::Place;

/// Where a collection's moves go: the way's queue, or straight to the media.
pub trait Moves {
    /// Ways of a channel that have nothing to do, a bit a way.
    fn idle_ways(&self, channel: usize) -> u64;
    /// A victim was chosen.
    fn victim(&mut self);
    /// A superblock of a way was opened for a stream, at this sequence number.
    fn opened(&mut self, way: (u32, Stream), superblock: u32, sequence: u64);
    /// Copies mapping units of a way, at most a page for each plane of a superblock, in the order of their new places.
    fn copy(&mut self, die: u32, moved: &[Move]);
    /// Erases a block of a way.
    fn erase(&mut self, die: u32, block: u32);
}

/// A mapping unit that moves in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What it holds.
    pub lpn: Lpn,
    /// Where it is.
    pub from: Place,
    /// Where it will be.
    pub to: Place,
    /// When that was planned.
    pub sequence: u64,
}
