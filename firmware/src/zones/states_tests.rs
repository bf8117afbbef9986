//! States of zones, action by action.

use super::*;

const CAPACITY: u32 = 8;

fn states(open: u32, active: u32) -> States {
    States::new(6, CAPACITY, Limits { open, active })
}

/// Zone 0 in a state.
fn in_state(state: ZoneState) -> States {
    let mut all = states(6, 6);
    match state {
        Empty => {}
        ImplicitlyOpened => drop(all.accept_write(0, Some(0), 3)),
        ExplicitlyOpened => drop(all.accept(0, ZoneAction::Open)),
        Closed => {
            all.accept_write(0, Some(0), 3).expect("it is empty");
            all.accept(0, ZoneAction::Close).expect("it is open");
        }
        Full => drop(all.accept_write(0, Some(0), CAPACITY)),
        ReadOnly => all.take_read_only(0, 0),
        Offline => all.take_offline(0),
    }
    assert_eq!(all.of(0).state, state);
    all
}

#[test]
fn every_action_in_every_state_does_what_the_specification_says() {
    let refused = Err(IoOutcome::InvalidTransition);
    for (action, state, expected) in [
        (ZoneAction::Open, Empty, Ok(ExplicitlyOpened)),
        (ZoneAction::Open, ImplicitlyOpened, Ok(ExplicitlyOpened)),
        (ZoneAction::Open, ExplicitlyOpened, Ok(ExplicitlyOpened)),
        (ZoneAction::Open, Closed, Ok(ExplicitlyOpened)),
        (ZoneAction::Open, Full, refused),
        (ZoneAction::Open, ReadOnly, refused),
        (ZoneAction::Open, Offline, refused),
        (ZoneAction::Close, Empty, refused),
        (ZoneAction::Close, ImplicitlyOpened, Ok(Closed)),
        (ZoneAction::Close, ExplicitlyOpened, Ok(Closed)),
        (ZoneAction::Close, Closed, Ok(Closed)),
        (ZoneAction::Close, Full, refused),
        (ZoneAction::Close, ReadOnly, refused),
        (ZoneAction::Close, Offline, refused),
        (ZoneAction::Finish, Empty, Ok(Full)),
        (ZoneAction::Finish, ImplicitlyOpened, Ok(Full)),
        (ZoneAction::Finish, ExplicitlyOpened, Ok(Full)),
        (ZoneAction::Finish, Closed, Ok(Full)),
        (ZoneAction::Finish, Full, Ok(Full)),
        (ZoneAction::Finish, ReadOnly, refused),
        (ZoneAction::Finish, Offline, refused),
        (ZoneAction::Reset, Empty, Ok(Empty)),
        (ZoneAction::Reset, ImplicitlyOpened, Ok(Empty)),
        (ZoneAction::Reset, ExplicitlyOpened, Ok(Empty)),
        (ZoneAction::Reset, Closed, Ok(Empty)),
        (ZoneAction::Reset, Full, Ok(Empty)),
        (ZoneAction::Reset, ReadOnly, refused),
        (ZoneAction::Reset, Offline, refused),
        (ZoneAction::Offline, Empty, refused),
        (ZoneAction::Offline, ImplicitlyOpened, refused),
        (ZoneAction::Offline, ExplicitlyOpened, refused),
        (ZoneAction::Offline, Closed, refused),
        (ZoneAction::Offline, Full, refused),
        (ZoneAction::Offline, ReadOnly, Ok(Offline)),
        (ZoneAction::Offline, Offline, Ok(Offline)),
    ] {
        let mut all = in_state(state);
        let written = all.of(0).written;
        let found = all.accept(0, action).map(|_| all.of(0).state);
        assert_eq!(found, expected, "{action:?} of {state:?}");
        let gone = action == ZoneAction::Reset && found.is_ok();
        let expected = if gone { 0 } else { written };
        assert_eq!((all.of(0).written, all.written()), (expected, expected.into()));
        let state = all.of(0).state;
        let uses = (u32::from(state.is_open()), u32::from(state.is_active()));
        assert_eq!(all.in_use(), uses, "{action:?}");
    }
}

#[test]
fn writes_are_refused_by_state_then_boundary_then_pointer() {
    for (state, block, blocks, expected) in [
        (Empty, Some(0), CAPACITY, Ok(0)),
        (Empty, Some(1), 1, Err(IoOutcome::ZoneInvalidWrite)),
        (Empty, Some(1), CAPACITY, Err(IoOutcome::ZoneBoundary)),
        (Empty, None, CAPACITY + 1, Err(IoOutcome::ZoneBoundary)),
        (Closed, Some(3), 1, Ok(3)),
        (Closed, None, 5, Ok(3)),
        (ImplicitlyOpened, Some(2), 1, Err(IoOutcome::ZoneInvalidWrite)),
        (ImplicitlyOpened, None, 6, Err(IoOutcome::ZoneBoundary)),
        (ExplicitlyOpened, None, 1, Ok(0)),
        (Full, Some(0), 1, Err(IoOutcome::ZoneFull)),
        (Full, None, 1, Err(IoOutcome::ZoneFull)),
        (ReadOnly, None, 1, Err(IoOutcome::ZoneReadOnly)),
        (Offline, None, 1, Err(IoOutcome::ZoneOffline)),
    ] {
        let mut all = in_state(state);
        let before = *all.of(0);
        let found = all.accept_write(0, block, blocks);
        assert_eq!(found, expected, "{state:?} {block:?} {blocks}");
        match found {
            Err(_) => assert_eq!(*all.of(0), before),
            Ok(first) => {
                let full = first + blocks == CAPACITY;
                let kept = if state == ExplicitlyOpened { state } else { ImplicitlyOpened };
                assert_eq!(all.of(0).state, if full { Full } else { kept });
                assert_eq!(all.of(0).written, first + blocks);
            }
        }
    }
}

#[test]
fn resources_are_limited_and_what_a_write_opened_is_closed_for_another() {
    let mut all = states(2, 3);
    for zone in 0..3 {
        assert_eq!(all.accept_write(zone, None, 1), Ok(0));
    }
    let states = [0, 1, 2].map(|zone| all.of(zone).state);
    assert_eq!(states, [Closed, ImplicitlyOpened, ImplicitlyOpened]);
    assert_eq!(all.accept_write(3, None, 1), Err(IoOutcome::TooManyActive));
    assert_eq!(all.accept(3, ZoneAction::Open), Err(IoOutcome::TooManyActive));
    all.accept(0, ZoneAction::Open).expect("zone 1 is closed for it");
    all.accept(2, ZoneAction::Open).expect("it is open");
    assert_eq!(all.of(1).state, Closed);
    assert_eq!(all.accept_write(1, None, 1), Err(IoOutcome::TooManyOpen));
    assert_eq!(all.accept(1, ZoneAction::Open), Err(IoOutcome::TooManyOpen));
    assert_eq!(all.in_use(), (2, 3));
    all.accept(0, ZoneAction::Reset).expect("it is open");
    assert_eq!(all.accept_write(1, None, 1), Ok(1));
    assert_eq!(all.accept_write(3, None, 1), Ok(0), "zone 1 is closed for it");
    assert_eq!(all.of(1).state, Closed);
    assert_eq!(all.in_use(), (2, 3));
}

#[test]
fn actions_on_all_zones_leave_others_alone() {
    let all_of = |action| {
        let mut all = states(4, 6);
        all.accept_write(1, None, 1).expect("it is empty");
        all.accept(2, ZoneAction::Open).expect("it is empty");
        all.accept_write(3, None, 2).expect("it is empty");
        all.accept(3, ZoneAction::Close).expect("it is open");
        all.accept_write(4, None, CAPACITY).expect("it is empty");
        all.take_read_only(5, 0);
        all.accept_all(action).expect("there is room");
        core::array::from_fn(|zone| all.of(zone as u32).state)
    };
    let expected = [
        (
            ZoneAction::Open,
            [Empty, ImplicitlyOpened, ExplicitlyOpened, ExplicitlyOpened, Full, ReadOnly],
        ),
        (ZoneAction::Close, [Empty, Closed, Closed, Closed, Full, ReadOnly]),
        (ZoneAction::Finish, [Empty, Full, Full, Full, Full, ReadOnly]),
        (ZoneAction::Reset, [Empty, Empty, Empty, Empty, Empty, ReadOnly]),
        (ZoneAction::Offline, [Empty, ImplicitlyOpened, ExplicitlyOpened, Closed, Full, Offline]),
    ];
    for (action, states) in expected {
        assert_eq!(all_of(action), states, "{action:?}");
    }
    let mut all = states(1, 6);
    for zone in 0..3 {
        all.accept_write(zone, None, 1).expect("it is empty");
        all.accept(zone, ZoneAction::Close).expect("it is open");
    }
    assert_eq!(all.accept_all(ZoneAction::Open), Err(IoOutcome::TooManyOpen));
    assert_eq!(all.count(Closed), 3);
}

#[test]
fn zones_that_writes_opened_are_closed_for_those_that_are_all_opened() {
    let mut all = states(2, 3);
    for zone in [2, 0, 1] {
        all.accept_write(zone, None, 1).expect("it is empty");
    }
    all.accept(0, ZoneAction::Close).expect("it is open");
    all.accept_write(2, None, 1).expect("it is closed");
    assert_eq!(
        [0, 1, 2].map(|zone| all.of(zone).state),
        [Closed, ImplicitlyOpened, ImplicitlyOpened]
    );
    all.accept_all(ZoneAction::Open).expect("one is to be opened");
    // Of the two that writes opened, the first one is closed, wherever it stands.
    assert_eq!(
        [0, 1, 2].map(|zone| all.of(zone).state),
        [ExplicitlyOpened, Closed, ImplicitlyOpened]
    );
    assert_eq!(all.in_use(), (2, 3));
    all.accept(2, ZoneAction::Close).expect("it is open");
    assert_eq!(all.accept_all(ZoneAction::Open), Err(IoOutcome::TooManyOpen));
    assert_eq!([0, 1, 2].map(|zone| all.of(zone).state), [ExplicitlyOpened, Closed, Closed]);
}

#[test]
fn an_offline_zone_stays_so() {
    let mut all = in_state(Offline);
    all.take_read_only(0, 3);
    assert_eq!(all.of(0).state, Offline);
}

#[test]
fn a_change_behind_what_was_told_is_told_by_the_next_log() {
    let mut all = states(4, 6);
    let told = |all: &mut States| all.tell_changes().collect::<Vec<_>>();
    all.take_read_only(1, 0);
    all.take_read_only(3, 0);
    assert!(all.take_news() && !all.take_news());
    assert_eq!(told(&mut all), [1, 3]);
    // While the log is on its way.
    all.take_offline(3);
    all.take_offline(5);
    all.forget_told();
    assert!(all.take_news());
    assert_eq!(told(&mut all), [3, 5]);
    assert_eq!(told(&mut all), [3, 5], "the host has not said that it knows");
    all.take_offline(5);
    all.forget_told();
    assert!(told(&mut all).is_empty(), "it was offline before");
    // What the host does itself is no news.
    all.accept(1, ZoneAction::Offline).expect("it is read only");
    assert!(!all.take_news() && told(&mut all).is_empty());
}

#[test]
fn without_power_nothing_stays_open() {
    let mut all = states(4, 6);
    all.accept(0, ZoneAction::Open).expect("it is empty");
    all.accept_write(1, None, 1).expect("it is empty");
    all.close_all();
    assert_eq!([0, 1].map(|zone| all.of(zone).state), [Empty, Closed]);
    assert_eq!(all.in_use(), (0, 1));
    assert_eq!(all.accept_write(1, None, CAPACITY - 1), Ok(1));
    assert_eq!(all.of(1).state, Full);
}
