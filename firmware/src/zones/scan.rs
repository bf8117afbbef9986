//! After a power loss: what is on the chips, read from the metadata of pages.
//!
//! The first page of each block says what the block is for: pages of a zone, or of the log. Of a zone's block it is found how far it is
//! written; of a log block each page is read. What all of it means for zones is worked out when all blocks were looked at ([`super::found`]).

use alloc::vec;
use alloc::vec::Vec;

use super::label::Label;
use super::shape::Shape;
use super::verify::Verify;
use crate::operations::Page;
use crate::placed::look::Look;

/// A block that holds pages of a zone.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct ZoneBlock {
    pub die: u32,
    pub block: u32,
    /// Rows that can be read, and whether there is something behind them.
    pub rows: u32,
    pub is_torn: bool,
    pub first: Label,
    pub last: Label,
}

/// What was found in the log.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct LogPage {
    pub page: Page,
    pub label: Label,
}

/// A way, and what is known of the block of it that is looked at.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Way {
    pub block: u32,
    pub look: Look,
    /// The data of its first page cannot be read.
    pub is_first_unreadable: bool,
    /// What its first page says, and the last one that could be read.
    pub labels: Option<(Label, Label)>,
    /// The next page of a log block; none of other blocks.
    pub log_row: Option<u32>,
    /// The page that is being read.
    pub reading: Option<u32>,
}

impl Way {
    /// At a block of so many rows, of which nothing is known.
    pub const fn at(block: u32, rows: u32) -> Self {
        Way {
            block,
            look: Look::new(rows),
            is_first_unreadable: false,
            labels: None,
            log_row: None,
            reading: None,
        }
    }

    /// The row to look at next; none if all is known.
    pub fn next(&self, rows: u32) -> Option<u32> {
        match self.log_row {
            Some(row) if row == rows => None,
            Some(row) => Some(row),
            None => self.look.next(rows),
        }
    }
}

/// How far the look has come.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Scan {
    pub ways: Vec<Way>,
    pub zone_blocks: Vec<ZoneBlock>,
    pub log_pages: Vec<LogPage>,
    /// Blocks of zones that count, with the row of the slot that each begins with, zones one after the other.
    pub kept: Vec<(u32, (u32, ZoneBlock))>,
    /// The epoch of each zone's last page.
    pub epochs: Vec<u32>,
    /// Blocks that hold something that nothing can be made of.
    pub garbage: Vec<(u32, u32)>,
    /// Pages whose order in time is looked at, once all blocks are known.
    pub verify: Option<Verify>,
    /// Pages that are read back from the log into the data buffer.
    pub restoring: u32,
}

impl Scan {
    /// Of a drive that knows nothing but which blocks are bad from the factory.
    pub fn new(shape: &Shape) -> Self {
        Scan {
            ways: vec![Way::at(0, shape.rows()); shape.dies() as usize],
            zone_blocks: Vec::new(),
            log_pages: Vec::new(),
            kept: Vec::new(),
            epochs: Vec::new(),
            garbage: Vec::new(),
            verify: None,
            restoring: 0,
        }
    }
}
