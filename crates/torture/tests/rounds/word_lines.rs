//! Rounds on drives whose chips program word lines as a whole.

use std::num::NonZeroUsize;

use board::Board;
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::{Data, Draft, Plan};
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

/// Cells, how they are programmed, and pages of a physical block.
const CHIPS: [[&str; 4]; 4] = [
    ["tlc", "3", "one-shot", "24"],
    ["qlc", "4", "two-pass", "24"],
    ["mlc", "2", "one-shot", "24"],
    ["qlc", "4", "one-shot", "32"],
];

/// A random drive of such chips; `None` if the seed's drive cannot be one.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let faults = Faults::all();
    let mut values = values(seed, None, faults).expect("a drive");
    let [mode, bits, program, pages] = CHIPS[(seed % 4) as usize];
    let unit = if seed % 5 == 0 { "4096" } else { "0" };
    for (key, value) in [
        ("flash.cell_mode", mode),
        ("flash.cell_bits", bits),
        ("flash.program", program),
        ("flash.pairing", "adjacent"),
        ("flash.pages_per_physical_block", pages),
        ("flash.metadata_bytes", "148"),
        ("ftl.mapping_unit_bytes", unit),
        ("channel.scheduler", "firmware"),
        ("channel.busy_timeout_us", "60000"),
        // A few pages, which are of up to four flash pages each.
        ("ftl.buffer_kib", if seed % 2 == 0 { "1024" } else { "1536" }),
        ("flash.die_deviation_us", "6"),
    ] {
        values.push((key.to_owned(), value.to_owned()));
    }
    let board = Board::resolve(PLAIN, &values).ok()?;
    if board.firmware.programming.flash_pages == 1 {
        return None;
    }
    let data = if seed % 10 == 3 { Data::Bytes } else { Data::Stamps };
    let turns_between_cuts = [5, 15, 60][(seed % 7 % 3) as usize];
    let board = PLAIN;
    let draft = Draft { seed, board, values, data, faults, commands, turns_between_cuts };
    Some(Plan::draw(draft).expect("the board"))
}

#[test]
fn rounds_with_whole_word_lines_break_no_promise() {
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
    let share = |nth: u64| {
        let own = seeds(1..401).filter(move |seed| seed % jobs == nth);
        own.fold((Outcome::default(), 0), |(total, rounds), seed| {
            let Some(plan) = plan(seed, 80) else { return (total, rounds) };
            let outcome = attempt(&plan)
                .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}; {:?}", plan.values));
            (total.and(outcome), rounds + 1)
        })
    };
    let (total, rounds) = std::thread::scope(|scope| {
        let all: Vec<_> = (0..jobs).map(|nth| scope.spawn(move || share(nth))).collect();
        all.into_iter().fold((Outcome::default(), 0), |(total, rounds), one| {
            let (outcome, own) =
                one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (total.and(outcome), rounds + own)
        })
    });
    println!("{rounds} rounds, {total:?}");
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || total.cuts > 300 && total.bad_blocks > 20, "{rounds} rounds, {total:?}");
}
