//! Rounds on random drives of one kind, on all cores.

use std::num::NonZeroUsize;

use torture::draft::Draft;
use torture::drives::PLAIN;
use torture::faults::Faults;
use torture::plan::{Data, Plan};
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

/// Commands of a round.
const COMMANDS: u32 = 80;

/// The plan of a seed and a number of commands; `None` where the seed's drive is none of the kind.
pub type MakePlan = fn(u64, u32) -> Option<Plan>;

/// A plan with all faults on the drive of these values: real bytes for one seed in ten, cuts near or far from each other.
pub fn plan(seed: u64, commands: u32, values: Vec<(String, String)>) -> Plan {
    let data = if seed % 10 == 3 { Data::Bytes } else { Data::Stamps };
    let turns_between_cuts = [5, 15, 60][(seed % 7 % 3) as usize];
    let (board, faults) = (PLAIN, Faults::all());
    let draft = Draft {
        seed,
        board,
        values,
        data,
        faults,
        commands,
        turns_between_cuts,
        cuts_are_given: false,
    };
    Plan::draw(draft).expect("the board")
}

/// Runs the seeds below `end` and those that found a bug, or the seeds that `TORTURE_SEEDS` asks for. What all rounds did together,
/// and how many there were; `None` where seeds were asked for, of which little can be expected.
pub fn run(end: u64, found: &[u64], plan: MakePlan) -> Option<(Outcome, u64)> {
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    let kept = found.iter().copied().filter(|seed| !asked && *seed >= end);
    let all: Vec<u64> = seeds(1..end).chain(kept).collect();
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = |nth: usize| {
        let (mut total, mut rounds) = (Outcome::default(), 0);
        for &seed in all.iter().skip(nth).step_by(jobs) {
            let Some(plan) = plan(seed, COMMANDS) else { continue };
            let outcome = attempt(&plan)
                .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}; {:?}", plan.values));
            (total, rounds) = (total.and(outcome), rounds + 1);
        }
        (total, rounds)
    };
    let (total, rounds) = std::thread::scope(|scope| {
        let all: Vec<_> = (0..jobs).map(|nth| scope.spawn(move || share(nth))).collect();
        all.into_iter().fold((Outcome::default(), 0), |(total, rounds), one| {
            let (own, more) = one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (total.and(own), rounds + more)
        })
    });
    println!("{rounds} rounds: {total:?}");
    (!asked).then_some((total, rounds))
}
