//! Rounds on drives with zones: they break no promise, with power losses and failing flash, and find every planted bug.

use std::num::NonZeroU32;

use firmware::planted::{plant, Bug};
use torture::faults::{Fault, Faults};
use torture::plan::Plan;
use torture::rounds::Torture;
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

fn plan(seed: u64) -> Plan {
    cut(seed, None)
}

/// A round whose power goes after so many commands each, or at random.
fn cut(seed: u64, every: Option<u32>) -> Plan {
    let board = Some("cosmos-plus-zns".to_owned());
    let faults = Faults::of(&[Fault::Power, Fault::Blocks]);
    let cut_every = every.and_then(NonZeroU32::new);
    let torture = Torture { board, commands: 500, faults, cut_every };
    torture.plan(seed).expect("a small drive of the board")
}

/// Seed 71: a zone was reset, written, finished and reset again at once. The Finish had ended before anything of it was durable, and after the
/// power loss the zone held what it had before all of that. Seed 114: a flush had its blocks in the log, the power went away twice, and a later
/// page of the zone was there, but not its first: of an older epoch than that page, the log did not count.
#[test]
fn rounds_with_frequent_power_losses_break_no_promise() {
    let mut cuts = 0;
    for seed in [71, 114].into_iter().chain(1..31) {
        let outcome = attempt(&cut(seed, Some(20)));
        cuts += outcome.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}")).cuts;
    }
    assert!(cuts > 500, "{cuts}");
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
        // Power losses at random find some bugs, and frequent ones others.
        let finds =
            |seed| [None, Some(20)].iter().any(|&every| attempt(&cut(seed, every)).is_err());
        let found = (1..=MOST_ROUNDS).find(|&seed| finds(seed));
        plant(None);
        if let Some(seed) = found {
            println!("{bug:?}: found with seed {seed}");
        }
        found.is_some()
    };
    let missed: Vec<_> = Bug::OF_ZONES.into_iter().filter(|bug| !is_found(bug)).collect();
    assert_eq!(missed, [], "bugs that {MOST_ROUNDS} rounds did not find");
}
