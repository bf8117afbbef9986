//! Rounds on drives with zones: they break no promise, with power losses and failing flash, and find every planted bug.

use firmware::planted::{plant, Bug};
use torture::faults::{Fault, Faults};
use torture::plan::Plan;
use torture::rounds::Torture;
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

fn plan(seed: u64) -> Plan {
    let board = Some("cosmos-plus-zns".to_owned());
    let faults = Faults::of(&[Fault::Power, Fault::Blocks]);
    let torture = Torture { board, commands: 500, faults, cut_every: None };
    torture.plan(seed).expect("a small drive of the board")
}

#[test]
fn rounds_on_drives_with_zones_break_no_promise() {
    let mut total = Outcome::default();
    for seed in seeds(1..61) {
        let outcome = attempt(&plan(seed));
        total = total.and(outcome.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}")));
    }
    println!("{total:?}");
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || total.cuts > 100 && total.bad_blocks > 2, "{total:?}");
}

/// Rounds within which each planted bug is found.
const MOST_ROUNDS: u64 = 20;

#[test]
fn rounds_find_every_planted_bug_of_zones() {
    let is_found = |bug: &Bug| {
        plant(Some(*bug));
        let found = (1..=MOST_ROUNDS).find(|&seed| attempt(&plan(seed)).is_err());
        plant(None);
        if let Some(seed) = found {
            println!("{bug:?}: found with seed {seed}");
        }
        found.is_some()
    };
    let missed: Vec<_> = Bug::OF_ZONES.into_iter().filter(|bug| !is_found(bug)).collect();
    assert_eq!(missed, [], "bugs that {MOST_ROUNDS} rounds did not find");
}
