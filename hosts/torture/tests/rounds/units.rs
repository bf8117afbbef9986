//! Rounds on drives whose pages have several mapping units.

use board::Board;
use torture::drives::{values, PLAIN};
use torture::faults::Faults;
use torture::plan::Plan;

use crate::random;

/// A random drive with small mapping units; `None` if the seed's drive has none: one of memory.
fn plan(seed: u64, commands: u32) -> Option<Plan> {
    let mut values = values(seed, None, Faults::all()).expect("a drive");
    let unit = if seed % 3 == 0 { "8192" } else { "4096" };
    for (key, value) in [("ftl.mapping_unit_bytes", unit), ("flash.metadata_bytes", "84")] {
        values.push((key.to_owned(), value.to_owned()));
    }
    let board = Board::resolve(PLAIN, &values).ok()?;
    if board.firmware.units_per_page() == 1 {
        return None;
    }
    Some(random::plan(seed, commands, values))
}

#[test]
fn rounds_with_small_mapping_units_break_no_promise() {
    let Some((total, _)) = random::run(101, &[896], plan) else { return };
    assert!(total.cuts > 70 && total.done > 2_700, "{total:?}");
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn many_rounds_with_small_mapping_units_break_no_promise() {
        let Some((total, _)) = random::run(401, &[896], plan) else { return };
        assert!(total.cuts > 320 && total.done > 12_000, "{total:?}");
    }
}
