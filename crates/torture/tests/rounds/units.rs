//! Rounds on drives whose pages have several mapping units.

use std::num::NonZeroUsize;

use board::Board;
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::{Data, Draft, Plan};
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

/// A random drive with small mapping units; `None` if the seed's drive has none: one of memory.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let faults = Faults::all();
    let mut values = values(seed, None, faults).expect("a drive");
    let unit = if seed % 3 == 0 { "8192" } else { "4096" };
    for (key, value) in [("ftl.mapping_unit_bytes", unit), ("flash.metadata_bytes", "84")] {
        values.push((key.to_owned(), value.to_owned()));
    }
    let board = Board::resolve(PLAIN, &values).ok()?;
    if board.firmware.units_per_page() == 1 {
        return None;
    }
    let data = if seed % 10 == 3 { Data::Bytes } else { Data::Stamps };
    let turns_between_cuts = [5, 15, 60][(seed % 7 % 3) as usize];
    let board = PLAIN;
    let draft = Draft { seed, board, values, data, faults, commands, turns_between_cuts };
    Some(Plan::draw(draft).expect("the board"))
}

#[test]
fn rounds_with_small_mapping_units_break_no_promise() {
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
    let share = |nth: u64| {
        let own = seeds(1..1_001).filter(move |seed| seed % jobs == nth);
        own.fold(Outcome::default(), |total, seed| {
            let Some(plan) = plan(seed, 80) else { return total };
            let outcome = attempt(&plan)
                .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}; {:?}", plan.values));
            total.and(outcome)
        })
    };
    let total = std::thread::scope(|scope| {
        let all: Vec<_> = (0..jobs).map(|nth| scope.spawn(move || share(nth))).collect();
        all.into_iter().fold(Outcome::default(), |total, one| {
            total.and(one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    });
    println!("{total:?}");
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || total.cuts > 800 && total.done > 30_000, "{total:?}");
}
