//! LUNs behind one chip enable that overlap.

use channel::{Setup, SharedEnable};
use contract::packet::Operation::*;
use contract::Duration;

use crate::rig::{page, policy, setup, Rig, PLANES};

/// A row of a LUN.
fn row(lun: u32, row: u32) -> u32 {
    lun << PLANES.lun_shift | row
}

fn overlapping(poll_cycles: u32) -> Rig {
    let shared = SharedEnable { luns: 2, poll_cycles };
    Rig::of(Setup { ways: 4, shared_enable: Some(shared), ..setup(policy()) })
}

#[test]
fn a_lun_works_while_another_of_its_chip_is_busy() {
    let mut rig = overlapping(500);
    rig.ask(page(Erase, 1, row(0, 0x300)));
    let read = rig.ask(page(Read, 1, row(1, 0x200)));
    rig.run(Duration::from_us(60));
    // The erase takes 500 us. The page of the other LUN is found by its status.
    let answered: Vec<u32> = rig.steps.iter().map(|step| step.ticket).collect();
    let steps = rig.log();
    assert_eq!(steps[..2], [(EraseBlock, 1), (ReadTrigger, 1)]);
    assert_eq!(*steps.last().expect("steps"), (ChangeReadColumnOnfi, 1), "{steps:?}");
    let polls = steps.iter().filter(|(operation, _)| *operation == ReadStatusEnhanced).count();
    // Of both, in 60 us, one in 5 us at most.
    assert!((1..=24).contains(&polls), "{polls} polls");
    assert_eq!(answered.last(), Some(&read));
    rig.finish();
    assert_eq!(rig.answers.len(), 2);
    assert!(rig.answers.iter().all(|(_, completion)| completion.response.way == 1));
}

#[test]
fn chips_of_two_luns_that_overlap_take_less_time() {
    let time = |mut rig: Rig| {
        for at in 0..12 {
            for way in 0..4 {
                rig.ask(page(Program, way, row(at % 2, 0x200 + at / 2)));
            }
        }
        rig.finish();
        assert_eq!(rig.answers.len(), 48);
        rig.answers.last().map_or(0, |(at, _)| at.as_ps())
    };
    let together = time(Rig::of(Setup { ways: 4, ..setup(policy()) }));
    let apart = time(overlapping(500));
    // 12 programs of 200 us, one after the other, or two at a time.
    assert!(together > 12 * 200_000_000);
    assert!(apart * 10 < together * 7, "{apart} against {together} ps");
}

#[test]
fn a_lun_alone_needs_no_status_to_be_found() {
    let mut rig = overlapping(500);
    rig.ask(page(Read, 2, row(1, 0x200)));
    rig.finish();
    assert_eq!(rig.log(), [(ReadTrigger, 2), (ChangeReadColumnOnfi, 2)]);
}
