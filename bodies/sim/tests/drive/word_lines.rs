//! Drives whose chips program word lines as a whole: what a program fills, what it takes, and what it leaves.

use board::Board;
use contract::Medium;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;

use torture::bench::Bench;

const STAMPS: Payload = Payload::Stamps { block_bytes: 4096 };
const BYTES: Payload = Payload::Bytes { block_bytes: 4096, seed: 7 };
/// Blocks of a flash page.
const BLOCKS: u64 = 4;

const TLC: [(&str, &str); 5] = [
    ("flash.cell_mode", "tlc"),
    ("flash.cell_bits", "3"),
    ("flash.program", "one-shot"),
    ("flash.pages_per_physical_block", "96"),
    ("flash.metadata_bytes", "68"),
];

const QLC: [(&str, &str); 5] = [
    ("flash.cell_mode", "qlc"),
    ("flash.cell_bits", "4"),
    ("flash.program", "two-pass"),
    ("flash.pages_per_physical_block", "128"),
    ("flash.metadata_bytes", "84"),
];

/// TLC of which two planes act together, so that a page has six flash pages.
const PLANES: [(&str, &str); 9] = [
    ("flash.cell_mode", "tlc"),
    ("flash.cell_bits", "3"),
    ("flash.program", "one-shot"),
    ("flash.pages_per_physical_block", "48"),
    ("flash.metadata_bytes", "68"),
    ("flash.planes", "2"),
    ("channel.merging", "planes"),
    ("ftl.spare_blocks_per_way", "4"),
    ("ftl.buffer_kib", "1536"),
];

const LOG: [(&str, &str); 2] = [("geometry.blocks_per_way", "48"), ("recovery.log_entries", "6")];

fn board(more: &[&[(&str, &str)]]) -> Board {
    let all = more.concat();
    let all: Vec<_> = all.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Board::resolve("small", &all).expect("the board")
}

fn flush(bench: &mut Bench) {
    let header = Header { cid: 0, nsid: 1, ..Header::default() };
    bench.io(&[IoCommand::Flush.emit(header)]);
}

fn page_of(lba: u64, version: u32) -> Vec<Stamp> {
    (lba..lba + BLOCKS).map(|lba| Stamp::new(lba, version)).collect()
}

fn programs(bench: &Bench) -> u64 {
    bench.drive.firmware().counters().programs
}

#[test]
fn the_pages_of_a_word_line_are_programmed_together_and_read_one_by_one() {
    for (chips, together) in [(&TLC[..], 3), (&QLC, 4), (&PLANES, 6)] {
        let board = board(&[chips]);
        assert_eq!(board.firmware.geometry.page_bytes, together as u32 * 16_384);
        let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
        bench.start_once();
        // Two word lines and a page more, in no order.
        let pages: Vec<u64> = (0..2 * together + 1).map(|nth| nth * 37 % 101 * BLOCKS).collect();
        for &lba in &pages {
            bench.write(lba, &page_of(lba, 5));
        }
        flush(&mut bench);
        assert_eq!(programs(&bench), 3, "{chips:?}");
        // What pushes them out of the buffer.
        for lba in 2000..2000 + u64::from(board.firmware.buffer_entries) {
            bench.read(lba * BLOCKS, 1).expect("readable");
        }
        let reads = bench.drive.firmware().counters().reads;
        for &lba in &pages {
            assert_eq!(bench.read(lba, BLOCKS as usize).expect("readable"), page_of(lba, 5));
        }
        assert_eq!(bench.drive.firmware().counters().reads - reads, pages.len() as u64);
    }
}

/// A write that has to reach flash takes a transfer for each flash page, whether it is filled or not, and the programs.
#[test]
fn a_word_line_takes_its_transfers_and_its_passes() {
    let still = [
        ("ftl.cache", "write-through"),
        ("flash.program_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
    ];
    let time = |board: &Board, pages: u64| {
        let mut bench = Bench::new(board, STAMPS, Polling::Skip);
        bench.start_once();
        let begun = bench.drive.now();
        let all: Vec<Stamp> = (0..pages * BLOCKS).map(|lba| Stamp::new(lba, 1)).collect();
        bench.write(0, &all);
        assert_eq!(programs(&bench), 1);
        (bench.drive.now() - begun) as f64 / 1e6
    };
    let bus_us = 90.24 + 2.5;
    for (chips, together, passes_us) in
        [(&TLC[..], 3.0, 1600.0), (&QLC, 8.0, 1600.0 + 3200.0), (&PLANES, 6.0, 1600.0)]
    {
        let board = board(&[chips, &still]);
        let least = together * bus_us + passes_us;
        let one = time(&board, 1);
        assert!(one > least && one < least + 120.0, "{one} us, at least {least} us");
        let full = time(&board, 3);
        assert!((full - one).abs() < 90.0, "{one} us for a page, {full} us for three");
        // Behind each flash page but the last of a pass the chip is busy, here for 40 us rather than half of one.
        let slow = time(&self::board(&[chips, &still, &[("flash.t_plane_busy_us", "40")]]), 1);
        let passes = if passes_us > 1600.0 { 2.0 } else { 1.0 };
        let between = together - passes;
        let longer = slow - one;
        assert!((longer - between * 39.5).abs() < 8.0, "{longer} us longer, {between} times 39.5");
    }
}

/// A word line that was cut off, between its transfers or in its program, is not there, and those before it are.
#[test]
fn a_word_line_that_was_cut_off_does_not_exist() {
    for chips in [&TLC[..], &QLC, &PLANES] {
        let board = board(&[chips, &LOG]);
        for cut_us in (0..80).map(|nth| nth * 70) {
            let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
            bench.drive.precondition(Precondition::Sequential);
            bench.start_once();
            for lba in [8, 400, 120] {
                bench.write(lba, &page_of(lba, 2));
            }
            flush(&mut bench);
            for lba in [8, 404, 120] {
                bench.write(lba, &page_of(lba, 3));
            }
            let header = Header { cid: 0, nsid: 1, ..Header::default() };
            bench.submit(1, &[IoCommand::Flush.emit(header)]);
            bench.sleep(cut_us * 1_000_000);
            let mut bench = bench.cut_power((&board, STAMPS));
            bench.wait_until_ready();
            bench.start_once();
            for lba in [8, 120, 400, 404] {
                let found = bench.read(lba, BLOCKS as usize).expect("readable");
                let version = found[0].version();
                assert_eq!(found, page_of(lba, version), "{cut_us} us: {lba}");
                let allowed = match lba {
                    400 => 2..=2,
                    404 => 1..=3,
                    _ => 2..=3,
                };
                assert!(allowed.contains(&version), "{cut_us} us: {lba} has version {version}");
            }
        }
    }
}

/// Drives in a used state hold their data, in either payload and with wrong bits of either kind.
#[test]
fn a_used_drive_holds_its_data() {
    // Levels as far apart as those of MLC would disturb each other too much if they were programmed in one go.
    let cells = [("errors.model", "cells"), ("cells.word_line_coupling_per_million", "3000")];
    for (chips, payload, errors) in [
        (&TLC[..], STAMPS, &[][..]),
        (&TLC, BYTES, &cells),
        (&QLC, BYTES, &[("errors.raw_bits_per_terabit", "20000000")]),
        (&QLC, STAMPS, &[("ftl.mapping_unit_bytes", "4096")]),
        (&PLANES, STAMPS, &[("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "120")]),
        (&PLANES, BYTES, &cells),
    ] {
        let board = board(&[chips, errors]);
        assert_eq!(board.firmware.medium, Medium::Flash);
        let mut bench = Bench::new(&board, payload, Polling::Skip);
        let (used, step) = match payload {
            STAMPS => (Precondition::Steady(3), 37),
            _ => (Precondition::Sequential, 211),
        };
        bench.drive.precondition(used);
        bench.start_once();
        let units = u64::from(board.firmware.logical_units());
        let blocks = units * u64::from(board.firmware.unit_bytes) / 4096;
        for lba in (0..blocks).step_by(step) {
            let found = bench.read(lba, 1).expect("readable");
            if payload == STAMPS {
                assert_eq!(found, [Stamp::new(lba, 1)]);
            } else {
                let mut bytes = [0; 4096];
                Stamp::new(lba, 1).fill(7, &mut bytes);
                let head = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                assert_eq!(found[0].to_bits(), head, "{lba}");
            }
        }
    }
}
