//! Creation and deletion of I/O queues.

use super::*;
use contract::{CompletionQueue, SubmissionQueue};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

const CREATE_SQ: u8 = 0x01;
const CREATE_CQ: u8 = 0x05;
const DELETE_SQ: u8 = 0x00;
const DELETE_CQ: u8 = 0x04;

fn queue_entry(opcode: u8, dword10: u32, dword11: u32) -> Entry {
    Entry::new(opcode, header(0)).with(10, dword10).with(11, dword11)
}

fn read() -> Entry {
    IoCommand::Read(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal).emit(header(1))
}

/// Also where the compiler checks no overflow: nothing in the firmware goes on with a count that is wrong.
#[test]
#[should_panic = "more commands completed than fetched"]
fn a_count_of_commands_does_not_go_below_zero() {
    let mut queues = crate::nvme::queues::Queues::new(&configuration());
    queues.fetched(1);
    queues.completed(1);
    queues.completed(1);
}

#[test]
fn legal_queues_reach_the_interface_as_asked() {
    let mut bench = Bench::new();
    bench.create_pair(4);
    let completion = CompletionQueue { id: 4, entries: 64, base: 0x10_0000, vector: Some(4) };
    let submission =
        SubmissionQueue { id: 4, entries: 64, base: 0x10_0000, completion_queue: 4, priority: 0 };
    let expected = [Call::CreateCompletion(completion), Call::CreateSubmission(submission)];
    assert_eq!(bench.hw.calls, expected);
}

#[test]
fn each_illegal_queue_has_its_status() {
    let id = Status::INVALID_QUEUE_IDENTIFIER;
    let size = Status::INVALID_QUEUE_SIZE;
    for (opcode, dword10, dword11, status, at) in [
        (CREATE_CQ, 63 << 16, 1, id, (40, 0)),
        (CREATE_CQ, 63 << 16 | 1, 1, id, (40, 0)),
        (CREATE_CQ, 63 << 16 | 5, 1, id, (40, 0)),
        (CREATE_CQ, 63 << 16 | 0xffff, 1, id, (40, 0)),
        (CREATE_CQ, 2, 1, size, (42, 0)),
        (CREATE_CQ, 1024 << 16 | 2, 1, size, (42, 0)),
        (CREATE_CQ, 63 << 16 | 2, 0, Status::INVALID_FIELD, (44, 0)),
        (CREATE_CQ, 63 << 16 | 2, 5 << 16 | 3, Status::INVALID_INTERRUPT_VECTOR, (46, 0)),
        (CREATE_SQ, 63 << 16, 1 << 16 | 1, id, (40, 0)),
        (CREATE_SQ, 63 << 16 | 1, 1 << 16 | 1, id, (40, 0)),
        (CREATE_SQ, 63 << 16 | 5, 1 << 16 | 1, id, (40, 0)),
        (CREATE_SQ, 2, 1 << 16 | 1, size, (42, 0)),
        (CREATE_SQ, 1024 << 16 | 2, 1 << 16 | 1, size, (42, 0)),
        (CREATE_SQ, 63 << 16 | 2, 1 << 16, Status::INVALID_FIELD, (44, 0)),
        (CREATE_SQ, 63 << 16 | 2, 1, id, (46, 0)),
        (CREATE_SQ, 63 << 16 | 2, 5 << 16 | 1, id, (46, 0)),
        (CREATE_SQ, 63 << 16 | 2, 2 << 16 | 1, Status::COMPLETION_QUEUE_INVALID, (46, 0)),
        (DELETE_SQ, 0, 0, id, (40, 0)),
        (DELETE_SQ, 2, 0, id, (40, 0)),
        (DELETE_SQ, 0xffff, 0, id, (40, 0)),
        (DELETE_CQ, 0, 0, id, (40, 0)),
        (DELETE_CQ, 2, 0, id, (40, 0)),
        (DELETE_CQ, 0xffff, 0, id, (40, 0)),
        (DELETE_CQ, 1, 0, Status::INVALID_QUEUE_DELETION, (40, 0)),
    ] {
        let mut bench = Bench::new();
        bench.refuse(0, queue_entry(opcode, dword10, dword11), status, at);
        assert_eq!(bench.hw.calls, []);
    }
}

#[test]
fn a_queue_starts_on_a_page() {
    let mut bench = Bench::new();
    for entry in [
        queue_entry(CREATE_CQ, 63 << 16 | 2, 1).with(6, 0x10_0010),
        queue_entry(CREATE_SQ, 63 << 16 | 2, 1 << 16 | 1).with(6, 0x10_0800),
    ] {
        bench.refuse(0, entry, Status::INVALID_PRP_OFFSET, (24, 0));
    }
}

#[test]
fn queues_are_deleted_in_order_and_can_come_back() {
    let mut bench = Bench::new();
    bench.expect(AdminCommand::DeleteCompletionQueue { id: 1 }, Status::INVALID_QUEUE_DELETION);
    bench.expect(AdminCommand::DeleteSubmissionQueue { id: 1 }, Status::SUCCESS);
    bench.expect(AdminCommand::DeleteSubmissionQueue { id: 1 }, Status::INVALID_QUEUE_IDENTIFIER);
    bench.expect(AdminCommand::DeleteCompletionQueue { id: 1 }, Status::SUCCESS);
    assert_eq!(bench.hw.calls, [Call::DeleteSubmission(1), Call::DeleteCompletion(1)]);
    bench.create_pair(1);
}

#[test]
fn deletion_waits_for_the_commands_of_its_queue_only() {
    let mut bench = Bench::new();
    bench.create_pair(2);
    let first = bench.send(1, read());
    let other = bench.send(2, read());
    let delete = bench.send_admin(AdminCommand::DeleteSubmissionQueue { id: 1 });
    bench.settle();
    assert_eq!(bench.take(delete), None);
    bench.expect(AdminCommand::DeleteCompletionQueue { id: 1 }, Status::INVALID_QUEUE_DELETION);

    bench.storage.end(IoOutcome::Success);
    bench.settle();
    let tags: Vec<CommandTag> = bench.hw.completions.iter().map(|c| c.tag).collect();
    assert_eq!(tags, [first, delete]);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(other).unwrap().0.is_success());
}

#[test]
fn commands_fetched_before_a_deletion_are_aborted_and_complete_first() {
    let mut bench = Bench::new();
    bench.hw.still_to_come = 1;
    let delete = bench.send_admin(AdminCommand::DeleteSubmissionQueue { id: 1 });
    for _ in 0..3 {
        bench.turn();
        assert_eq!(bench.take(delete), None);
    }
    let late = bench.send(1, read());
    bench.settle();
    let tags: Vec<CommandTag> = bench.hw.completions.iter().map(|c| c.tag).collect();
    assert_eq!(tags, [late, delete]);
    assert!(bench.take(late).unwrap().0.is(Status::ABORTED_SQ_DELETION));
    assert!(bench.take(delete).unwrap().0.is_success());
}
