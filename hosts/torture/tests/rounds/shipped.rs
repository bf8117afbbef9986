//! Every board that the program brings along is tortured, in small.

use std::fs;
use std::num::NonZeroUsize;

use torture::faults::Faults;
use torture::rounds::Torture;

/// Memory of all rounds together at most.
const MOST_KIB: u64 = 1 << 20;

#[test]
fn every_board_that_is_shipped_survives_twenty_rounds() {
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    for board in board::names() {
        let faults = Faults::all();
        let torture =
            Torture { board: Some(board.to_owned()), commands: 120, faults, cut_every: None };
        let (outcome, violation) = match torture.run(1..21, jobs, &mut |_, _| ()) {
            Ok(ended) => ended,
            Err(error) => panic!("{board}: {error}"),
        };
        if let Some((seed, failing)) = violation {
            panic!("{board}, seed {seed}: {:?}", failing.violation);
        }
        println!("{board}: {outcome:?}");
        assert!(outcome.done > 1_500, "{board}: {outcome:?}");
    }
    if let Some(kib) = peak_kib() {
        assert!(kib < MOST_KIB, "{kib} KiB of memory");
    }
}

/// The most memory that this process had, as Linux tells it.
fn peak_kib() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/status").ok()?;
    let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix("kB")?.trim().parse().ok()
}
