//! Random commands of every kind, many at once on several queues, against a history that knows every
//! permitted value: on drives that collect without end, wear out, lose pages; with resets, deleted
//! queues and switches of the write cache in between.
//!
//! `TORTURE_SEEDS=17` or `TORTURE_SEEDS=1..500` runs those seeds in place of the usual ones.

use torture::storm::Outcome;

use crate::boards::{lawful, run, seeds, Length, Overrides};

/// Rounds of some 1,000 turns.
pub fn storm(seed: u64, overrides: Overrides) -> Outcome {
    let length = Length { commands: 4_000, turns_between_cuts: u32::MAX };
    run(seed, overrides, (lawful(), length))
}

#[test]
fn a_sound_drive_keeps_its_data_in_a_storm() {
    const BOARDS: [Overrides; 12] = [
        &[],
        &[("host.completer", "firmware"), ("ftl.victim", "random")],
        &[("ftl.cache", "write-through"), ("ftl.victim", "cost-benefit")],
        &[("ftl.placement", "way-first"), ("nvme.dma_requests", "2"), ("ftl.victim", "d-choices")],
        &[("ftl.placement", "random"), ("channel.request_depth", "1")],
        &[("nvme.command_slots", "16"), ("ftl.buffer_kib", "256")],
        // No work ahead of need; all others have it.
        &[("ftl.background_flush_percent", "0"), ("ftl.background_collection_pages", "0")],
        // The channels schedule.
        &[("channel.scheduler", "controller"), ("channel.execution", "sequential")],
        &[("channel.scheduler", "controller"), ("channel.execution", "decoupled")],
        &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
            ("ftl.background_flush_percent", "0"),
            ("ftl.background_collection_pages", "0"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes"),
            ("flash.planes", "4"),
        ],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((1..).step_by(10)) {
        for seed in seeds(first..first + 1).chain([64]) {
            let Outcome { moves, bad_blocks, lost, done, differed, .. } = storm(seed, overrides);
            assert_eq!((lost, bad_blocks), (0, 0), "{overrides:?} seed {seed}");
            assert!(moves > 0, "{overrides:?} seed {seed}: collection ran");
            assert!(
                done > 1_500 && differed > 10,
                "{overrides:?}: {done} done, {differed} differed"
            );
        }
    }
}

/// Commands that run without firmware, beside those of the firmware on the same blocks.
#[test]
fn a_drive_of_memory_keeps_its_data_in_a_storm() {
    const MEMORY: (&str, &str) = ("storage.medium", "memory");
    const CAPACITY: (&str, &str) = ("memory.capacity_mib", "8");
    const AUTOMATED: (&str, &str) = ("automation.commands", "reads-and-writes");
    const BOARDS: [Overrides; 4] = [
        &[MEMORY, CAPACITY, AUTOMATED],
        &[MEMORY, CAPACITY, AUTOMATED, ("memory.channels", "4"), ("nvme.command_slots", "16")],
        &[MEMORY, CAPACITY, AUTOMATED, ("automation.task_us", "40")],
        &[MEMORY, CAPACITY],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((301..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let Outcome { lost, done, differed, automated, .. } = storm(seed, overrides);
            assert_eq!(lost, 0, "{overrides:?}");
            assert!(
                done > 1_500 && differed > 10,
                "{overrides:?}: {done} done, {differed} differed"
            );
            assert_eq!(automated > 1_000, overrides.contains(&AUTOMATED), "{automated} automated");
        }
    }
}

#[test]
fn a_failing_drive_keeps_its_data_in_a_storm() {
    const BOARDS: [Overrides; 7] = [
        &[
            ("errors.program_failures_per_billion", "400000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("errors.factory_bad_blocks_per_million", "20000"),
        ],
        &[
            ("errors.program_failures_per_billion", "400000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("errors.raw_bits_per_terabit", "1800000000"),
            ("ftl.read_retries", "8"),
            ("ftl.cache", "write-through"),
        ],
        &[
            ("errors.program_failures_per_billion", "400000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("ftl.background_flush_percent", "0"),
            ("ftl.background_collection_pages", "0"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("errors.program_failures_per_billion", "400000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("errors.factory_bad_blocks_per_million", "20000"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "decoupled"),
            ("errors.program_failures_per_billion", "400000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("errors.raw_bits_per_terabit", "1800000000"),
            ("ftl.read_retries", "8"),
            ("ftl.cache", "write-through"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
            ("errors.program_failures_per_billion", "800000"),
            ("errors.erase_failures_per_billion", "4000000"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "4"),
            ("geometry.blocks_per_way", "56"),
            ("ftl.spare_blocks_per_way", "16"),
            ("errors.program_failures_per_billion", "800000"),
            ("errors.erase_failures_per_billion", "4000000"),
            ("errors.factory_bad_blocks_per_million", "20000"),
        ],
    ];
    let (mut bad, mut retries) = (0, 0);
    for (overrides, first) in BOARDS.into_iter().zip([101, 111, 131, 141, 151, 161, 171]) {
        for seed in seeds(first..first + 2) {
            let Outcome { bad_blocks, lost_writes, read_retries, lost, .. } =
                storm(seed, overrides);
            assert_eq!((lost, lost_writes), (0, 0), "{overrides:?}");
            (bad, retries) = (bad + bad_blocks, retries + read_retries);
        }
    }
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || bad >= 5 && retries > 10, "{bad} blocks failed, {retries} pages read again");
}

#[test]
fn lost_data_are_never_invented_in_a_storm() {
    const LOSSY: [Overrides; 2] = [
        &[("errors.raw_bits_per_terabit", "1800000000"), ("ftl.read_retries", "0")],
        &[
            ("errors.raw_bits_per_terabit", "1800000000"),
            ("ftl.read_retries", "0"),
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
        ],
    ];
    for (overrides, first) in LOSSY.into_iter().zip([201, 211]) {
        for seed in seeds(first..first + 2) {
            let Outcome { moves, lost, .. } = storm(seed, overrides);
            assert!(lost > 10 && moves > 0, "{overrides:?}: {lost} lost, {moves} moves");
        }
    }
}
