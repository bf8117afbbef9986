//! Rounds on drives that keep a part of their map in memory.

use std::num::NonZeroUsize;

use board::Board;
use firmware::planted::{plant, Bug};
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::{Data, Draft, Plan};
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::seeds;

/// A random drive, larger than others, of pages of 4 KiB, that keeps six parts and more of its map; `None` if all of
/// that would fit, or if it has no log.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let faults = Faults::all();
    let mut values = values(seed, None, faults).expect("a drive");
    // A drive that saves its buffer keeps all of its map.
    values.retain(|(key, _)| key != "power_loss.capacitor_millijoules");
    let of = |key: &str| values.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value);
    let log_entries: u64 = of("recovery.log_entries")?.parse().ok()?;
    let blocks: u64 = of("geometry.blocks_per_way")?.parse().ok()?;
    let parts = log_entries + 2 + seed % 3;
    // Some have such a map as they are drawn, and are large enough.
    let more = match of("ftl.map_cache_bytes") {
        Some(_) => 1,
        None if seed % 3 == 0 => 8,
        None => 4,
    };
    let own = [
        ("geometry.page_bytes", "4096".to_owned()),
        ("flash.spare_bytes", "416".to_owned()),
        ("channel.read_unit_bytes", "0".to_owned()),
        ("geometry.blocks_per_way", (blocks * more).to_string()),
        ("ftl.spare_blocks_per_way", (blocks * more / 4).to_string()),
        ("ftl.map_cache_bytes", (parts * (4096 - 32)).to_string()),
    ];
    values.extend(own.map(|(key, value)| (key.to_owned(), value)));
    let board = Board::resolve(PLAIN, &values).ok()?;
    board.firmware.recovery?.map_cache_parts?;
    let data = if seed % 10 == 3 { Data::Bytes } else { Data::Stamps };
    let turns_between_cuts = [5, 15, 60][(seed % 7 % 3) as usize];
    let board = PLAIN;
    let draft = Draft { seed, board, values, data, faults, commands, turns_between_cuts };
    Some(Plan::draw(draft).expect("the board"))
}

#[test]
fn rounds_with_a_part_of_the_map_in_memory_break_no_promise() {
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
    let share = |nth: u64| {
        let own = seeds(1..126).filter(move |seed| seed % jobs == nth);
        own.fold((Outcome::default(), 0), |(total, drives), seed| {
            let Some(plan) = plan(seed, 80) else { return (total, drives) };
            let outcome = attempt(&plan)
                .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong:?}; {:?}", plan.values));
            (total.and(outcome), drives + 1)
        })
    };
    let (total, drives) = std::thread::scope(|scope| {
        let all: Vec<_> = (0..jobs).map(|nth| scope.spawn(move || share(nth))).collect();
        all.into_iter().fold((Outcome::default(), 0), |(total, drives), one| {
            let (own, more) = one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (total.and(own), drives + more)
        })
    });
    println!("{drives} drives: {total:?}");
    let asked = std::env::var("TORTURE_SEEDS").is_ok();
    assert!(asked || total.cuts > 50 && total.done > 1_500, "{total:?}");
}

#[test]
fn every_planted_bug_of_a_map_in_part_is_found() {
    for bug in Bug::OF_PAGED_MAP {
        plant(Some(bug));
        let found = (1..200).find(|&seed| {
            let Some(plan) = plan(seed, 300) else { return false };
            std::panic::catch_unwind(|| attempt(&plan).is_err()).unwrap_or(true)
        });
        plant(None);
        println!("{bug:?}: found by seed {found:?}");
        assert!(found.is_some(), "{bug:?}");
    }
}
