//! Chips that stay busy, data that do not come, partners that are missing.

use crate::scheduler::channel::{Channel, Outcome, Policy, Request, OUT_OF_ORDER};
use crate::scheduler::operation::*;

const TIMEOUT: u64 = 4;
/// A time-out comes up to as many cycles after its time.
const GRAIN: u64 = 256;

/// Chips that keep below the limit.
fn policy() -> Policy {
    let mut policy = Policy { busy_timeout: TIMEOUT, ..Policy::merging(1) };
    (policy.times.read, policy.times.program, policy.times.erase) = (300, 700, 900);
    policy
}

/// Whether a request ended in time after so long a wait, and a page of another way on the bus.
fn is_timely(took: u64) -> bool {
    (TIMEOUT * GRAIN..(TIMEOUT + 1) * GRAIN + 700).contains(&took)
}

fn outcomes(channel: &Channel) -> Vec<Outcome> {
    channel.outcomes.values().copied().collect()
}

/// Runs until a request has ended; the cycle in which it did.
fn end_of(channel: &mut Channel, id: u32) -> u64 {
    while channel.outcome(id).is_none() {
        channel.cycle();
        assert!(channel.cycles() < 100_000, "request {id} does not end");
    }
    channel.cycles()
}

#[test]
fn a_way_that_is_busy_too_long_ends_what_waits_for_it() {
    for model in 0..4 {
        let mut channel = Channel::new(Policy { model, ..policy() });
        channel.bus.keep_busy(3, 20_000);
        let start = channel.cycles();
        let stuck = channel.send(Request::new(READ, 3, 0));
        let next = channel.send(Request::new(PROGRAM, 3, 1));
        channel.send(Request { silent: true, ..Request::new(PROGRAM, 3, 2) });
        let other = channel.send(Request::new(READ, 4, 0));
        let took = end_of(&mut channel, stuck) - start;
        assert!(is_timely(took), "{took} cycles");
        channel.finish(30_000);
        assert_eq!(channel.outcome(stuck), Some(Outcome::TimedOut));
        assert_eq!(channel.outcome(next), Some(Outcome::TimedOut));
        assert_eq!(channel.outcome(other), Some(Outcome::Success));
        assert!(channel.log().iter().all(|step| step.1 == 4), "nothing goes to a busy way");
    }
}

#[test]
fn every_request_of_a_group_times_out_and_those_behind_are_served() {
    for (operation, steps) in [(READ, 2), (PROGRAM, 2), (ERASE, 2)] {
        let mut channel = Channel::new(policy());
        channel.bus.keep_busy(0, 500);
        let rows = [0x000, 0x100, 0x600, 0x700, 0x801];
        channel.send_all(rows.map(|row| Request::new(operation, 0, row)));
        while channel.log().len() < steps {
            channel.cycle();
        }
        // The chip does not come back from the first group until both its requests are given up.
        let now = channel.cycles();
        channel.bus.keep_busy(0, now + (TIMEOUT + 2) * GRAIN);
        end_of(&mut channel, 1);
        channel.bus.chips[0].abandon();
        channel.bus.keep_busy(0, 0);
        channel.finish(100_000);
        use Outcome::{Success, TimedOut};
        assert_eq!(outcomes(&channel), [TimedOut, TimedOut, Success, Success, Success]);
    }
}

#[test]
fn a_word_line_times_out_as_a_whole() {
    for model in 0..4 {
        let mut channel = Channel::new(Policy { model, ..policy() });
        channel.send_all([0, 1, 2].map(|page| Request::new(PROGRAM_ONE_SHOT, 0, page)));
        let other = channel.send(Request::new(READ, 1, 0));
        while channel.log().is_empty() {
            channel.cycle();
        }
        channel.bus.keep_busy(0, channel.cycles() + 4000);
        end_of(&mut channel, 2);
        channel.bus.chips[0].abandon();
        channel.finish(100_000);
        use Outcome::{Success, TimedOut};
        assert_eq!(outcomes(&channel), [TimedOut, TimedOut, TimedOut, Success]);
        assert!(channel.outcomes.contains_key(&other));
    }
}

#[test]
fn zero_waits_for_ever() {
    let mut channel = Channel::new(Policy { busy_timeout: 0, ..policy() });
    channel.bus.keep_busy(0, 150_000);
    channel.send(Request::new(READ, 0, 0));
    channel.finish(200_000);
    assert_eq!(outcomes(&channel), [Outcome::Success]);
}

#[test]
fn waits_do_not_add_up() {
    // Each busy time is just below the limit.
    let mut policy = policy();
    policy.times.read = TIMEOUT * GRAIN - 50;
    policy.times.program = TIMEOUT * GRAIN - 50;
    let mut channel = Channel::new(policy);
    for page in 0..6 {
        channel.send(Request::new(READ, 0, page << 4));
        channel.send(Request::new(PROGRAM, 0, page << 4));
    }
    channel.finish(100_000);
    assert!(outcomes(&channel).iter().all(|outcome| *outcome == Outcome::Success));
}

/// Requests on way 0 of which some lose their data.
fn with_dead(operation: u8, rows: &[u32], dead: &[u32]) -> Vec<Outcome> {
    let mut channel = Channel::new(Policy { busy_timeout: 100, ..policy() });
    channel.bus.keep_busy(0, 1000);
    channel.bus.dead.extend(dead);
    channel.send_all(rows.iter().map(|row| Request::new(operation, 0, *row)));
    channel.finish(200_000);
    outcomes(&channel)
}

#[test]
fn data_that_do_not_come_end_their_request() {
    use Outcome::{Success, TimedOut};
    // Plain steps and reads: nobody else is touched.
    assert_eq!(with_dead(PROGRAM_PAGE, &[0, 1, 2], &[1]), [Success, TimedOut, Success]);
    assert_eq!(with_dead(GET_FEATURES, &[0, 0, 0], &[1]), [Success, TimedOut, Success]);
    assert_eq!(with_dead(PROGRAM, &[0, 0x101, 0x202], &[0]), [TimedOut, Success, Success]);
    // What the chip has of the same operation is lost with it, what it has not yet begins anew.
    assert_eq!(with_dead(PROGRAM, &[0, 0x100, 0x202], &[0]), [TimedOut, Success, Success]);
    assert_eq!(with_dead(PROGRAM, &[0, 0x100, 0x202], &[1]), [TimedOut, TimedOut, Success]);
    // In cache mode the program before is lost too, since nobody can tell how it ended.
    assert_eq!(with_dead(PROGRAM, &[0, 1, 2, 3], &[2]), [Success, TimedOut, TimedOut, Success]);
    assert_eq!(with_dead(PROGRAM_ONE_SHOT, &[0, 1, 2], &[1]), [TimedOut; 3]);
}

#[test]
fn a_word_line_needs_three_requests() {
    use Outcome::{Refused, Success, TimedOut};
    for model in 0..4 {
        let mut channel = Channel::new(Policy { model, ..policy() });
        let one_shot = |page| Request::new(PROGRAM_ONE_SHOT, 0, page);
        // Another request is in the place of a partner.
        channel.send_all([one_shot(0), Request::new(READ, 0, 9), one_shot(1), one_shot(2)]);
        channel.send_all([one_shot(3), one_shot(4), one_shot(5), Request::new(READ, 0, 8)]);
        channel.finish(100_000);
        let expected = [Refused, Success, Success, Success, Success, Refused, Refused, Success];
        assert_eq!(outcomes(&channel), expected, "model {model}");

        // A partner does not come.
        let start = channel.cycles();
        channel.send_all([one_shot(6), one_shot(7)]);
        let took = end_of(&mut channel, 8) - start;
        assert!(is_timely(took), "{took} cycles");
        channel.finish(100_000);
        assert_eq!(channel.outcome(9), Some(TimedOut));
    }
}

#[test]
fn stuck_ways_do_not_hold_others_up() {
    let mut channel = Channel::new(Policy { busy_timeout: 40, ..Policy::plain(OUT_OF_ORDER) });
    channel.bus.keep_busy(0, 9000);
    channel.send_all((0..4).map(|page| Request::new(PROGRAM, 0, page)));
    channel.send_all((0..4).map(|page| Request::new(READ, 1, page)));
    while (4..8).any(|id| channel.outcome(id).is_none()) {
        channel.cycle();
    }
    assert!(channel.cycles() < 9000);
    channel.finish(100_000);
}

/// A bus that nobody drives, a chip that is protected, one that is busy, one whose array is: no program or erase has succeeded.
#[test]
fn a_status_that_does_not_say_that_the_chip_has_ended_is_a_failure() {
    for shown in [0x00, 0x7f, 0xbf, 0xdf] {
        let mut channel = Channel::new(policy());
        channel.bus.chips[0].shown = shown;
        for operation in [PROGRAM, ERASE, READ] {
            channel.send(Request::new(operation, 0, 0x100));
        }
        channel.send(Request::new(PROGRAM, 1, 0x100));
        channel.finish(30_000);
        use Outcome::{Failed, Success};
        assert_eq!(outcomes(&channel), [Failed, Failed, Success, Success], "{shown:#x}");
    }
}
