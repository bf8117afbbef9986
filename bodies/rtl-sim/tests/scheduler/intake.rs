//! What is let in, what is refused, and who waits.

use crate::scheduler::channel::{
    Channel, Outcome, Policy, Request, DEPTH, OUT_OF_ORDER, SEQUENTIAL, WAYS,
};
use crate::scheduler::operation::*;
use rtl_sim::Pace;

/// Requests that cannot be run.
fn bad() -> Vec<Request> {
    let good = Request::new(READ, 0, 0);
    let mut bad: Vec<Request> = (0..0x80)
        .filter(|operation| !known().contains(operation))
        .map(|operation| Request { operation, ..good.clone() })
        .collect();
    bad.extend((WAYS as u32..16).map(|way| Request { way, ..good.clone() }));
    bad.extend((1..8).map(|reserved| Request { reserved, ..good.clone() }));
    bad.push(Request { length: 0, ..good.clone() });
    bad.push(Request { length: 4095, ..good.clone() });
    bad.push(Request { length: 1, ..Request::new(ERASE, 0, 0) });
    bad
}

#[test]
fn what_cannot_be_run_is_refused() {
    for model in [OUT_OF_ORDER, SEQUENTIAL] {
        let mut channel = Channel::new(Policy::plain(model));
        let bad = bad();
        let count = bad.len() as u32;
        for request in bad {
            channel.send(Request { silent: true, ..request.clone() });
            channel.send(request);
            channel.send(Request::new(READ_ID, 1, 0));
        }
        channel.finish(300_000);
        for (id, request) in channel.requests().iter().enumerate() {
            let wanted = match (request.is_good(), request.silent) {
                (true, _) => Some(Outcome::Success),
                (false, true) => None,
                (false, false) => Some(Outcome::Refused),
            };
            assert_eq!(channel.outcome(id as u32), wanted, "{request:?}");
        }
        assert_eq!(channel.log().len(), count as usize, "nothing of them reaches the bus");
    }
}

#[test]
fn every_operation_reaches_the_bus() {
    for operation in known().into_iter().filter(|operation| !is_whole(*operation)) {
        let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
        channel.bus.ignores_chips = true;
        let id = channel.send(Request::new(operation, 3, 0x123));
        channel.send(Request { silent: true, ..Request::new(operation, 3, 0x124) });
        channel.finish(20_000);
        assert_eq!(channel.log(), [(operation, 3, 0), (operation, 3, 1)]);
        assert_eq!(channel.outcome(id), Some(Outcome::Success));
    }
}

#[test]
fn status_and_resets_go_to_a_busy_way() {
    for operation in known().into_iter().filter(|operation| !is_whole(*operation)) {
        let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
        channel.bus.ignores_chips = true;
        channel.bus.keep_busy(2, 1500);
        channel.send(Request::new(operation, 2, 0));
        channel.finish(20_000);
        let at_once = channel.bus.log[0].cycle < 200;
        assert_eq!(at_once, works_when_busy(operation), "operation {operation:#x}");
    }
}

#[test]
fn status_tells_whether_it_failed() {
    let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
    channel.bus.chips[0].failing.extend([0, 4]);
    for operation in [ERASE_BLOCK, READ_STATUS, READ_STATUS_ENHANCED, FEATURES_TRANSFER] {
        channel.send(Request::new(operation, 0, 0x100));
    }
    channel.send(Request::new(PROGRAM, 0, 0x300));
    channel.finish(50_000);
    let outcomes: Vec<Outcome> = channel.outcomes.values().copied().collect();
    use Outcome::{Failed, Success};
    assert_eq!(outcomes, [Success, Failed, Failed, Success, Failed]);
    assert_eq!(channel.values[&1] & 0xff, 0xe3);
    assert_eq!(channel.values[&3], 0x5a00_0003);
}

#[test]
fn a_full_queue_is_told_before_and_holds_the_rest_back() {
    for (model, urgent_bit) in [(OUT_OF_ORDER, 0b01), (SEQUENTIAL, 0b11)] {
        let mut channel = Channel::new(Policy::plain(model));
        channel.bus.keep_busy(0, 3000);
        channel.send_all((0..DEPTH as u32 + 3).map(|page| Request::new(READ, 0, page)));
        channel.send(Request::new(READ, 5, 0));
        for _ in 0..500 {
            channel.cycle();
        }
        assert_eq!(channel.accepted(), DEPTH as u64);
        assert_eq!(channel.room(), 0xffff & !urgent_bit);
        channel.finish(100_000);
        assert_eq!(channel.room(), 0xffff);
        assert!(channel.outcomes.values().all(|outcome| *outcome == Outcome::Success));
    }
}

#[test]
fn completions_that_are_not_taken_stop_the_bus() {
    let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
    channel.set_completion_pace(Pace::Never);
    channel.send_all((0..WAYS as u32).map(|way| Request::new(ERASE, way, 0)));
    channel.send(Request { length: 1, ..Request::new(ERASE, 0, 0) });
    for _ in 0..100_000 {
        channel.cycle();
    }
    // The refusal is there, so the first step found no room.
    assert!(channel.log().len() <= 1, "{:?}", channel.log());
    assert_eq!(channel.outcomes.len(), 0);
    channel.set_completion_pace(Pace::Always);
    channel.finish(100_000);
}
