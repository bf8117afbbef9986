//! Work ahead of need: what a drive does while nobody asks for anything.

use contract::Configuration;
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, Bench, BLOCKS_A_PAGE};

const NORMAL: UnitAccess = UnitAccess::Normal;

/// Half of the eight entries of the buffer are kept clean, and three pages a way free beyond the reserve.
fn eager() -> Configuration {
    Configuration { clean_entries_kept: 4, free_pages_kept: 16, ..configuration() }
}

fn rest(bench: &mut Bench) {
    for _ in 0..2_000 {
        bench.firmware.pass(&mut bench.body);
    }
}

fn write_pages(bench: &mut Bench, pages: impl Iterator<Item = u64>, version: u64) {
    for page in pages {
        bench.write(page * BLOCKS_A_PAGE, &numbers(page * BLOCKS_A_PAGE, 4, version), NORMAL);
    }
}

#[test]
fn the_oldest_entries_reach_flash_while_the_drive_rests() {
    let mut bench = Bench::new(&eager());
    write_pages(&mut bench, 0..8, 1);
    rest(&mut bench);
    let (dirty, done) = (bench.firmware.inspect().dirty_entries(), bench.body.done);
    assert_eq!((dirty, done.programs), (4, 4), "the four oldest, and no more");
    for page in 0..4 {
        assert_eq!(
            bench.in_flash(page * BLOCKS_A_PAGE),
            Some(numbers(page * BLOCKS_A_PAGE, 1, 1)[0])
        );
    }
    // The drive is at rest: nothing is left to do until somebody writes.
    let turns = bench.body.done;
    rest(&mut bench);
    assert_eq!(bench.body.done, turns);
    // What is not to be done ahead is not.
    let mut lazy = Bench::new(&configuration());
    write_pages(&mut lazy, 0..8, 1);
    rest(&mut lazy);
    assert_eq!((lazy.firmware.inspect().dirty_entries(), lazy.body.done.programs), (8, 0));
}

#[test]
fn ways_are_collected_while_the_drive_rests_and_keep_their_pages() {
    let mut bench = Bench::new(&eager());
    let pages = u64::from(eager().logical_pages);
    write_pages(&mut bench, 0..pages, 1);
    write_pages(&mut bench, (0..pages).step_by(3), 2);
    bench.done(IoCommand::Flush);
    let before = bench.firmware.inspect().counters();
    rest(&mut bench);
    let after = bench.firmware.inspect().counters();
    assert!(after.erases > before.erases && after.moves > before.moves, "{after:?}");
    // Sixteen pages are two blocks beyond the reserve, or one and what is left of the open one.
    let blocks = bench.firmware.inspect().translator().blocks();
    for die in 0..4 {
        let free = blocks.free_list(die).count();
        assert!((2..=3).contains(&free), "way {die} has {free} free blocks");
    }
    for page in 0..pages {
        let lba = page * BLOCKS_A_PAGE;
        let version = if page % 3 == 0 { 2 } else { 1 };
        assert_eq!(
            bench.read(lba, 4, UnitAccess::Forced),
            Ok(numbers(lba, 4, version)),
            "page {page}"
        );
    }
}
