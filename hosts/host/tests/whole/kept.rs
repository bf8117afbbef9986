//! Drives that are kept between runs: what comes after a snapshot is what would have come without.

use std::path::Path;

use host::snapshot::Snapshot;
use host::{run_kept, Prepared, Watchers};

use super::*;

/// Writes, overwrites, deallocations, and reads that check them.
const BEFORE: &str = "[write]\nrw=randrw\nbs=4k\niodepth=16\nsize=8m\nnumber_ios=500\n\
    [free]\nstonewall\nrw=randtrim\nbs=16k\nsize=4m\nnumber_ios=40\n\
    [large]\nstonewall\nrw=write\nbs=64k\niodepth=4\nsize=6m\noffset=1m\n";
/// More of the same beyond where the first run was, too.
const AFTER: &str = "[read]\nrw=randread\nbs=4k\niodepth=8\nsize=12m\nnumber_ios=300\n\
    [write]\nstonewall\nrw=randrw\nbs=8k\niodepth=16\nsize=12m\nnumber_ios=250\n";

type Set = &'static [(&'static str, &'static str)];

/// Drives by what of their state is different.
const DRIVES: [(&str, &str, Set); 14] = [
    ("phases", "small", &[]),
    ("a log", "small", &[("recovery.log_entries", "8")]),
    (
        "a capacitor",
        "small",
        &[("recovery.log_entries", "8"), ("power_loss.capacitor_millijoules", "100")],
    ),
    (
        "bad blocks",
        "small",
        &[
            ("ftl.spare_blocks_per_way", "8"),
            ("ftl.bad_blocks", "scan"),
            ("errors.factory_bad_blocks_per_million", "50000"),
            ("errors.program_failures_per_billion", "3000000"),
        ],
    ),
    (
        "a map in part",
        "small",
        &[
            ("geometry.blocks_per_way", "128"),
            ("recovery.log_entries", "16"),
            ("ftl.map_cache_bytes", "294336"),
            ("ftl.mapping_unit_bytes", "4096"),
            ("flash.metadata_bytes", "36"),
        ],
    ),
    (
        "cores",
        "small",
        &[("processor.cores", "host; ftl, channels 0; channels 1"), ("host.completer", "firmware")],
    ),
    (
        "channels that schedule",
        "small",
        &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
    ),
    ("memory", "openexpress", &[]),
    (
        "streams apart, and wear",
        "small",
        &[("ftl.streams", "apart"), ("ftl.wear_levelling", "static"), ("ftl.victim", "random")],
    ),
    (
        "cells that age, and a patrol",
        "small",
        &[
            ("errors.raw_bits_per_terabit", "900000000"),
            ("errors.disturb_bits_per_terabit_per_kiloread", "1000000"),
            ("ftl.refresh_bits", "10"),
            ("ftl.patrol_interval_us", "300"),
        ],
    ),
    (
        "planes that act together",
        "small",
        &[
            ("flash.cell_mode", "tlc"),
            ("flash.cell_bits", "3"),
            ("flash.program", "one-shot"),
            ("flash.pages_per_physical_block", "24"),
            ("flash.planes", "4"),
            ("channel.merging", "planes"),
            ("geometry.blocks_per_way", "128"),
            ("ftl.mapping_unit_bytes", "4096"),
            ("flash.metadata_bytes", "216"),
            ("ftl.buffer_kib", "3072"),
            ("errors.disturb_bits_per_terabit_per_kiloread", "1000000"),
        ],
    ),
    ("collection ahead", "small", &[("ftl.background_collection_pages", "64")]),
    ("chips that wear", "small", &[("errors.raw_bits_per_terabit_per_kilocycle", "100000000000")]),
    ("reads that are repeated", "small", &[("errors.raw_bits_per_terabit", "2500000000")]),
];

fn read(path: &Path) -> Prepared {
    let mut snapshot = Snapshot::open(path).expect("it is sound");
    Prepared::read(&mut snapshot, Polling::Skip).expect("it can be read")
}

fn write(prepared: &Prepared, board: &Board, path: &Path) {
    let mut file = std::fs::File::create(path).expect("a file");
    prepared.write(board, &mut file).expect("it is written");
}

#[test]
fn what_comes_after_a_snapshot_is_what_would_have_come_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("drive.snap");
    for (what, board, set) in DRIVES {
        // Chips keep bytes apart from what is in tables; the rest of a drive is the same with them.
        let has_bytes = ["phases", "a log", "bad blocks", "memory"].contains(&what);
        let payloads = [PayloadForm::Stamps, PayloadForm::Bytes];
        for &payload in &payloads[..1 + usize::from(has_bytes)] {
            let set = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
            let run = Run { board, set, payload, ..Run::new() };
            let board = Board::resolve(run.board, &run.set).expect("the board");
            let [before, after] = [BEFORE, AFTER].map(|text| parse_file("job.fio", text).unwrap());
            let first = || run_kept(run.request(&board, &before), Watchers::default(), &mut |_| ());
            let second = Run { seed: 9, ..run.clone() };
            let second = second.request(&board, &after);
            let (result, drive) = first().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(drive.is_at_rest(), "{what}");
            assert_eq!(printed(result), printed(run.go(BEFORE)), "{what}: kept or not");
            write(&drive, &board, &path);
            let on = |drive: Prepared| {
                let ran = drive.go_on(second, Watchers::default(), &mut |_| ());
                let (result, drive) = ran.unwrap_or_else(|error| panic!("{what}: {error}"));
                (printed(result), drive)
            };
            let of_file = read(&path);
            let of_copy = of_file.run(second, Watchers::default(), &mut |_| ());
            let (expected, drive) = on(drive);
            assert_eq!(printed(of_copy.expect("a result")), expected, "{what}: a copy");
            let (found, of_file) = on(of_file);
            assert_eq!(found, expected, "{what}: from a snapshot");
            // Nor does a second snapshot know of the first.
            let again = folder.path().join("again.snap");
            write(&drive, &board, &path);
            write(&of_file, &board, &again);
            let same = std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap();
            assert!(same, "{what}: snapshots of the same drive");
        }
    }
}
