//! Operations of several planes and in cache mode.

use channel::Policy;
use contract::packet::{Operation::*, Outcome};
use contract::Duration;

use crate::rig::{page, policy, setup, Rig};

fn merging() -> Policy {
    Policy { merge_planes: true, merge_cache_read: true, merge_cache_program: true, ..policy() }
}

fn operations(rig: &Rig) -> Vec<contract::packet::Operation> {
    rig.log().into_iter().map(|(operation, _)| operation).collect()
}

/// Keeps way 0 busy while requests come.
fn behind_an_erase(rig: &mut Rig) {
    rig.ask(page(Erase, 0, 0x900));
    rig.run(Duration::from_us(20));
    rig.steps.clear();
}

#[test]
fn pages_on_two_planes_are_read_together() {
    let mut rig = Rig::new(Policy { merge_cache_read: false, ..merging() });
    behind_an_erase(&mut rig);
    for row in [0x010, 0x110, 0x011] {
        rig.ask(page(Read, 0, row));
    }
    rig.finish();
    let expected = [
        ReadStatus,
        ReadMultiPlane,
        ReadTrigger,
        ChangeReadColumnOnfi,
        ChangeReadColumnOnfi,
        ReadTrigger,
        ReadTransfer,
    ];
    assert_eq!(operations(&rig), expected);
    assert_eq!(rig.chips.groups[1..], [vec![0x010, 0x110], vec![0x011]]);
}

#[test]
fn reads_that_follow_use_cache_mode() {
    let mut rig = Rig::new(merging());
    behind_an_erase(&mut rig);
    for row in [0x010, 0x011, 0x012] {
        rig.ask(page(Read, 0, row));
    }
    rig.finish();
    let expected = [
        ReadStatus,
        ReadTrigger,
        ReadCacheRandom,
        ReadTransfer,
        ReadCacheRandom,
        ReadTransfer,
        ReadCacheLast,
        ReadTransfer,
    ];
    assert_eq!(operations(&rig), expected);
}

#[test]
fn programs_that_follow_use_cache_mode_and_each_has_its_own_outcome() {
    let mut rig = Rig::new(merging());
    rig.chips.failing = vec![0x011, 0x112];
    behind_an_erase(&mut rig);
    let rows = [0x010, 0x110, 0x011, 0x111, 0x012, 0x112];
    let asked = rows.map(|row| rig.ask(page(Program, 0, row)));
    rig.finish();
    let expected = [
        ReadStatus,
        ProgramMultiPlane,
        ProgramCache,
        ProgramMultiPlane,
        ProgramCache,
        ReadStatusEnhanced,
        ReadStatusEnhanced,
        ProgramMultiPlane,
        ProgramPage,
        ReadStatusEnhanced,
        ReadStatusEnhanced,
        ReadStatusEnhanced,
        ReadStatusEnhanced,
    ];
    assert_eq!(operations(&rig), expected);
    for (row, ticket) in rows.into_iter().zip(asked) {
        let found = rig.answers.iter().find(|(_, completion)| completion.ticket == ticket);
        let outcome = found.map(|(_, completion)| completion.response.outcome);
        let failed = [0x011, 0x112].contains(&row);
        let expected = if failed { Outcome::Failed } else { Outcome::Success };
        assert_eq!(outcome, Some(expected), "row {row:#x}");
    }
}

#[test]
fn merged_pages_take_less_time() {
    let time = |policy| {
        let mut rig = Rig::new(policy);
        for row in 0..8 {
            for way in 0..2 {
                rig.ask(page(Program, way, row));
                rig.ask(page(Program, way, 0x100 + row));
            }
        }
        rig.finish();
        assert_eq!(rig.answers.len(), 32);
        rig.answers.last().map(|(at, _)| at.as_ps())
    };
    let planes = Policy { merge_cache_program: false, ..merging() };
    let times = [merging(), planes, policy()].map(time);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
}

/// Of three programs, two are followed by another in cache mode: the array is done with these sooner.
#[test]
fn a_program_that_another_follows_in_cache_mode_takes_a_share_of_its_time() {
    let time = |cached_program_permille| {
        let mut setup = setup(merging());
        setup.times.cached_program_permille = cached_program_permille;
        let mut rig = Rig::of(setup);
        behind_an_erase(&mut rig);
        for row in [0x010, 0x011, 0x012] {
            rig.ask(page(Program, 0, row));
        }
        rig.finish();
        (rig.answers.last().expect("three answers").0, rig.chips.program)
    };
    let ((all, program), (share, _)) = (time(1000), time(600));
    let saved = all.since(share).as_ps();
    let expected = 2 * program.as_ps() * 4 / 10;
    assert!(saved.abs_diff(expected) < 2_000_000, "{saved} ps, expected {expected}");
}

#[test]
fn a_word_line_is_three_requests() {
    let mut rig = Rig::new(policy());
    for third in 0..3 {
        rig.ask(page(ProgramOneShot, 0, third));
    }
    rig.finish();
    let expected = [ProgramPart, ProgramPart, ProgramPage, ReadStatus, ReadStatus, ReadStatus];
    assert_eq!(operations(&rig), expected);
    assert_eq!(rig.chips.groups, [vec![0, 1, 2]]);
}
