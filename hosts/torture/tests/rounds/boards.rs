//! Rounds on given boards, with the seeds that a test asks for or that `TORTURE_SEEDS` names.

use std::ops::Range;

use torture::draft::Draft;
use torture::drives::PLAIN;
use torture::faults::{Fault, Faults};
use torture::plan::{Data, Plan};
use torture::storm::Outcome;
use torture::violation::{attempt, Violation};

/// Keys of the board that are not the usual ones.
pub type Overrides = &'static [(&'static str, &'static str)];

/// Sizes that rounds fill, overwrite and collect in no time.
const USUAL: [(&str, &str); 5] = [
    ("geometry.blocks_per_way", "40"),
    ("flash.pages_per_physical_block", "32"),
    ("ftl.spare_blocks_per_way", "8"),
    ("ftl.buffer_kib", "512"),
    ("ftl.overprovision_percent", "12"),
];

/// How long a round is.
#[derive(Clone, Copy)]
pub struct Length {
    pub commands: u32,
    pub turns_between_cuts: u32,
}

/// Everything that a host does which obeys the specification.
pub fn lawful() -> Faults {
    Faults::of(&[Fault::Power, Fault::Resets, Fault::Queues, Fault::Aborts])
}

/// The plan of a seed on one of the boards.
pub fn plan(seed: u64, overrides: &[(&str, &str)], (faults, length): (Faults, Length)) -> Plan {
    let values = USUAL.iter().chain(overrides).map(|&(k, v)| (k.into(), v.into())).collect();
    let Length { commands, turns_between_cuts } = length;
    let data = Data::Stamps;
    let draft = Draft {
        seed,
        board: PLAIN,
        values,
        data,
        faults,
        commands,
        turns_between_cuts,
        cuts_are_given: false,
    };
    Plan::draw(draft).expect("the board")
}

/// Runs a plan, and says how to run it again if it panics.
pub fn run(seed: u64, overrides: &[(&str, &str)], how: (Faults, Length)) -> Outcome {
    let plan = plan(seed, overrides, how);
    attempt(&plan).unwrap_or_else(|Violation { what, step }| {
        panic!("step {step}: {what}; run again with TORTURE_SEEDS={seed}; {:?}", plan.values)
    })
}

/// The seeds to run: those asked for, or `usual`.
pub fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(asked) = std::env::var("TORTURE_SEEDS") else { return usual };
    let number = |text: &str| text.parse::<u64>().expect("TORTURE_SEEDS: a number or a range");
    match asked.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => number(&asked)..number(&asked) + 1,
    }
}
