//! Rounds on drives whose firmware is divided between cores: messages on the way change nothing in what holds.

use torture::faults::{Fault, Faults};
use torture::rounds::Torture;
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::{lawful, run, seeds, Length, Overrides};
use crate::power::with_log;

const LENGTH: Length = Length { commands: 1_500, turns_between_cuts: 80 };
const HOST_COMPLETES: (&str, &str) = ("host.completer", "firmware");
const APART: (&str, &str) = ("processor.cores", "host; ftl; channels 0; channels 1");
/// Longer than a turn of any core, so that much is on the way.
const SLOW: (&str, &str) = ("processor.message_latency_ns", "40000");

#[test]
fn what_was_durable_outlives_the_power_on_several_cores() {
    const BOARDS: [Overrides; 5] = [
        &[("processor.cores", "host, ftl; channels")],
        &[("processor.cores", "host; ftl, channels"), HOST_COMPLETES],
        &[APART, HOST_COMPLETES, SLOW],
        &[APART, HOST_COMPLETES, ("ftl.cache", "write-through"), ("nvme.dma_requests", "1")],
        &[("processor.cores", "ftl, channels 1; host, channels 0"), HOST_COMPLETES],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((601..).step_by(10)) {
        for seed in seeds(first..first + 1) {
            let Outcome { cuts, done, lost, .. } =
                run(seed, &with_log(overrides), (lawful(), LENGTH));
            assert!(cuts >= 1 && done > 300, "{overrides:?}: {cuts} cuts, {done} done");
            assert_eq!(lost, 0, "{overrides:?} seed {seed}");
        }
    }
}

/// Ways halt and go on by messages, reads are tried again, chips are reset.
#[test]
fn failures_are_mended_on_several_cores() {
    const FAILURES: (&str, &str) = ("errors.program_failures_per_billion", "2000000");
    const ERASES: (&str, &str) = ("errors.erase_failures_per_billion", "12000000");
    const SPARES: (&str, &str) = ("ftl.spare_blocks_per_way", "16");
    const HANGS: (&str, &str) = ("errors.hangs_per_billion", "2000000");
    const TIMEOUT: (&str, &str) = ("channel.busy_timeout_us", "20000");
    const BOARDS: [Overrides; 3] = [
        &[APART, HOST_COMPLETES, FAILURES, ERASES, SPARES],
        &[APART, HOST_COMPLETES, SLOW, FAILURES, ERASES, SPARES, HANGS, TIMEOUT],
        &[("processor.cores", "host, ftl; channels"), FAILURES, ERASES, SPARES],
    ];
    let mut total = Outcome::default();
    for (overrides, first) in BOARDS.into_iter().zip((701..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let outcome = run(seed, &with_log(overrides), (lawful(), LENGTH));
            assert_eq!(outcome.lost, 0, "{overrides:?} seed {seed}");
            total = total.and(outcome);
        }
    }
    assert!(total.bad_blocks > 5, "{total:?}");
}

/// Drives of a board with several cores are drawn with several cores.
#[test]
fn rounds_are_drawn_on_several_cores() {
    let torture = Torture {
        board: Some("fast-16x4".to_owned()),
        commands: 150,
        faults: Faults::of(&[Fault::Power, Fault::Blocks]),
        cut_every: None,
    };
    for seed in 1..4 {
        let plan = torture.plan(seed).expect("a small drive of the board");
        assert!(plan.values.iter().any(|(key, _)| key == "processor.cores"), "{:?}", plan.values);
        assert_eq!(attempt(&plan).err(), None, "seed {seed}");
    }
}
