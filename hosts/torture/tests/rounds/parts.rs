//! Storms on drives whose channels move parts of pages.

use torture::storm::Outcome;

use crate::boards::{seeds, Overrides};
use crate::storms::storm;

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
        for seed in seeds(first..first + 1) {
            let Outcome { moves, bad_blocks, lost, done, differed, .. } = storm(seed, overrides);
            assert_eq!((lost, bad_blocks), (0, 0), "{overrides:?}");
            assert!(moves > 0 && done > 1_500 && differed > 10, "{overrides:?}");
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
        for seed in seeds(first..first + 2) {
            let Outcome { bad_blocks, lost_writes, read_retries, lost, .. } =
                storm(seed, overrides);
            assert_eq!((lost, lost_writes), (0, 0), "{overrides:?} seed {seed}");
            (bad, retries) = (bad + bad_blocks, retries + read_retries);
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
    for (overrides, first) in LOSSY.into_iter().zip([628, 611, 621]) {
        for seed in seeds(first..first + 2) {
            // Of 1,000 steps on a drive that begins empty, 27 commands are lost on average, and 9 by chance.
            let Outcome { moves, lost, .. } = storm(seed, overrides);
            assert!(lost > 10 && moves > 0, "{overrides:?}: {lost} lost, {moves} moves");
        }
    }
}
