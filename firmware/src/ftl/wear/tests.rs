//! Wear of a drive of which a quarter is overwritten and the rest is written once.

use contract::{Geometry, Lpn, Policies, WearPolicy};

use super::*;
use crate::ftl::blocks::Stream;
use crate::ftl::moves::{Move, Moves};
use crate::ftl::translate::Translator;
use crate::nvme::tests::mock::configuration;

const PAGES: u32 = 16;
const BLOCKS: u32 = 32;
const LOGICAL: u32 = 26 * PAGES;
const SPREAD: u32 = 8;

fn of(levelling: WearPolicy) -> Policies {
    Policies { wear: levelling.with([SPREAD.into()]), ..Policies::PUBLISHED }
}

struct Moved(u64);

impl Moves for Moved {
    fn idle_ways(&self, _: usize) -> u64 {
        0
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _: (u32, Stream), _: u32, _: u64) {}
    fn copy(&mut self, _: u32, moved: &[Move]) {
        self.0 += moved.len() as u64;
    }
    fn erase(&mut self, _: u32, _: u32) {}
}

/// A drive after 60 times its pages were written to the first quarter of them, and the pages that were moved.
fn used(levelling: WearPolicy, (bad, kept): (u32, u32)) -> (Translator, u64) {
    let geometry = Geometry {
        channels: 1,
        ways: 1,
        blocks_per_way: BLOCKS,
        pages_per_block: PAGES,
        page_bytes: 4096,
    };
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        logical_pages: LOGICAL,
        free_pages_kept: kept,
        policies: of(levelling),
        spare_blocks_per_way: 1,
        ..configuration()
    };
    let mut drive = Translator::new(&config, |_, block| block == bad);
    let mut moved = Moved(0);
    for lpn in 0..LOGICAL {
        assert!(drive.place(Lpn(lpn), &mut moved).is_some());
    }
    let mut seed = 3;
    for _ in 0..60 * LOGICAL {
        let lpn = Lpn((random::next(&mut seed) >> 32) as u32 % (LOGICAL / 4));
        assert!(drive.place(lpn, &mut moved).is_some());
    }
    for lpn in 0..LOGICAL {
        let page = drive.lookup(Lpn(lpn)).expect("it was written");
        let ppn = crate::ftl::map::Ppn(page.page.row);
        assert_eq!(drive.map().owner(ppn), Some(Lpn(lpn)), "page {lpn}");
    }
    (drive, moved.0)
}

fn fewest_and_most(drive: &Translator) -> (u32, u32) {
    let blocks = drive.blocks();
    let counts = || (0..blocks.count()).filter_map(|block| blocks.erases_in_use(block));
    (counts().min().expect("blocks"), counts().max().expect("blocks"))
}

#[test]
fn static_data_keep_a_block_young_unless_they_are_moved() {
    for setting in [(u32::MAX, 0), (u32::MAX, PAGES), (5, 0), (5, PAGES)] {
        for levelling in [WearPolicy::Unlevelled, WearPolicy::Dynamic] {
            let (fewest, most) = fewest_and_most(&used(levelling, setting).0);
            assert_eq!(fewest, 0, "{levelling:?} {setting:?}: data that stay keep their block");
            assert!(most > 10 * SPREAD, "{levelling:?} {setting:?}: {most} erases");
        }
        let (drive, moved) = used(WearPolicy::Threshold, setting);
        let (fewest, most) = fewest_and_most(&drive);
        // A block may fall behind further while the others have their turn.
        assert!(most - fewest <= SPREAD + 4, "{setting:?}: {fewest} to {most} erases");
        let (_, before) = used(WearPolicy::Unlevelled, setting);
        let written = u64::from(61 * LOGICAL);
        assert!(
            moved - before < written * 2 / 5,
            "{setting:?}: {moved} pages moved, {before} without"
        );
    }
}

#[test]
fn the_free_block_with_the_fewest_erases_is_opened_first() {
    let geometry = Geometry { channels: 1, ways: 1, blocks_per_way: 4, ..configuration().geometry };
    for (levelling, expected) in
        [(WearPolicy::Unlevelled, [2, 3, 0, 1]), (WearPolicy::Dynamic, [2, 3, 1, 0])]
    {
        let config = Configuration {
            geometry,
            spare_blocks_per_way: 0,
            policies: of(levelling),
            ..configuration()
        };
        let mut blocks = Blocks::new(&config, |_, _| false);
        let pages = geometry.pages_per_block;
        blocks.take_pages((0, Stream::Host), 2 * pages);
        // Block 0 was erased before, and more often than all others.
        blocks.at_mut(0, 0).erases = 5;
        for block in 0..2 {
            (0..pages).for_each(|_| blocks.invalidate(0, block));
            blocks.begin_collection(0, block);
            blocks.reclaim(0);
        }
        assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), expected, "{levelling:?}");
        assert_eq!(blocks.open_next(0, Stream::Host), expected[0]);
    }
}
