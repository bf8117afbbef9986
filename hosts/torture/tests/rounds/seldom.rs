//! Rounds in which a drive is formatted, goes on from a snapshot, or lies without power for long.

use std::ops::Range;

use firmware::planted::{plant, Bug};
use torture::faults::Faults;
use torture::plan::{Act, Command, Plan, Step};
use torture::rounds::Torture;
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

fn plan(seed: u64) -> Plan {
    let torture = Torture { board: None, commands: 600, faults: Faults::all(), cut_every: None };
    torture.plan(seed).expect("a drive")
}

/// What rounds of some seeds come to in which such a step is.
fn rounds_with(is_it: fn(&Step) -> bool, among: Range<u64>) -> (Outcome, u64) {
    let plans = seeds(among).map(|seed| (seed, plan(seed)));
    let some = plans.filter(|(_, plan)| plan.steps.iter().any(is_it));
    some.fold((Outcome::default(), 0), |(total, rounds), (seed, plan)| {
        let outcome = attempt(&plan).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}"));
        (total.and(outcome), rounds + 1)
    })
}

#[test]
fn a_format_frees_everything_and_no_power_loss_takes_it_back() {
    let is_format = |step: &Step| matches!(step, Step::Format);
    let (total, rounds) = rounds_with(is_format, 1..161);
    println!("{rounds} rounds: {total:?}");
    assert!(total.formats > 50 && total.cuts > 50 && total.done > 3_000, "{total:?}");
    let plans = (1..161).map(plan).filter(|plan| plan.steps.iter().any(is_format));
    plant(Some(Bug::FormatNotRecorded));
    let found = plans.into_iter().find(|plan| attempt(plan).is_err());
    plant(None);
    let found = found.expect("a round finds a format that is not recorded");
    assert_eq!(attempt(&found).err(), None, "the round without the bug");
}

/// Verifies and aborts beside everything else, with power losses.
#[test]
fn what_is_verified_can_be_read_and_what_is_aborted_may_be_done_or_not() {
    let verifies = |step: &Step| {
        let is_verify = |command: &Command| command.act == Act::Verify;
        matches!(step, Step::Submit { commands, .. } if commands.iter().any(is_verify))
    };
    let (total, rounds) = rounds_with(verifies, 1..561);
    println!("{rounds} rounds: {total:?}");
    assert!(total.aborted > 50 && total.cuts > 200 && total.done > 40_000, "{total:?}");
}

#[test]
fn a_drive_goes_on_from_a_snapshot_as_if_nothing_had_happened() {
    let (total, rounds) = rounds_with(|step| matches!(step, Step::SaveAndRestore), 1..161);
    println!("{rounds} rounds: {total:?}");
    assert!(total.snapshots > 50 && total.done > 3_000, "{total:?}");
}

/// Up to 600 hours a page is sound, and losses would be violations. Behind that they are not, and wrong data always.
#[test]
fn what_a_drive_holds_after_long_without_power_is_right_or_an_error() {
    let (total, rounds) = rounds_with(|step| matches!(step, Step::Shelve { .. }), 1..161);
    println!("{rounds} rounds: {total:?}");
    assert!(total.hours > 3_000 && total.done > 2_000 && total.lost > 0, "{total:?}");
}
