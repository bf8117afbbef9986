//! Boards whose planes act together where the firmware schedules.

use board::Board;
use contract::{Grain, Programming};

fn resolve(name: &str, pairs: &[(&str, &str)]) -> Result<Board, String> {
    let owned: Vec<_> = pairs.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    Board::resolve(name, &owned).map_err(|error| error.to_string())
}

/// TLC of four planes on the board of tests.
const TLC: [(&str, &str); 9] = [
    ("flash.cell_mode", "tlc"),
    ("flash.cell_bits", "3"),
    ("flash.program", "one-shot"),
    ("flash.pages_per_physical_block", "24"),
    ("flash.planes", "4"),
    ("channel.merging", "planes"),
    ("geometry.blocks_per_way", "128"),
    ("flash.metadata_bytes", "68"),
    ("ftl.buffer_kib", "3072"),
];

fn tlc(more: &[(&str, &str)]) -> Result<Board, String> {
    resolve("small", &[&TLC, more].concat())
}

#[test]
fn planes_act_together_where_a_firmware_schedules_that_merges_them() {
    let board = tlc(&[]).expect("a board");
    assert_eq!((board.flash.fold.planes(), board.flash.fold.pages()), (4, 3));
    assert_eq!(board.firmware.programming, Programming { flash_pages: 12, passes: 1 });
    assert_eq!(board.firmware.joined_planes, 1, "the firmware knows of none");
    assert_eq!(board.firmware.grain, Grain::Phases);
    for alone in [
        ("channel.merging", "none"),
        ("channel.merging", "cache"),
        ("flash.planes", "1"),
        ("storage.medium", "memory"),
    ] {
        assert_eq!(tlc(&[alone]).expect("a board").flash.fold.planes(), 1, "{alone:?}");
    }
    // Where channels schedule, they join operations themselves.
    let own = resolve("ocowfc", &[]).expect("a board");
    assert_eq!((own.flash.fold.planes(), own.firmware.joined_planes), (1, 2));
}

fn assert_near(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 1e-4, "{found} MB/s, by hand {by_hand}");
}

/// Numbers are worked out by hand beside them.
#[test]
fn sizes_and_ceilings_are_those_of_all_planes() {
    let board = resolve("tlc-2024", &[]).expect("a board");
    let geometry = board.firmware.geometry;
    // 800 blocks of 2,784 pages are 200 of 928 word lines of 3 x 4 pages of 16 KiB; 40 spare blocks are 10.
    assert_eq!((geometry.blocks_per_way, geometry.pages_per_block), (200, 928));
    assert_eq!(geometry.page_bytes, 12 * 16_384);
    assert_eq!(board.firmware.spare_blocks_per_way, 10);
    let capacity = board.capacity();
    assert_eq!(capacity.flash_bytes, 64 * 800 * 2784 * 16_384);
    // Two blocks more are kept, and 7 % over what is left to the host: 2.05 TB.
    assert_eq!(capacity.host_bytes, 64 * (200 - 10 - 2) * 928 * 100 / 107 * 12 * 16_384);
    let apart = resolve("tlc-2024", &[("channel.merging", "none")]).expect("a board");
    let dies = |board: &Board, nth: usize| {
        let ceiling = &board.ceilings()[nth];
        let dies = ceiling.limits.iter().find(|limit| limit.part == "dies").expect("dies");
        (dies.amount, ceiling.lowest().part)
    };
    // A flash page is 16,384 B and 2,048 spare bytes: at 2,400 MB/s 7.68 us.
    let page_us = 18_432.0 / 2400.0;
    // 64 dies x 12 pages in 12 x 7.68 us and 1,199 us; a plane alone programs 3 pages in 3 x 7.68 us and 1,199 us.
    let (together, limit) = dies(&board, 1);
    assert_near(together, 64.0 * 12.0 * 16_384.0 / (12.0 * page_us + 1199.0));
    assert_eq!(limit, "host link", "6,900 MB/s");
    let (one, limit) = dies(&apart, 1);
    assert_near(one, 64.0 * 3.0 * 16_384.0 / (3.0 * page_us + 1199.0));
    assert_eq!(limit, "dies");
    // Reads are of one plane, as they were.
    assert_eq!(dies(&board, 0), dies(&apart, 0));
    assert_eq!(dies(&board, 2), dies(&apart, 2));
}

#[test]
fn what_does_not_go_together_with_them_is_refused() {
    #[rustfmt::skip]
    let cases: [(&[(&str, &str)], &str); 5] = [
        (&[("ftl.bad_blocks", "scan")],
         "--set: ftl.bad_blocks: found \"scan\", expected table, as channel.merging has planes act together: each has marks of its own"),
        (&[("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "216"), ("recovery.log_entries", "6"), ("power_loss.capacitor_millijoules", "900")],
         "--set: power_loss.capacitor_millijoules: found 900, expected 0, as 48 mapping units are programmed together, and metadata tell when each was planned of at most 16"),
        (&[("ftl.mapping_unit_bytes", "4096")],
         "--set: flash.metadata_bytes: found 68, expected at least 216, for the 48 mapping units that are programmed together"),
        (&[("geometry.blocks_per_way", "126")],
         "--set: geometry.blocks_per_way: found 126, expected a multiple of flash.planes, which is 4"),
        (&[("geometry.blocks_per_way", "12")],
         "--set: geometry.blocks_per_way: found 12, expected at least 16, for spares, reserve and data"),
    ];
    for (set, line) in cases {
        assert_eq!(tlc(set).expect_err("refused"), line);
    }
}

/// A bad block takes the blocks of the other planes with it: of 128 blocks a way, 32 of the firmware's, 2 spares bear one bad block.
#[test]
fn spares_are_counted_as_the_firmware_sees_them() {
    let set =
        |rate| [("ftl.spare_blocks_per_way", "8"), ("errors.factory_bad_blocks_per_million", rate)];
    assert!(tlc(&set("7812")).is_ok());
    let line = tlc(&set("7813")).expect_err("refused");
    assert_eq!(line, "--set: errors.factory_bad_blocks_per_million: found 7813, expected at most 7812, half the share of ftl.spare_blocks_per_way");
}

/// Programs and erases of four planes take the power of four.
#[test]
fn a_capacitor_feeds_all_planes() {
    let set = |merging| {
        [
            ("recovery.log_entries", "6"),
            ("power_loss.capacitor_millijoules", "900"),
            ("flash.metadata_bytes", "148"),
            ("channel.merging", merging),
        ]
    };
    let costs =
        |merging| tlc(&set(merging)).expect("a board").firmware.reserve.expect("a capacitor").costs;
    let (one, all) = (costs("none"), costs("planes"));
    assert_eq!(all.die_mw, 4 * one.die_mw);
    assert_eq!(all.transfer_pj, 4 * one.transfer_pj);
    assert!(all.program >= one.program && all.program.as_ps() < one.program.as_ps() + 10_000_000);
}
