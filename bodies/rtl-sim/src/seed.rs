//! Seeds: every random test can be replayed.

use crate::Random;
use std::cell::Cell;
use std::env;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

thread_local! {
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// The seed that runs on this thread; zero outside of [`each`].
pub(crate) fn current() -> u64 {
    CURRENT.get()
}

/// Runs a test once for each of `count` seeds, the same ones every time. A seed that fails is
/// printed. `RTL_SEED=<seed>` runs only that one; `RTL_SEEDS=<count>` runs more or fewer.
pub fn each(count: u64, test: impl Fn(&mut Random)) {
    run(number("RTL_SEEDS").unwrap_or(count), test);
}

/// The same where the seeds show only together what is looked for: `RTL_SEEDS` does not count.
pub fn together(count: u64, test: impl Fn(&mut Random)) {
    run(count, test);
}

fn run(count: u64, test: impl Fn(&mut Random)) {
    let seeds = match number("RTL_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=count,
    };
    for seed in seeds {
        CURRENT.set(seed);
        let run = AssertUnwindSafe(|| test(&mut Random::new(seed)));
        if let Err(panic) = catch_unwind(run) {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("<test>");
            eprintln!("seed {seed} failed; replay: RTL_SEED={seed} cargo test -p firmament-rtl-sim {name}");
            resume_unwind(panic);
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}: found {text}, expected a number")))
}
