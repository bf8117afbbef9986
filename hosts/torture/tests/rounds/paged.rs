//! Rounds on drives that keep a part of their map in memory.

use board::Board;
use firmware::planted::{plant, Bug};
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::Plan;
use torture::violation::attempt;

use crate::random;

/// A random drive, larger than others, of pages of 4 KiB, that keeps six parts and more of its map; `None` if all of
/// that would fit, or if it has no log.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let mut values = values(seed, None, Faults::all()).expect("a drive");
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
    Some(random::plan(seed, commands, values))
}

#[test]
fn rounds_with_a_part_of_the_map_in_memory_break_no_promise() {
    let Some((total, drives)) = random::run(126, &[], plan) else { return };
    assert!(total.cuts > 50 && total.done > 1_500, "{drives} drives: {total:?}");
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
