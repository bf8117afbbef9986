//! The same input gives the same output, to the byte.

use super::*;

const MIXED: &str = "[global]\nsize=4m\niodepth=16\n[a]\nrw=randrw\nbssplit=4k/60:16k/40\n\
                     [b]\nrw=randtrimwrite\noffset=4m\n[c]\nstonewall\nrw=randwrite\nfsync=32\n";

/// Compares line by line, so that a difference is told in one.
fn assert_same(first: &str, second: &str) {
    for (number, (a, b)) in first.lines().zip(second.lines()).enumerate() {
        assert_eq!(a, b, "line {number}");
    }
    assert_eq!(first.len(), second.len());
}

#[test]
fn two_runs_print_the_same_and_another_seed_does_not() {
    let run = Run::new();
    let first = printed(run.go(MIXED));
    assert_same(&first, &printed(run.go(MIXED)));
    assert_ne!(first, printed(Run { seed: 2, ..run }.go(MIXED)));
}

#[test]
fn skipped_polls_and_real_bytes_change_nothing() {
    let first = printed(Run::new().go(MIXED));
    assert_same(&first, &printed(Run { polling: Polling::Exact, ..Run::new() }.go(MIXED)));
    assert_same(&first, &printed(Run { payload: PayloadForm::Bytes, ..Run::new() }.go(MIXED)));
}
