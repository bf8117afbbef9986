//! The execution models, in orders written down by hand.

use channel::{Execution, Policy};
use contract::packet::Operation::{self, *};
use contract::Duration;

use crate::rig::{page, policy, Rig};

fn rig(execution: Execution) -> Rig {
    Rig::new(Policy { execution, ..policy() })
}

/// Two programs to chip 2, an erase of chip 0, a read of chip 1, as in Ozone's figure 3: the second
/// program meets a busy chip.
fn figure_3(execution: Execution) -> Vec<(Operation, u8)> {
    let mut rig = rig(execution);
    rig.ask(page(Program, 2, 0x100));
    rig.ask(page(Program, 2, 0x201));
    rig.ask(page(Erase, 0, 0x300));
    rig.ask(page(Read, 1, 0x400));
    rig.finish();
    rig.log()
}

#[test]
fn sequential_runs_one_operation_at_a_time() {
    let expected = [
        (ProgramPage, 2),
        (ReadStatus, 2),
        (ProgramPage, 2),
        (ReadStatus, 2),
        (EraseBlock, 0),
        (ReadStatus, 0),
        (ReadTrigger, 1),
        (ReadTransfer, 1),
    ];
    assert_eq!(figure_3(Execution::Sequential), expected);
}

#[test]
fn decoupled_begins_and_completes_in_order() {
    // The erase waits behind the second program, and the read cannot complete before the erase.
    let expected = [
        (ProgramPage, 2),
        (ReadStatus, 2),
        (ProgramPage, 2),
        (EraseBlock, 0),
        (ReadTrigger, 1),
        (ReadStatus, 2),
        (ReadStatus, 0),
        (ReadTransfer, 1),
    ];
    assert_eq!(figure_3(Execution::Decoupled), expected);
}

#[test]
fn in_order_issue_begins_in_order_and_completes_as_chips_are_ready() {
    let expected = [
        (ProgramPage, 2),
        (ReadStatus, 2),
        (ProgramPage, 2),
        (EraseBlock, 0),
        (ReadTrigger, 1),
        (ReadTransfer, 1),
        (ReadStatus, 2),
        (ReadStatus, 0),
    ];
    assert_eq!(figure_3(Execution::InOrderIssue), expected);
}

#[test]
fn out_of_order_keeps_the_order_of_a_way_only() {
    let expected = [
        (ProgramPage, 2),
        (EraseBlock, 0),
        (ReadTrigger, 1),
        (ReadTransfer, 1),
        (ReadStatus, 2),
        (ProgramPage, 2),
        (ReadStatus, 2),
        (ReadStatus, 0),
    ];
    assert_eq!(figure_3(Execution::OutOfOrder), expected);
}

#[test]
fn a_model_that_overlaps_more_takes_less_time() {
    let time = |execution| {
        let mut rig = rig(execution);
        for row in 0..6 {
            for way in 0..8 {
                let operation = if (row + way) % 3 == 0 { Program } else { Read };
                rig.ask(page(operation, way as u8, row));
            }
        }
        rig.finish();
        assert_eq!(rig.answers.len(), 48);
        rig.answers.last().map(|(at, _)| at.as_ps())
    };
    let models = [
        Execution::OutOfOrder,
        Execution::InOrderIssue,
        Execution::Decoupled,
        Execution::Sequential,
    ];
    let times = models.map(time);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
}

/// A page read alone, by hand: command to the chip, its time, the page over the bus.
#[test]
fn a_read_takes_command_chip_and_page() {
    let mut rig = rig(Execution::OutOfOrder);
    rig.ask(page(Read, 3, 0x123));
    rig.finish();
    let trigger = rig.steps[0];
    let transfer = rig.steps[1];
    let chip = Duration::from_us(20);
    let between = transfer.at.since(trigger.over);
    // The chip is told a little before the step is over, and seen to be ready a little later.
    assert!(between + Duration::from_ns(200) > chip && between < chip + Duration::from_ns(200));
    // 16 chunks with 20 bytes of parity, and metadata with theirs; a word of 16 bits a cycle.
    let words = (4_096 + 24 + 17 * 20) / 2;
    let cycles = transfer.over.since(transfer.at).as_ps() / crate::rig::PERIOD_PS;
    assert!((words..words + 30).contains(&cycles), "{cycles} cycles, {words} words");
}
