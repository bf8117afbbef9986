//! Ways that halt: on a failure or when told, give back, go on, are aborted.

use channel::{Classes, Execution, Policy};
use contract::packet::{Operation::*, Outcome, Request};
use contract::Duration;
use contract::WayOrder;

use crate::rig::{page, policy, urgent, Rig};

fn halting() -> Rig {
    Rig::new(Policy { halt_on_failure: true, ..policy() })
}

fn tell(rig: &mut Rig, way: u8, order: WayOrder) {
    let now = rig.now;
    rig.channel.order(now, way, order);
}

/// Tickets and outcomes, in the order in which they came.
fn outcomes(rig: &Rig) -> Vec<(u32, Outcome)> {
    let of = |completion: &channel::Completion| (completion.ticket, completion.response.outcome);
    rig.answers.iter().map(|(_, completion)| of(completion)).collect()
}

#[test]
fn a_failure_halts_its_way_and_what_did_not_run_comes_back_in_order() {
    let mut rig = halting();
    rig.chips.failing = vec![0x201];
    for row in 0x200..0x205 {
        rig.ask(page(Program, 0, row));
    }
    let other = rig.ask(page(Program, 1, 0x200));
    rig.run(Duration::from_us(5_000));
    assert_eq!(rig.channel.halted(), 1);
    let ran = [(0, Outcome::Success), (other, Outcome::Success), (1, Outcome::Failed)];
    let mut found = outcomes(&rig);
    found.sort_unstable_by_key(|(ticket, _)| *ticket);
    let mut expected = ran;
    expected.sort_unstable_by_key(|(ticket, _)| *ticket);
    assert_eq!(found, expected);
    let steps = rig.steps.len();
    tell(&mut rig, 0, WayOrder::GiveBack);
    rig.run(Duration::from_us(100));
    let back = [2, 3, 4].map(|ticket| (ticket, Outcome::GivenBack));
    assert_eq!(outcomes(&rig)[3..], back);
    assert_eq!(rig.steps.len(), steps, "nothing went to the bus");
    // What comes meanwhile comes back as well; then the way goes on.
    let late = rig.ask(page(Program, 0, 0x210));
    rig.run(Duration::from_us(100));
    tell(&mut rig, 0, WayOrder::Resume);
    rig.run(Duration::from_us(1));
    let again = rig.ask(page(Program, 0, 0x211));
    rig.finish();
    assert_eq!(outcomes(&rig)[6..], [(late, Outcome::GivenBack), (again, Outcome::Success)]);
    assert_eq!(rig.chips.groups, [[0x200], [0x200], [0x201], [0x211]]);
}

#[test]
fn a_group_that_was_promised_to_the_chip_runs_before_the_way_halts() {
    let policy = Policy { merge_cache_program: true, halt_on_failure: true, ..policy() };
    let mut rig = Rig::new(policy);
    rig.chips.failing = vec![0x200];
    rig.ask(page(Erase, 0, 0x900));
    rig.run(Duration::from_us(20));
    for row in 0x200..0x206 {
        rig.ask(page(Program, 0, row));
    }
    rig.run(Duration::from_us(10_000));
    // The first one fails when the second and the third may be at the chip; the rest stays.
    assert_eq!(rig.channel.halted(), 1);
    let ran = rig.answers.len();
    tell(&mut rig, 0, WayOrder::GiveBack);
    rig.run(Duration::from_us(100));
    let back = outcomes(&rig)[ran..].to_vec();
    assert!(back.iter().all(|(_, outcome)| *outcome == Outcome::GivenBack), "{back:?}");
    let tickets: Vec<u32> = outcomes(&rig).iter().map(|(ticket, _)| *ticket).collect();
    assert_eq!(tickets, [0, 1, 2, 3, 4, 5, 6], "each is answered once");
}

#[test]
fn an_operation_is_aborted_and_its_chip_is_not_waited_for() {
    let mut rig = Rig::new(policy());
    rig.chips.erase = Duration::from_us(1_000_000);
    rig.ask(page(Erase, 0, 0x300));
    let behind = rig.ask(page(Read, 0, 0x400));
    rig.run(Duration::from_us(100));
    tell(&mut rig, 0, WayOrder::Abort);
    rig.run(Duration::from_us(100));
    assert_eq!(outcomes(&rig), [(0, Outcome::TimedOut)]);
    assert_eq!(rig.channel.occupied(), 0);
    tell(&mut rig, 0, WayOrder::GiveBack);
    rig.run(Duration::from_us(100));
    assert_eq!(outcomes(&rig)[1..], [(behind, Outcome::GivenBack)]);
}

#[test]
fn a_way_that_was_told_to_halt_ends_what_it_does() {
    let mut rig = Rig::new(policy());
    for row in 0..4 {
        rig.ask(page(Read, 3, row));
    }
    rig.run(Duration::from_us(15));
    tell(&mut rig, 3, WayOrder::Halt);
    rig.run(Duration::from_us(1_000));
    assert_eq!(outcomes(&rig), [(0, Outcome::Success)]);
    tell(&mut rig, 3, WayOrder::Resume);
    rig.finish();
    assert_eq!(rig.answered(), [0, 1, 2, 3]);
}

/// Where classes have orders of their own, what comes back has its place in that of its class.
#[test]
fn ways_give_back_in_every_model() {
    let models = [Execution::Sequential, Execution::Decoupled, Execution::InOrderIssue];
    for execution in models {
        let policy =
            Policy { execution, classes: Classes::Kept, halt_on_failure: true, ..policy() };
        let mut rig = Rig::new(policy);
        rig.chips.failing = vec![0x200];
        for row in 0x200..0x203 {
            rig.ask(page(Program, 0, row));
        }
        rig.ask(urgent(page(Read, 0, 0x300)));
        let other = rig.ask(page(Program, 1, 0x280));
        rig.run(Duration::from_us(1_500));
        tell(&mut rig, 0, WayOrder::GiveBack);
        rig.finish();
        let mut found = outcomes(&rig);
        found.sort_unstable_by_key(|(ticket, _)| *ticket);
        assert_eq!(found.len(), 5, "{execution:?}: {found:?}");
        assert_eq!(found[0], (0, Outcome::Failed), "{execution:?}");
        assert_eq!(found[1..3], [1, 2].map(|ticket| (ticket, Outcome::GivenBack)));
        assert_eq!(found[4], (other, Outcome::Success), "{execution:?}");
    }
}

/// A chip that stays busy is given up. A reset breaks off what it did, and what comes next takes its usual time.
#[test]
fn a_chip_that_was_reset_works_again() {
    let policy = Policy { halt_on_failure: true, busy_timeout: 8, ..policy() };
    let mut rig = Rig::new(policy);
    rig.chips.program = Duration::from_ps(u64::MAX);
    rig.ask(page(Program, 0, 0x200));
    rig.run(Duration::from_us(1_000));
    assert_eq!(outcomes(&rig), [(0, Outcome::TimedOut)]);
    tell(&mut rig, 0, WayOrder::Resume);
    rig.ask(Request::new(Reset, 0, 0));
    rig.run(Duration::from_us(20));
    rig.chips.program = Duration::from_us(15);
    let program = rig.ask(page(Program, 0, 0x201));
    let read = rig.ask(page(Read, 0, 0x100));
    rig.run(Duration::from_us(200));
    let ended = [(1, Outcome::Success), (program, Outcome::Success), (read, Outcome::Success)];
    assert_eq!(outcomes(&rig)[1..], ended);
}
