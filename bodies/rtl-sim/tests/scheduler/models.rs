//! The execution models, in orders written down by hand.

use crate::scheduler::channel::{
    Channel, Policy, Request, DECOUPLED, IN_ORDER, OUT_OF_ORDER, SEQUENTIAL,
};
use crate::scheduler::operation::*;

/// Two programs to chip 2, an erase of chip 0, a read of chip 1, as in Ozone's figure 3: the
/// second program meets a busy chip.
fn figure_3(model: u64) -> Vec<(u8, u32)> {
    let mut channel = Channel::new(Policy::plain(model));
    channel.send(Request::new(PROGRAM, 2, 0x100));
    channel.send(Request::new(PROGRAM, 2, 0x201));
    channel.send(Request::new(ERASE, 0, 0x300));
    channel.send(Request::new(READ, 1, 0x400));
    channel.finish(200_000);
    channel.log().into_iter().map(|(operation, way, _)| (operation, way)).collect()
}

#[test]
fn sequential_runs_one_operation_at_a_time() {
    let expected = [
        (PROGRAM_PAGE, 2),
        (READ_STATUS, 2),
        (PROGRAM_PAGE, 2),
        (READ_STATUS, 2),
        (ERASE_BLOCK, 0),
        (READ_STATUS, 0),
        (READ_TRIGGER, 1),
        (READ_TRANSFER, 1),
    ];
    assert_eq!(figure_3(SEQUENTIAL), expected);
    assert_eq!(figure_3(IN_ORDER), expected);
}

#[test]
fn decoupled_begins_and_completes_in_order() {
    // The erase waits behind the second program, and the read cannot complete before the erase.
    let expected = [
        (PROGRAM_PAGE, 2),
        (READ_STATUS, 2),
        (PROGRAM_PAGE, 2),
        (ERASE_BLOCK, 0),
        (READ_TRIGGER, 1),
        (READ_STATUS, 2),
        (READ_STATUS, 0),
        (READ_TRANSFER, 1),
    ];
    assert_eq!(figure_3(DECOUPLED), expected);
}

#[test]
fn out_of_order_keeps_the_order_of_a_way_only() {
    let expected = [
        (PROGRAM_PAGE, 2),
        (ERASE_BLOCK, 0),
        (READ_TRIGGER, 1),
        (READ_TRANSFER, 1),
        (READ_STATUS, 2),
        (PROGRAM_PAGE, 2),
        (READ_STATUS, 2),
        (READ_STATUS, 0),
    ];
    assert_eq!(figure_3(OUT_OF_ORDER), expected);
}

/// A read of chip 1, a program of chip 2, and a read of chip 3. The first read is ready before the
/// program's data are in.
fn read_behind_program(model: u64) -> Vec<(u8, u32)> {
    let mut policy = Policy::plain(model);
    // The first command takes until all requests are in.
    (policy.times.command, policy.times.read) = (100, 300);
    let mut channel = Channel::new(policy);
    channel.send(Request::new(READ, 1, 0x100));
    channel.send(Request::new(PROGRAM, 2, 0x200));
    channel.send(Request::new(READ, 3, 0x300));
    channel.finish(50_000);
    channel.log().into_iter().map(|(operation, way, _)| (operation, way)).collect()
}

#[test]
fn steps_without_data_go_before_those_with_data() {
    let decoupled = [
        (READ_TRIGGER, 1),
        (PROGRAM_PAGE, 2),
        (READ_TRIGGER, 3),
        (READ_TRANSFER, 1),
        (READ_STATUS, 2),
        (READ_TRANSFER, 3),
    ];
    assert_eq!(read_behind_program(DECOUPLED), decoupled);
    let out_of_order = [
        (READ_TRIGGER, 1),
        (READ_TRIGGER, 3),
        (PROGRAM_PAGE, 2),
        (READ_TRANSFER, 3),
        (READ_TRANSFER, 1),
        (READ_STATUS, 2),
    ];
    assert_eq!(read_behind_program(OUT_OF_ORDER), out_of_order);
}

#[test]
fn phases_of_firmware_stay_in_its_order() {
    let phases = [
        (READ_TRIGGER, 0),
        (READ_TRIGGER, 1),
        (READ_TRANSFER, 0),
        // Way 2 is idle all the time, and still waits for the page of way 1.
        (READ_TRANSFER, 1),
        (PROGRAM_PAGE, 2),
        (ERASE_BLOCK, 3),
        // Status needs no ready way, so this one is only as late as it was sent.
        (READ_STATUS, 2),
        (READ_STATUS, 3),
    ];
    let mut channel = Channel::new(Policy::plain(IN_ORDER));
    for (operation, way) in phases {
        channel.send(Request::new(operation, way, 0x100));
    }
    channel.finish(50_000);
    let log: Vec<(u8, u32)> = channel.log().iter().map(|step| (step.0, step.1)).collect();
    assert_eq!(log, phases);
}
