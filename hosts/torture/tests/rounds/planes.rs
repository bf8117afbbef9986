//! Rounds on drives whose firmware schedules chips of which several planes act together.

use board::Board;
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::Plan;

use crate::random;

/// Cells, how they are programmed, planes, and pages of a physical block.
const CHIPS: [[&str; 5]; 5] = [
    ["tlc", "3", "one-shot", "4", "24"],
    ["mlc", "2", "one-shot", "2", "24"],
    ["qlc", "4", "two-pass", "2", "24"],
    ["mlc", "2", "page", "4", "16"],
    ["tlc", "3", "one-shot", "2", "24"],
];

/// A random drive of such chips; `None` if the seed's drive cannot be one.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let mut values = values(seed, None, Faults::all()).expect("a drive");
    let [mode, bits, program, planes, pages] = CHIPS[(seed % 5) as usize];
    let blocks = if planes == "4" { "256" } else { "128" };
    for (key, value) in [
        ("flash.cell_mode", mode),
        ("flash.cell_bits", bits),
        ("flash.program", program),
        ("flash.planes", planes),
        ("channel.merging", "planes"),
        ("flash.pairing", "adjacent"),
        ("flash.pages_per_physical_block", pages),
        ("flash.metadata_bytes", "216"),
        ("ftl.mapping_unit_bytes", if seed % 3 == 0 { "4096" } else { "0" }),
        ("ftl.bad_blocks", "table"),
        ("channel.scheduler", "firmware"),
        ("channel.busy_timeout_us", "60000"),
        ("geometry.blocks_per_way", blocks),
        ("ftl.spare_blocks_per_way", "40"),
        // A few pages, which are of up to twelve flash pages each.
        ("ftl.buffer_kib", if seed % 2 == 0 { "3072" } else { "4608" }),
        ("flash.die_deviation_us", "6"),
    ] {
        values.push((key.to_owned(), value.to_owned()));
    }
    let board = Board::resolve(PLAIN, &values).ok()?;
    if board.flash.fold.planes() == 1 {
        return None;
    }
    Some(random::plan(seed, commands, values))
}

#[test]
fn rounds_with_planes_that_act_together_break_no_promise() {
    let Some((total, rounds)) = random::run(41, &[], plan) else { return };
    assert!(total.cuts > 25 && total.done > 800, "{rounds} rounds, {total:?}");
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn many_rounds_with_planes_that_act_together_break_no_promise() {
        let Some((total, rounds)) = random::run(201, &[], plan) else { return };
        assert!(total.cuts > 150 && total.bad_blocks > 10, "{rounds} rounds, {total:?}");
    }
}
