//! Drives whose channels move parts of pages.

use board::Board;
use sim::{Payload, Polling, Stamp};

use crate::plain::{Bench, DATA};
use crate::storms::{seeds, storm, Outcome, Overrides};

/// Seed of what stamps expand into.
const SEED: u64 = 7;

/// Quarters of pages, which are blocks; and the chunks of the error correction.
const QUARTERS: (&str, &str) = ("channel.read_unit_bytes", "4096");
const CHUNKS: (&str, &str) = ("channel.read_unit_bytes", "256");
const CONTROLLER: (&str, &str) = ("channel.scheduler", "controller");
const OUT_OF_ORDER: (&str, &str) = ("channel.execution", "out-of-order");
const PROGRAM_FAILURES: (&str, &str) = ("errors.program_failures_per_billion", "400000");
const ERASE_FAILURES: (&str, &str) = ("errors.erase_failures_per_billion", "4000000");
const BAD_BLOCKS: (&str, &str) = ("errors.factory_bad_blocks_per_million", "20000");
const WRONG_BITS: (&str, &str) = ("errors.raw_bits_per_terabit", "1800000000");

#[test]
fn a_sound_drive_of_parts_keeps_its_data_in_a_storm() {
    const BOARDS: [Overrides; 5] = [
        &[QUARTERS],
        &[CHUNKS, ("ftl.cache", "write-through"), ("ftl.buffer_kib", "256")],
        &[QUARTERS, CONTROLLER, OUT_OF_ORDER],
        &[QUARTERS, CONTROLLER, ("channel.execution", "sequential")],
        &[
            ("channel.read_unit_bytes", "8192"),
            CONTROLLER,
            OUT_OF_ORDER,
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
        ],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((401..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let Outcome { counters, lost, done, differed, .. } = storm(seed, 1_000, overrides);
            assert_eq!((lost, counters.bad_blocks), (0, 0), "{overrides:?}");
            assert!(counters.moves > 0 && done > 1_500 && differed > 10, "{overrides:?}");
        }
    }
}

#[test]
fn a_failing_drive_of_parts_keeps_its_data_in_a_storm() {
    const BOARDS: [Overrides; 3] = [
        &[
            QUARTERS,
            PROGRAM_FAILURES,
            ERASE_FAILURES,
            BAD_BLOCKS,
            WRONG_BITS,
            ("ftl.read_retries", "8"),
        ],
        &[QUARTERS, CONTROLLER, OUT_OF_ORDER, PROGRAM_FAILURES, ERASE_FAILURES, BAD_BLOCKS],
        &[
            CHUNKS,
            CONTROLLER,
            ("channel.execution", "decoupled"),
            PROGRAM_FAILURES,
            WRONG_BITS,
            ("ftl.read_retries", "8"),
            ("ftl.cache", "write-through"),
        ],
    ];
    let (mut bad, mut retries) = (0, 0);
    for (overrides, first) in BOARDS.into_iter().zip((501..).step_by(10)) {
        for seed in seeds(first..first + 3) {
            let Outcome { counters, lost, .. } = storm(seed, 1_000, overrides);
            assert_eq!((lost, counters.lost_writes), (0, 0), "{overrides:?} seed {seed}");
            (bad, retries) = (bad + counters.bad_blocks, retries + counters.read_retries);
        }
    }
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || bad >= 3 && retries > 10, "{bad} blocks failed, {retries} pages read again");
}

#[test]
fn lost_data_of_parts_are_never_invented_in_a_storm() {
    const LOSSY: [Overrides; 3] = [
        &[QUARTERS, WRONG_BITS, ("ftl.read_retries", "0")],
        &[QUARTERS, WRONG_BITS, ("ftl.read_retries", "0"), CONTROLLER, OUT_OF_ORDER],
        &[CHUNKS, WRONG_BITS, ("ftl.read_retries", "0"), ("ftl.cache", "write-through")],
    ];
    // At 630 a write replaces the only part of its page that its entry lacks, and that part cannot be read.
    for (overrides, first) in LOSSY.into_iter().zip([628, 611, 621]) {
        for seed in seeds(first..first + 4) {
            // Of 1,000 steps on a drive that begins empty, 27 commands are lost on average, and 9 by chance.
            let Outcome { counters, lost, .. } = storm(seed, 2_000, overrides);
            assert!(lost > 10 && counters.moves > 0, "{overrides:?}: {lost} lost, {counters:?}");
        }
    }
}

/// A read of a block of a page takes the bus for a quarter of the page's bytes, in real bytes too.
#[test]
fn a_read_of_a_block_takes_the_time_of_its_chunks() {
    // 200 MB/s: 16 chunks of 256 bytes with 20 of parity, and what the controller takes; or 64 chunks and
    // the whole spare area of 1,664 bytes.
    let part_us = 4416.0 / 200.0;
    let page_us = [(16_384.0 + 1664.0) / 200.0, (16_384.0 + 64.0 * 20.0 + 24.0) / 200.0];
    for (grain, payload) in [
        (0, Payload::Stamps { block_bytes: 4096 }),
        (1, Payload::Stamps { block_bytes: 4096 }),
        (1, Payload::Bytes { block_bytes: 4096, seed: SEED }),
    ] {
        let took = |unit: &str| {
            let scheduler = ["firmware", "controller"][grain];
            let set = [
                ("channel.read_unit_bytes", unit),
                ("channel.scheduler", scheduler),
                ("channel.execution", "out-of-order"),
                ("errors.raw_bits_per_terabit", "0"),
            ];
            let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
            let board = Board::resolve("small", &set).unwrap();
            let mut bench = Bench::new(&board, payload, Polling::Skip);
            bench.drive.precondition(firmware::ftl::precondition::Precondition::Sequential);
            bench.start_once();
            let before = bench.drive.usage().channel_busy_ps;
            let read = bench.read(5, 1).unwrap();
            let found = match payload {
                Payload::Stamps { .. } => Some(read[0]),
                Payload::Bytes { .. } => {
                    let bytes = &bench.drive.host_mut().memory.0[DATA as usize..][..4096];
                    Stamp::of_bytes(SEED, bytes)
                }
            };
            assert_eq!(found, Some(Stamp::new(5, 1)));
            let after = bench.drive.usage().channel_busy_ps;
            let busy: u64 = after.iter().zip(&before).map(|(after, before)| after - before).sum();
            busy as f64 / 1e6
        };
        let (part, page) = (took("4096"), took("0"));
        assert!(part > part_us, "{part} us, without commands {part_us}");
        let saved = page - part;
        let expected = page_us[grain] - part_us;
        assert!((saved - expected).abs() < 0.05, "grain {grain}: {saved} us, by hand {expected}");
    }
}
