use contract::{Configuration, Geometry, Lpn};

use super::*;
use crate::ftl::blocks::Stream;
use crate::ftl::fill::FillOrder;
use crate::nvme::tests::mock::configuration;

const PAGES: u32 = 32;

/// Counts what collection does.
#[derive(Default)]
struct Counted {
    copies: u32,
    /// Pages copied four at a time, and two.
    fours: u32,
    twos: u32,
    erases: u32,
}

impl Moves for Counted {
    fn opened(&mut self, _: (u32, Stream), _: u32, _: u64) {}

    fn idle_ways(&self, _: usize) -> u64 {
        0
    }
    fn victim(&mut self) {}
    fn copy(&mut self, _: u32, moved: &[Move]) {
        let count = moved.len() as u32;
        self.copies += count;
        match count {
            4 => self.fours += 4,
            2 => self.twos += 2,
            _ => {}
        }
    }
    fn erase(&mut self, _: u32, _: u32) {
        self.erases += 1;
    }
}

/// A translator of one way with room for `logical_pages` of 14 x 32 and its reserve.
fn full(logical_pages: u32, free_pages_kept: u32) -> Translator {
    full_of_planes(1, logical_pages, free_pages_kept)
}

/// The same with so many times the blocks and pages.
fn full_of_planes(planes: u32, logical_pages: u32, free_pages_kept: u32) -> Translator {
    let logical_pages = logical_pages * planes;
    let geometry = Geometry {
        channels: 1,
        ways: 1,
        blocks_per_way: 16 * planes,
        pages_per_block: PAGES,
        page_bytes: 4096,
    };
    let joined_planes = planes;
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        joined_planes,
        logical_pages,
        free_pages_kept,
        ..configuration()
    };
    let mut translator = Translator::new(&config, |_, _| false);
    for lpn in 0..logical_pages {
        assert!(translator.place(Lpn(lpn), &mut Counted::default()).is_some());
    }
    translator
}

/// Pages that a placement has to move at most: as many as it takes to empty the victim before the
/// reserve is full, if every placement to come moves as many.
fn share(t: &mut Translator) -> u32 {
    let (left, free) = (t.blocks.left(0, Stream::Host), t.blocks.free_count(0));
    let victim = t.blocks.left_in_victim(0);
    let valid = victim.unwrap_or_else(|| PAGES - t.blocks.most_invalid(0));
    let room = match (left, free) {
        (0, 1) => PAGES,
        (_, 0) => left,
        _ => return 0,
    };
    assert!(room > valid, "{valid} valid pages, and room for {room}: the reserve is lost");
    valid.div_ceil(room - valid)
}

#[test]
fn a_placement_moves_its_share_of_a_victim_and_never_a_block() {
    for logical_pages in [300, 380, 420] {
        let mut t = full(logical_pages, PAGES);
        let (mut seed, mut most, mut moved, mut shared) = (7, 0, 0, 0);
        for _ in 0..20_000 {
            let lpn = Lpn((random::next(&mut seed) >> 32) as u32 % logical_pages);
            let (bound, mut moves) = (share(&mut t), Counted::default());
            assert!(t.place(lpn, &mut moves).is_some());
            assert!(moves.copies <= bound, "{} pages moved, the share is {bound}", moves.copies);
            assert!(moves.erases <= 1);
            most = most.max(moves.copies);
            moved += moves.copies;
            shared += u32::from(moves.copies > 1);
        }
        // With few pages to spare, victims are so full that one page a placement is not enough.
        assert!(moved > 1_000, "{moved}");
        assert!(most < PAGES * 3 / 4, "{most} pages in one placement");
        assert!(logical_pages < 420 || shared > 1_000, "{shared} placements moved several");
    }
}

#[test]
fn on_demand_a_placement_moves_the_whole_victim() {
    let mut t = full(380, 0);
    let (mut seed, mut collections) = (7, 0);
    for _ in 0..5_000 {
        let lpn = Lpn((random::next(&mut seed) >> 32) as u32 % 380);
        let in_need = t.blocks.left(0, Stream::Host) == 0 && t.blocks.free_count(0) == 1;
        let valid = PAGES - t.blocks.most_invalid(0);
        let mut moves = Counted::default();
        assert!(t.place(lpn, &mut moves).is_some());
        assert_eq!(moves.copies, if in_need { valid } else { 0 });
        collections += moves.erases;
    }
    assert!(collections > 100, "{collections}");
}

/// Where a way is collected as new data come, these fill rows of all planes, and moves others.
#[test]
fn rows_of_all_planes_are_filled_by_moves_alone() {
    for (planes, logical_pages, kept) in
        [(2, 300, PAGES), (2, 420, PAGES), (4, 380, PAGES), (2, 380, 0), (4, 420, 0)]
    {
        let mut t = full_of_planes(planes, logical_pages, kept);
        let (mut seed, mut all) = (7, Counted::default());
        for nth in 0..20_000 {
            let lpn = Lpn((random::next(&mut seed) >> 32) as u32 % (logical_pages * planes));
            assert!(t.place(lpn, &mut all).is_some(), "{planes} planes, placement {nth}");
        }
        let together = if planes == 4 { all.fours } else { all.twos };
        assert!(all.copies > 5_000, "{planes} planes: {} pages moved", all.copies);
        assert!(together * 10 > all.copies * 8, "{planes} planes: {together} of {}", all.copies);
        assert_eq!(all.erases % planes, 0);
    }
}

/// A fill by formula leaves what page after page leaves: the whole reserve, which is larger on drives with a log.
#[test]
fn a_fill_leaves_the_reserve() {
    let recovery = contract::Recovery {
        log_blocks_per_way: 0,
        snapshots_per_journal_page: 1,
        log_entries: 4,
        map_cache_parts: None,
    };
    for (recovery, reserve) in [(None, 1), (Some(recovery), 2)] {
        // The second way has as many blocks as its half of the pages takes, the reserve, and so many more.
        for more in [0, 1] {
            let geometry = Geometry {
                channels: 2,
                ways: 1,
                blocks_per_way: 16,
                pages_per_block: PAGES,
                page_bytes: 4096,
            };
            let spare_blocks_per_way = 0;
            let config = Configuration {
                geometry,
                unit_bytes: geometry.page_bytes,
                recovery,
                spare_blocks_per_way,
                ..configuration()
            };
            let bad = |die, block| die == 1 && block >= 8 + reserve - 1 + more;
            let mut by_formula = Translator::new(&config, bad);
            let pages = 2 * 8 * PAGES;
            let filled = by_formula.start_filled(pages, FillOrder::Sequential).is_some();
            assert_eq!(filled, more == 1, "reserve {reserve}, {more} more");
            let mut one_by_one = Translator::new(&config, bad);
            for lpn in 0..pages {
                assert!(one_by_one.place(Lpn(lpn), &mut Counted::default()).is_some());
            }
            assert!((0..2).all(|die| one_by_one.blocks.free_count(die) >= reserve));
            for lpn in (0..pages).filter(|_| filled) {
                assert_eq!(by_formula.lookup(Lpn(lpn)), one_by_one.lookup(Lpn(lpn)));
            }
        }
    }
}
