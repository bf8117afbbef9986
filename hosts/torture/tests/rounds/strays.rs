//! Programs that go astray below the drive: a read of what is lost with one is an error, and never wrong data. Where the power
//! goes away, it may be data of before.

use firmware::planted::{plant, Bug};
use torture::faults::{Fault, Faults};
use torture::rounds::Torture;
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::{plan, run, seeds, Length, Overrides};
use crate::power::with_log;

const LENGTH: Length = Length { commands: 4_000, turns_between_cuts: 80 };
const CONTROLLER: (&str, &str) = ("channel.scheduler", "controller");
const OUT_OF_ORDER: (&str, &str) = ("channel.execution", "out-of-order");
const PARTS: (&str, &str) = ("channel.read_unit_bytes", "4096");
const UNITS: [(&str, &str); 2] =
    [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "84")];

/// A map of many parts, so that some have an older snapshot than a page of the log that was lost.
const MANY_PARTS: [(&str, &str); 4] = [
    UNITS[0],
    UNITS[1],
    ("geometry.blocks_per_way", "256"),
    ("recovery.snapshots_per_journal_page", "1"),
];

/// Who schedules, what is read at once, and how much of a page is mapped by itself.
const BOARDS: [Overrides; 8] = [
    &[],
    &[CONTROLLER, OUT_OF_ORDER],
    &[PARTS],
    &[PARTS, CONTROLLER, OUT_OF_ORDER],
    &UNITS,
    &[UNITS[0], UNITS[1], PARTS, CONTROLLER, OUT_OF_ORDER],
    &[UNITS[0], UNITS[1], PARTS],
    &[
        CONTROLLER,
        OUT_OF_ORDER,
        ("channel.merging", "planes-and-cache"),
        ("flash.planes", "2"),
        ("errors.program_failures_per_billion", "400000"),
    ],
];

fn faults() -> Faults {
    Faults::of(&[Fault::Astray, Fault::Power, Fault::Resets, Fault::Queues, Fault::Aborts])
}

#[test]
fn what_goes_astray_is_lost_and_never_read_as_other_data() {
    for (overrides, first) in BOARDS.into_iter().zip((1..).step_by(10)) {
        let rounds = seeds(first..first + 2).map(|seed| {
            let outcome = run(seed, &with_log(overrides), (faults(), LENGTH));
            let Outcome { cuts, done, lost, astray, hit, .. } = outcome;
            let is_cut = seed % 2 == 1 && !overrides.contains(&PARTS);
            assert_eq!((cuts > 0, hit > 0), (is_cut, is_cut), "{overrides:?} seed {seed}");
            assert!(astray > 100 && lost > 50 && done > 1_000, "{overrides:?} {outcome:?}");
            outcome
        });
        let total = rounds.fold(Outcome::default(), Outcome::and);
        println!("{overrides:?}: {total:?}");
        assert!(total.moves > 100, "{overrides:?}: {total:?}");
    }
}

/// Each of the two looks at a page finds what the other does not.
#[test]
fn a_drive_that_does_not_look_at_what_it_reads_is_found() {
    for (bug, overrides) in [
        (Bug::MetadataIgnored, BOARDS[0]),
        (Bug::MetadataIgnored, BOARDS[1]),
        (Bug::ErasedTakenForData, BOARDS[2]),
        (Bug::ErasedTakenForData, BOARDS[3]),
    ] {
        let plans = (1..11).map(|seed| plan(seed, &with_log(overrides), (faults(), LENGTH)));
        plant(Some(bug));
        let found = plans.into_iter().find(|plan| attempt(plan).is_err());
        plant(None);
        let found = found.unwrap_or_else(|| panic!("{bug:?} is not found, {overrides:?}"));
        assert_eq!(attempt(&found).err(), None, "{bug:?}: the round without it");
    }
}

/// Recovery reads on behind pages whose programs were lost, and asks for pages of the log that others tell of.
#[test]
fn a_recovery_that_does_not_miss_what_chips_lost_is_found() {
    for (bug, board, step) in
        [(Bug::LostTakenForEnd, &[][..], 2), (Bug::MissedLogIgnored, &MANY_PARTS[..], 8)]
    {
        let seeds = (1..1 + 40 * step).step_by(step as usize);
        let mut plans = seeds.map(|seed| plan(seed, &with_log(board), (faults(), LENGTH)));
        plant(Some(bug));
        let found = plans.find(|plan| attempt(plan).is_err());
        plant(None);
        let found = found.unwrap_or_else(|| panic!("{bug:?} is not found"));
        assert_eq!(attempt(&found).err(), None, "{bug:?}: the round without it");
    }
}

/// Drives of any kind, whatever else goes wrong.
#[test]
fn random_drives_whose_programs_go_astray_break_no_promise() {
    let faults = Faults::of(&Fault::ALL);
    let torture = Torture { board: None, commands: 400, faults, cut_every: None };
    let rounds = seeds(1..81).map(|seed| {
        let plan = torture.plan(seed).expect("a drive");
        attempt(&plan).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}; {:?}", plan.values))
    });
    let total = rounds.fold(Outcome::default(), Outcome::and);
    println!("{total:?}");
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    let enough = total.astray > 1_000 && total.lost > 500 && total.cuts > 100;
    assert!(asked || enough, "{total:?}");
}
