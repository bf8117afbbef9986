//! Ways that are asked for their status where R/B# leads nowhere.

use channel::{Setup, StatusPolls};
use contract::packet::Operation::{self, *};

use crate::rig::{page, policy, setup, Rig, PERIOD_PS};

/// A channel whose ways are asked after so many cycles, or tell by their pins.
fn rig(cycles: Option<u32>) -> Rig {
    let status_polls = cycles.map(|cycles| StatusPolls { cycles, enhanced: false });
    Rig::of(Setup { status_polls, ..setup(policy()) })
}

/// The steps of an operation of one page on an idle channel, and when it was answered, in cycles.
fn alone(cycles: Option<u32>, operation: Operation) -> (Vec<Operation>, u64) {
    let mut rig = rig(cycles);
    rig.ask(page(operation, 1, 0x200));
    rig.finish();
    let end = rig.answers[0].0.as_ps() / PERIOD_PS;
    (rig.log().into_iter().map(|(operation, _)| operation).collect(), end)
}

#[test]
fn a_read_takes_its_statuses_and_read_mode() {
    let (steps, by_pin) = alone(None, Read);
    assert_eq!(steps, [ReadTrigger, ReadTransfer]);
    let (steps, end) = alone(Some(500), Read);
    let statuses = steps.len() - 3;
    assert!(statuses >= 2 && steps[1..=statuses].iter().all(|step| *step == ReadStatus));
    assert_eq!(
        [steps[0], steps[statuses + 1], steps[statuses + 2]],
        [ReadTrigger, ReadMode, ReadTransfer]
    );
    // Up to an interval and a status late, and READ MODE.
    assert!((by_pin..by_pin + 500 + 200).contains(&end), "{end} cycles, {by_pin} by the pin");
}

#[test]
fn what_is_asked_for_seldom_is_found_late() {
    for operation in [Program, Erase] {
        let (steps, by_pin) = alone(None, operation);
        let (asked, end) = alone(Some(30_000), operation);
        assert!(end > by_pin, "{operation:?}: {end} cycles, {by_pin} by the pin");
        // No READ MODE, as no data follow.
        assert!(asked.len() > steps.len() && !asked.contains(&ReadMode), "{asked:?}");
        assert!(alone(Some(100), operation).1 < end, "{operation:?}");
    }
}
