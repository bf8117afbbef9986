//! Requests that go together: planes, cache mode, word lines.

use crate::scheduler::channel::{Channel, Outcome, Policy, Request};
use crate::scheduler::operation::*;

/// The row of a page: plane bits from bit 8 on, LUN from bit 20 on.
fn row(page: u32, plane: u32) -> u32 {
    page & 0xff | plane << 8 | (page >> 8) << 10
}

/// The operations that a way gets for these requests, and the requests they are about.
fn steps(policy: Policy, requests: &[Request]) -> Vec<(u8, u32)> {
    let mut channel = Channel::new(policy);
    // A program that keeps the way busy until all requests are in its queue.
    channel.bus.keep_busy(0, 2000);
    channel.send_all(requests.iter().cloned());
    channel.finish(400_000);
    assert!(channel.outcomes.values().all(|outcome| *outcome == Outcome::Success));
    channel.log().into_iter().map(|(operation, _, id)| (operation, id)).collect()
}

fn requests(operation: u8, rows: &[u32]) -> Vec<Request> {
    rows.iter().map(|row| Request::new(operation, 0, *row)).collect()
}

#[test]
fn reads_of_other_planes_go_together() {
    let rows = [row(5, 0), row(5, 3), row(5, 1), row(5, 0)];
    let policy = Policy { merge_cache_read: false, ..Policy::merging(2) };
    assert_eq!(
        steps(policy, &requests(READ, &rows)),
        [
            (READ_MULTI_PLANE, 0),
            (READ_MULTI_PLANE, 1),
            (READ_TRIGGER, 2),
            (CHANGE_READ_COLUMN_ONFI, 0),
            (CHANGE_READ_COLUMN_ONFI, 1),
            (CHANGE_READ_COLUMN_ONFI, 2),
            (READ_TRIGGER, 3),
            (READ_TRANSFER, 3),
        ]
    );
}

#[test]
fn reads_follow_each_other_in_cache_mode() {
    let mut reads = requests(READ, &[row(1, 0), row(2, 0), row(9, 0), row(4, 1)]);
    reads[1].column = 64;
    assert_eq!(
        steps(Policy::merging(1), &reads),
        [
            (READ_TRIGGER, 0),
            (READ_CACHE_RANDOM, 1),
            (READ_TRANSFER, 0),
            (READ_CACHE_RANDOM, 2),
            // Data begin at column 0 in cache mode.
            (CHANGE_READ_COLUMN, 1),
            (READ_CACHE_LAST, 2),
            (READ_TRANSFER, 2),
            (READ_TRIGGER, 3),
            (READ_TRANSFER, 3),
        ]
    );
}

#[test]
fn plane_groups_follow_each_other_in_cache_mode() {
    let rows = [row(1, 0), row(1, 1), row(2, 1), row(2, 0), row(3, 0)];
    assert_eq!(
        steps(Policy::merging(1), &requests(READ, &rows)),
        [
            (READ_MULTI_PLANE, 0),
            (READ_TRIGGER, 1),
            (READ_MULTI_PLANE, 2),
            (READ_CACHE_RANDOM, 3),
            (CHANGE_READ_COLUMN_ONFI, 0),
            (CHANGE_READ_COLUMN_ONFI, 1),
            (READ_CACHE_LAST, 2),
            (CHANGE_READ_COLUMN_ONFI, 2),
            (CHANGE_READ_COLUMN_ONFI, 3),
            (READ_TRIGGER, 4),
            (READ_TRANSFER, 4),
        ]
    );
    assert_eq!(
        steps(Policy::merging(1), &requests(PROGRAM, &rows)),
        [
            (PROGRAM_MULTI_PLANE, 0),
            (PROGRAM_CACHE, 1),
            (PROGRAM_MULTI_PLANE, 2),
            (PROGRAM_PAGE, 3),
            (READ_STATUS_ENHANCED, 0),
            (READ_STATUS_ENHANCED, 1),
            (READ_STATUS_ENHANCED, 2),
            (READ_STATUS_ENHANCED, 3),
            (PROGRAM_PAGE, 4),
            (READ_STATUS, 4),
        ]
    );
}

#[test]
fn programs_report_the_one_before_in_cache_mode() {
    let rows = [row(1, 0), row(2, 0), row(3, 0)];
    assert_eq!(
        steps(Policy::merging(1), &requests(PROGRAM, &rows)),
        [
            (PROGRAM_CACHE, 0),
            (PROGRAM_CACHE, 1),
            (READ_STATUS, 0),
            (PROGRAM_PAGE, 2),
            (READ_STATUS, 1),
            (READ_STATUS, 2),
        ]
    );
}

#[test]
fn erases_of_other_planes_go_together() {
    let rows = [row(0x300, 0), row(0x300, 1), row(0x400, 1)];
    let expected = |part| {
        [
            (part, 0),
            (ERASE_BLOCK, 1),
            (READ_STATUS_ENHANCED, 0),
            (READ_STATUS_ENHANCED, 1),
            (ERASE_BLOCK, 2),
            (READ_STATUS, 2),
        ]
    };
    let erases = requests(ERASE, &rows);
    assert_eq!(steps(Policy::merging(1), &erases), expected(ERASE_MULTI_PLANE_ONFI));
    let jedec = Policy { jedec: true, ..Policy::merging(1) };
    assert_eq!(steps(jedec, &erases), expected(ERASE_MULTI_PLANE_JEDEC));
}

#[test]
fn jedec_has_commands_of_its_own_for_planes() {
    let jedec = Policy { jedec: true, ..Policy::merging(1) };
    let mut channel = Channel::new(jedec);
    channel.bus.keep_busy(0, 1000);
    for operation in [READ, PROGRAM] {
        channel.send_all(requests(operation, &[row(7, 1), row(7, 0)]));
    }
    channel.finish(100_000);
    let steps: Vec<(u8, u32, bool)> =
        channel.bus.log.iter().map(|step| (step.operation, step.id, step.next_plane)).collect();
    assert_eq!(
        steps,
        [
            (READ_MULTI_PLANE, 0, false),
            (READ_TRIGGER, 1, false),
            (CHANGE_READ_COLUMN_JEDEC, 0, false),
            (CHANGE_READ_COLUMN_JEDEC, 1, false),
            (PROGRAM_MULTI_PLANE, 2, false),
            (PROGRAM_PAGE, 3, true),
            (READ_STATUS_ENHANCED, 2, false),
            (READ_STATUS_ENHANCED, 3, false),
        ]
    );
}

#[test]
fn what_differs_in_more_than_the_plane_does_not_go_together() {
    let alone = |operation: u8, rows: &[u32]| {
        let trigger = if operation == READ { READ_TRIGGER } else { PROGRAM_PAGE };
        let log = steps(Policy::merging(2), &requests(operation, rows));
        let first: Vec<u8> = log.iter().map(|(operation, _)| *operation).collect();
        assert_eq!(first.iter().filter(|step| **step == trigger).count(), rows.len(), "{first:?}");
    };
    for operation in [READ, PROGRAM] {
        // Another page of another plane; the same plane twice, in another LUN.
        alone(operation, &[row(1, 0), row(2, 1)]);
        alone(operation, &[1 << 20 | row(1, 0), row(1, 0)]);
        alone(operation, &[1 << 20 | row(1, 0), 2 << 20 | row(1, 1)]);
    }
    // In models that keep an order, nothing does.
    for model in 1..4 {
        let policy = Policy { model, ..Policy::merging(1) };
        let log = steps(policy, &requests(READ, &[row(1, 0), row(1, 1), row(2, 0)]));
        assert_eq!(log.iter().filter(|step| step.0 == READ_TRIGGER).count(), 3);
    }
}

#[test]
fn status_of_another_lun_names_it() {
    let log = steps(Policy::plain(0), &requests(PROGRAM, &[3 << 20 | row(1, 0), row(1, 0)]));
    let expected =
        [(PROGRAM_PAGE, 0), (READ_STATUS_ENHANCED, 0), (PROGRAM_PAGE, 1), (READ_STATUS, 1)];
    assert_eq!(log, expected);
}

#[test]
fn an_urgent_request_ends_a_cache_sequence() {
    for (operation, expected) in [
        (READ, [READ_CACHE_LAST, READ_TRANSFER, READ_TRIGGER].as_slice()),
        (PROGRAM, [PROGRAM_PAGE, READ_STATUS, READ_STATUS, READ_TRIGGER].as_slice()),
    ] {
        let mut channel = Channel::new(Policy::merging(1));
        channel.bus.keep_busy(0, 1000);
        channel.send_all((0..8).map(|page| Request::new(operation, 0, row(page, 0))));
        let cached = if operation == READ { READ_CACHE_RANDOM } else { PROGRAM_CACHE };
        while channel.log().iter().filter(|step| step.0 == cached).count() < 2 {
            channel.cycle();
        }
        let urgent = channel.send(Request::new(READ, 0, row(99, 0)).urgent());
        let before = channel.log().len();
        channel.finish(400_000);
        let steps: Vec<u8> = channel.log()[before..].iter().map(|step| step.0).collect();
        let begins = channel.log()[before..].iter().position(|step| step.2 == urgent).unwrap();
        assert!(steps[..=begins].ends_with(expected), "{steps:x?}");
        // The sequence ends with the group that was promised to the chip.
        assert!(begins <= 7, "{begins} steps before the urgent request");
    }
}

#[test]
fn three_requests_make_a_word_line() {
    let rows = [row(3, 0), row(4, 0), row(5, 0)];
    for model in 0..4 {
        let policy = Policy { model, ..Policy::merging(1) };
        let expected = [
            (PROGRAM_PART, 0),
            (PROGRAM_PART, 1),
            (PROGRAM_PAGE, 2),
            (READ_STATUS, 0),
            (READ_STATUS, 1),
            (READ_STATUS, 2),
        ];
        assert_eq!(steps(policy, &requests(PROGRAM_ONE_SHOT, &rows)), expected);
    }
}

#[test]
fn operations_of_one_page_each() {
    for (operation, trigger, transfer) in [
        (READ_PARAMETER_PAGE, PARAMETER_PAGE_TRIGGER, READ_TRANSFER),
        (READ_UNIQUE_ID, UNIQUE_ID_TRIGGER, READ_TRANSFER),
        (GET_FEATURES, FEATURES_TRIGGER, FEATURES_TRANSFER),
        (GET_FEATURES_LUN, FEATURES_LUN_TRIGGER, FEATURES_TRANSFER),
    ] {
        let mut channel = Channel::new(Policy::merging(1));
        channel.send_all(requests(operation, &[0, 0]));
        channel.finish(20_000);
        let expected = [(trigger, 0, 0), (transfer, 0, 0), (trigger, 0, 1), (transfer, 0, 1)];
        assert_eq!(channel.log(), expected);
        if transfer == FEATURES_TRANSFER {
            assert_eq!(channel.values[&1], 0x5a00_0001, "the four bytes");
        }
    }
}
