//! Blocks of a page that are on their way.

use contract::{BufferId, Lpn, Metadata};

use crate::operations::moved::Moved;
use crate::operations::{Joined, OpId};

/// A block on its way between a page and an entry, and the place of its address in the command.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub lpn: Lpn,
    pub nth: u32,
    pub entry: BufferId,
    /// What stands for it in an operation on the flash; none for one that nothing is written of.
    pub id: Option<OpId>,
}

impl Block {
    /// What stands for it as a unit of an operation on its page.
    pub const fn joined(&self, with: OpId, unit: u8) -> Joined {
        let Block { lpn, entry, .. } = *self;
        Joined { with, entry, lpn, unit, lost: false, moved: false, age: 0 }
    }
}

/// An operation for each block of a page, where it has one.
pub type Each = [Option<OpId>; Metadata::MOST_BLOCKS];

/// Blocks of a page that an operation moves.
pub type Units = [Option<Moved>; Metadata::MOST_BLOCKS];

/// Blocks of a page.
pub struct Gathered {
    pub blocks: [Block; Metadata::MOST_BLOCKS],
    pub count: usize,
}

impl Gathered {
    pub fn all(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    pub fn all_mut(&mut self) -> &mut [Block] {
        &mut self.blocks[..self.count]
    }
}
