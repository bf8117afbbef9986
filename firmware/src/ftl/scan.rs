//! What a drive without a table of bad blocks does first: it looks for the factory's mark in the first page of each
//! block, one block of every way at a time.
//!
//! A drive that keeps a log looks no further than for what log and save area are in: the log's snapshots say what all
//! other blocks are for. Where they do not, as on a new drive, all blocks are looked at, and finding the map begins
//! anew: nothing was written before. What is in marked blocks is never written, so the marks are there for good.

mod look;

use alloc::vec::Vec;
use contract::{BufferId, Configuration};

use super::layout::{Known, Layout};

/// How far the marks of a way are known.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Way {
    /// The block to be looked at next.
    next: u32,
    /// Blocks without a mark before it.
    good: u32,
    is_read: bool,
}

/// A look for marks, and what it has found.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Scan {
    config: Configuration,
    ways: Vec<Way>,
    /// By block, counted over all ways.
    marked: Vec<bool>,
    /// Blocks without a mark that are enough of a way; `u32::MAX` if all blocks are to be looked at.
    enough: u32,
    /// Entries of the data buffer that can be read to: nothing else is in it before the drive is ready.
    free: Vec<BufferId>,
    is_over: bool,
}

impl Scan {
    /// Of a drive that knows nothing yet.
    pub fn new(config: &Configuration) -> Self {
        let g = config.geometry;
        let log = config.recovery.map(|recovery| recovery.log_blocks_per_way);
        let save = config.reserve.map_or(0, |reserve| reserve.blocks_per_way);
        Scan {
            ways: alloc::vec![Way::default(); g.dies() as usize],
            marked: alloc::vec![false; (g.dies() * g.blocks_per_way) as usize],
            enough: log.map_or(u32::MAX, |log| log + save),
            free: (0..config.buffer_entries.min(g.dies())).map(BufferId).collect(),
            config: config.clone(),
            is_over: false,
        }
    }

    /// The block of a way that is to be looked at next.
    fn next(&self, way: &Way) -> Option<u32> {
        let is_next = way.good < self.enough && way.next < self.config.geometry.blocks_per_way;
        is_next.then_some(way.next)
    }

    /// What follows from the marks.
    fn layout(&self) -> Layout {
        let known = if self.enough == u32::MAX { Known::All } else { Known::Areas };
        let per_way = self.config.geometry.blocks_per_way;
        Layout::new(&self.config, known, |die, block| self.marked[(die * per_way + block) as usize])
    }
}
