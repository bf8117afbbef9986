//! The parts of the map and of the block table that snapshots are taken of.

use contract::{Geometry, Lpn};

use super::page;
use crate::ftl::map::Map;

/// How many parts the map and the block table have in snapshots.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Parts {
    /// Logical pages of a part of the map.
    pub map_entries: u32,
    /// Parts of the map.
    pub of_map: u32,
    /// Blocks of a part of the block table.
    pub block_entries: u32,
    /// All parts; those of the block table come last.
    pub count: u32,
}

impl Parts {
    pub(super) fn new(geometry: &Geometry, logical_pages: u32) -> Self {
        let room = geometry.page_bytes as usize - page::HEADER;
        let map_entries = (room / page::MAP_ENTRY) as u32;
        let block_entries = (room / page::BLOCK_ENTRY) as u32;
        let of_map = logical_pages.div_ceil(map_entries);
        let blocks = geometry.dies() * geometry.blocks_per_way;
        let count = of_map + blocks.div_ceil(block_entries);
        Parts { map_entries, of_map, block_entries, count }
    }

    /// Whether no logical page of a part of the map, which is in memory, has data or has lost them.
    pub fn is_void(&self, map: &Map, part: u32) -> bool {
        let first = part * self.map_entries;
        let last = map.pages().min(first + self.map_entries);
        (first..last).all(|lpn| map.snapshot_code(Lpn(lpn)) == 0)
    }

    /// The part of the map that a logical page is in.
    pub fn of_page(&self, lpn: u32) -> u32 {
        lpn / self.map_entries
    }

    /// The part of the block table that a block, counted over all ways, is in.
    pub fn of_block(&self, block: u32) -> u32 {
        self.of_map + block / self.block_entries
    }
}
