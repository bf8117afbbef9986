//! Rounds on drives whose chips program word lines as a whole.

use board::Board;
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::Plan;

use crate::random;

/// Cells, how they are programmed, and pages of a physical block.
const CHIPS: [[&str; 4]; 4] = [
    ["tlc", "3", "one-shot", "24"],
    ["qlc", "4", "two-pass", "24"],
    ["mlc", "2", "one-shot", "24"],
    ["qlc", "4", "one-shot", "32"],
];

/// A random drive of such chips; `None` if the seed's drive cannot be one.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let mut values = values(seed, None, Faults::all()).expect("a drive");
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
    Some(random::plan(seed, commands, values))
}

#[test]
fn rounds_with_whole_word_lines_break_no_promise() {
    let Some((total, rounds)) = random::run(81, &[], plan) else { return };
    assert!(total.cuts > 50 && total.bad_blocks > 3, "{rounds} rounds, {total:?}");
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn many_rounds_with_whole_word_lines_break_no_promise() {
        let Some((total, rounds)) = random::run(201, &[], plan) else { return };
        assert!(total.cuts > 150 && total.bad_blocks > 10, "{rounds} rounds, {total:?}");
    }
}
