//! Which superblock is emptied, of those of a way that are worn differently.

use contract::Geometry;

use super::*;
use crate::ftl::blocks::{Blocks, Stream};
use crate::nvme::tests::mock::configuration;

/// A way of six superblocks that were erased so often, of which the first four are closed.
fn worn(erases: [u32; 6]) -> (Configuration, Blocks) {
    let geometry = Geometry {
        channels: 1,
        ways: 1,
        blocks_per_way: 6,
        pages_per_block: 4,
        page_bytes: 4096,
    };
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        spare_blocks_per_way: 0,
        ..configuration()
    };
    let mut blocks = Blocks::new(&config, |_, _| false);
    blocks.take_pages((0, Stream::Host), 4 * geometry.pages_per_block);
    for (block, erases) in (0..).zip(erases) {
        blocks.at_mut(0, block).erases = erases;
    }
    (config, blocks)
}

/// What is due, asked as often as the way has superblocks.
fn due(erases: [u32; 6], spread: u64) -> [Option<u32>; 6] {
    let (config, blocks) = worn(erases);
    let mut policy = Threshold::new(&config, &Settings::of([spread]));
    core::array::from_fn(|_| policy.due(&Way { blocks: &blocks, die: 0 }))
}

#[test]
fn what_is_behind_by_more_than_the_spread_is_emptied_in_its_turn() {
    assert_eq!(due([9, 4, 3, 0, 0, 9], 5), [None, None, Some(2), Some(3), None, None]);
    assert_eq!(due([9, 4, 3, 0, 0, 9], 8), [None, None, None, Some(3), None, None]);
    assert_eq!(due([9, 4, 3, 0, 0, 9], 9), [None; 6]);
}
