//! Urgent requests, turns, ageing, and F-RSVP.

use channel::{Classes, Execution, FullQueue, Policy};
use contract::packet::{Operation::*, Outcome, Priority, Request};
use contract::Duration;

use crate::rig::{page, policy, urgent, Rig, WAYS};

#[test]
fn low_priority_never_occupies_more_ways_than_reserved() {
    let executions = [Execution::OutOfOrder, Execution::InOrderIssue, Execution::Decoupled];
    for execution in executions {
        for low_ways in 1..=WAYS {
            let mut rig =
                Rig::new(Policy { execution, classes: Classes::Kept, low_ways, ..policy() });
            for row in 0..4 {
                for way in 0..WAYS {
                    rig.ask(page(Read, way, row));
                }
            }
            let mut most = 0;
            for _ in 0..20_000 {
                rig.run(Duration::from_ns(100));
                most = most.max(rig.channel.occupied().count_ones());
            }
            assert_eq!(rig.answers.len(), 32);
            assert_eq!(most, u32::from(low_ways), "{execution:?}");
        }
    }
}

#[test]
fn urgent_requests_need_no_reservation() {
    let executions = [Execution::OutOfOrder, Execution::InOrderIssue, Execution::Decoupled];
    for execution in executions {
        let policy = Policy { execution, classes: Classes::Kept, low_ways: 0, ..policy() };
        let mut rig = Rig::new(policy);
        for way in 0..WAYS {
            rig.ask(page(Read, way, 0));
        }
        let asked: Vec<u32> = (0..WAYS).map(|way| rig.ask(urgent(page(Read, way, 7)))).collect();
        rig.run(Duration::from_us(2_000));
        let mut answered = rig.answered();
        answered.sort_unstable();
        // The low ones came first in their streams, so nothing can leave; all urgent ones ran.
        assert!(answered.is_empty());
        let ran = rig.steps.iter().filter(|step| step.operation == ReadTransfer);
        let mut ran: Vec<u32> = ran.map(|step| step.ticket).collect();
        ran.sort_unstable();
        assert_eq!(ran, asked, "{execution:?}");
    }
}

#[test]
fn urgent_requests_go_before_others_of_their_way() {
    let mut rig = Rig::new(policy());
    let first = rig.ask(page(Erase, 0, 0x900));
    rig.run(Duration::from_us(10));
    let low: Vec<u32> = (0..4).map(|row| rig.ask(page(Program, 0, 0x200 + row))).collect();
    let high: Vec<u32> = (4..8).map(|row| rig.ask(urgent(page(Read, 0, row)))).collect();
    rig.finish();
    let mut order: Vec<u32> = rig.steps.iter().map(|step| step.ticket).collect();
    order.dedup();
    assert_eq!(order, [vec![first], high, low].concat());
}

#[test]
fn urgent_requests_stay_behind_what_they_depend_on() {
    let mut rig = Rig::new(policy());
    let first = rig.ask(page(Erase, 0, 0x900));
    rig.run(Duration::from_us(10));
    let program = rig.ask(page(Program, 0, 0x200));
    let other = rig.ask(page(Read, 0, 0x300));
    let depends = rig.ask(urgent(page(Read, 0, 0x200)));
    let free = rig.ask(urgent(page(Read, 0, 0x201)));
    let erase = rig.ask(urgent(page(Erase, 0, 0x300)));
    rig.finish();
    let mut order: Vec<u32> = rig.steps.iter().map(|step| step.ticket).collect();
    order.dedup();
    assert_eq!(order, [first, free, program, other, depends, erase]);
}

#[test]
fn a_full_queue_holds_nobody_up() {
    let mut rig = Rig::new(Policy { full_queue: FullQueue::GivesBack, ..policy() });
    for row in 0..50 {
        rig.ask(Request { stream: row as u8 % 4, ..page(Program, 0, row) });
    }
    let other = rig.ask(Request { stream: 5, ..page(Read, 1, 0) });
    rig.run(Duration::from_us(100));
    assert_eq!(rig.answered(), [other], "it is there before any program is done");
    rig.finish();
    let outcomes = |wanted| {
        let found = rig.answers.iter().map(|(_, completion)| completion.response.outcome);
        found.filter(|outcome| *outcome == wanted).count()
    };
    // 32 are queued; those behind them came back.
    assert_eq!(outcomes(Outcome::GivenBack), 50 - 32);
    assert_eq!(outcomes(Outcome::Success), 32 + 1);
}

/// Urgent reads without end on all ways, and a low one on each: how long it waits.
fn longest_wait(execution: Execution, age: u8) -> Option<usize> {
    let mut rig = Rig::new(Policy { execution, classes: Classes::Kept, age, ..policy() });
    let low: Vec<u32> = (0..WAYS).map(|way| rig.ask(page(Program, way, 0x500))).collect();
    for row in 0..60 {
        for way in 0..WAYS {
            while !rig.channel.has_room(way, 0, Priority::High) {
                rig.run(Duration::from_us(10));
            }
            rig.ask(urgent(page(Read, way, row)));
        }
    }
    rig.finish();
    let begins = |ticket: &u32| rig.steps.iter().position(|step| step.ticket == *ticket);
    let waits = low.iter().map(|ticket| {
        let at = begins(ticket)?;
        let way = rig.steps[at].way;
        let before = rig.steps[..at].iter().filter(|step| step.operation == ReadTrigger);
        Some(before.filter(|step| execution.keeps_order() || step.way == way).count())
    });
    waits.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

#[test]
fn nobody_starves() {
    for age in [3, 4, 9] {
        // A way begins at most `age` urgent operations before the low one that waits; where an order
        // is kept, the channel does, and there are eight of them.
        let wait = longest_wait(Execution::OutOfOrder, age).expect("all low ones begin");
        assert!((1..=usize::from(age)).contains(&wait), "age {age}: {wait}");
        for execution in [Execution::InOrderIssue, Execution::Decoupled, Execution::Sequential] {
            let wait = longest_wait(execution, age).expect("all low ones begin");
            let bound = 8 * usize::from(age);
            assert!((1..=bound).contains(&wait), "{execution:?}, age {age}: {wait}");
        }
    }
    let wait = longest_wait(Execution::OutOfOrder, 0);
    assert!(wait.is_some_and(|wait| wait >= 59), "without age, the low ones come last");
}

/// Of the four classes of steps one that has a step is passed over at most age + 3 times.
#[test]
fn no_class_is_passed_over_for_ever() {
    let passed = |age| {
        let mut rig = Rig::new(Policy { age, ..policy() });
        rig.chips.read = Duration::from_us(1);
        // The bus is full of urgent pages; one low page waits for its turn.
        let low = rig.ask(page(Read, 0, 0));
        for row in 0..30 {
            for way in 1..WAYS {
                rig.ask(urgent(page(Read, way, row)));
            }
        }
        rig.finish();
        let own: Vec<usize> =
            (0..rig.steps.len()).filter(|at| rig.steps[*at].ticket == low).collect();
        own[1] - own[0]
    };
    assert!(passed(0) > 100, "without age it waits for the end");
    for age in [1, 3, 6] {
        let bounded = passed(age);
        // It may be that the page was not there yet when the first of them went.
        let bound = usize::from(age.max(3)) + 3 + 5;
        assert!((3..=bound).contains(&bounded), "age {age}: {bounded} steps");
    }
}

#[test]
fn data_of_all_ways_come_in_turn() {
    let mut rig = Rig::new(policy());
    rig.chips.read = Duration::from_us(1);
    for row in 0..10 {
        for way in 0..WAYS {
            rig.ask(page(Read, way, row));
        }
    }
    rig.finish();
    let transfers: Vec<u8> = rig
        .log()
        .into_iter()
        .filter(|(step, _)| *step == ReadTransfer)
        .map(|(_, way)| way)
        .collect();
    for window in transfers[16..64].windows(usize::from(WAYS)) {
        let mut ways = window.to_vec();
        ways.sort_unstable();
        ways.dedup();
        assert_eq!(ways.len(), usize::from(WAYS), "{transfers:?}");
    }
}
