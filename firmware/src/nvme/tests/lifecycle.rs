//! Enable, disable and shutdown, with commands in flight.

use super::*;
use crate::nvme::backend::IoKind;
use mock::SLOTS;
use nvme::admin::{FormatNvm, IdentifyStructure, SecureErase};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use proptest::prelude::*;

fn read() -> Entry {
    IoCommand::Read(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal).emit(header(1))
}

fn deallocate() -> Entry {
    let purpose = DatasetUse::Deallocate;
    IoCommand::DatasetManagement { ranges: 2, purpose }.emit(header(1))
}

const FORMAT: AdminCommand =
    AdminCommand::FormatNvm(FormatNvm { format: 0, protection: 0, erase: SecureErase::None });

#[test]
fn enable_makes_the_controller_ready() {
    let mut bench = Bench::disabled(1);
    assert!(!bench.turn());
    bench.event(HostEvent::Enable);
    assert_eq!(bench.hw.calls.last(), Some(&Call::Ready(true)));
    bench.create_pair(1);
}

#[test]
fn a_command_before_enable_is_dropped() {
    let mut bench = Bench::disabled(1);
    let tag = bench.send(0, read());
    assert!(bench.take(tag).is_some());
    bench.event(HostEvent::Enable);
    assert!(bench.errors().is_empty());
}

#[test]
fn disable_waits_for_every_command_in_flight() {
    let mut bench = Bench::new();
    bench.send(1, read());
    bench.send(1, deallocate());
    bench.send_admin(AdminCommand::Identify(IdentifyStructure::Controller));
    bench.send_admin(AdminCommand::AsyncEventRequest);
    bench.send(0, FORMAT.emit(header(1)));
    bench.send_admin(AdminCommand::DeleteSubmissionQueue { id: 1 });
    bench.event(HostEvent::Disable);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 0);
    bench.storage.end(IoOutcome::TransferError);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 0);
    bench.storage.end_control(IoOutcome::TransferError);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 1);
    assert_eq!(bench.hw.free_tags(), usize::from(SLOTS));
    assert!(!bench.turn());

    bench.event(HostEvent::Enable);
    assert!(bench.errors().is_empty(), "a reset is no error of the commands it ends");
    bench.create_pair(1);
    bench.send(1, read());
    assert_eq!(bench.storage.submitted.len(), 1);
}

#[test]
fn disable_stops_a_range_list_half_way() {
    let mut bench = Bench::new();
    bench.send(1, deallocate());
    bench.hw.page[4] = 1;
    bench.hw.page[20] = 1;
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    bench.event(HostEvent::Disable);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.storage.submitted.is_empty());
    assert_eq!(bench.called(Call::Ready(false)), 1);
}

#[test]
fn disable_waits_for_the_flush_of_a_format_and_gives_the_format_up() {
    let mut bench = Bench::new();
    bench.send(0, FORMAT.emit(header(1)));
    bench.settle();
    bench.event(HostEvent::Disable);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 0);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 1);
    assert_eq!(bench.storage.formats, 0);
}

#[test]
fn enable_during_a_disable_takes_place_after_it() {
    let mut bench = Bench::new();
    bench.send(1, read());
    bench.event(HostEvent::Disable);
    bench.event(HostEvent::Enable);
    bench.settle();
    assert_eq!(bench.hw.calls, []);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.hw.calls.first(), Some(&Call::Ready(false)));
    assert_eq!(bench.hw.calls.last(), Some(&Call::Ready(true)));
    bench.create_pair(1);
}

#[test]
fn shutdown_drains_flushes_and_refuses_commands() {
    let mut bench = Bench::new();
    let before = bench.send(1, read());
    bench.send_admin(AdminCommand::AsyncEventRequest);
    bench.event(HostEvent::Shutdown);
    bench.settle();
    let after = bench.send(1, read());
    assert!(bench.take(after).unwrap().0.is(Status::ABORTED_POWER_LOSS));
    assert_eq!(bench.storage.submitted.len(), 1);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(before).unwrap().0.is_success());
    assert_eq!(bench.called(Call::ShutdownDone), 0);
    let flush = bench.storage.end(IoOutcome::Success);
    assert_eq!((flush.tag, flush.kind), (CommandTag(SLOTS), IoKind::Flush));
    bench.settle();
    assert_eq!(bench.called(Call::ShutdownDone), 1);

    bench.event(HostEvent::Disable);
    bench.settle();
    bench.event(HostEvent::Enable);
    bench.create_pair(1);
}

#[test]
fn a_reset_during_the_shutdown_flush_waits_for_it_and_reports_nothing() {
    let mut bench = Bench::new();
    bench.event(HostEvent::Shutdown);
    bench.settle();
    bench.event(HostEvent::Disable);
    bench.settle();
    assert_eq!(bench.called(Call::Ready(false)), 0);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.hw.calls, [Call::Ready(false)]);
    bench.event(HostEvent::Enable);
    bench.event(HostEvent::Shutdown);
    bench.settle();
    bench.storage.end(IoOutcome::WriteFault);
    bench.settle();
    assert_eq!(bench.hw.calls.last(), Some(&Call::ShutdownDone));
}

#[test]
fn a_second_flush_waits_for_the_first() {
    let mut bench = Bench::disabled(1);
    bench.event(HostEvent::Shutdown);
    bench.settle();
    bench.event(HostEvent::Enable);
    bench.event(HostEvent::Shutdown);
    bench.settle();
    assert_eq!(bench.storage.submitted.len(), 1);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.called(Call::ShutdownDone), 0);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.called(Call::ShutdownDone), 1);
}

/// A step of a host that does as it likes, and of the storage below.
#[derive(Clone, Debug)]
enum Step {
    Command { queue: u16, entry: [u32; 16] },
    Event(u8),
    End(IoOutcome),
    EndControl(IoOutcome),
    Turn,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let outcome = prop_oneof![
        4 => Just(IoOutcome::Success),
        1 => Just(IoOutcome::TransferError),
        1 => Just(IoOutcome::WriteFault),
    ];
    let opcode = prop_oneof![0u32..16, Just(0x80), any::<u8>().prop_map(u32::from)];
    let small = || prop_oneof![3 => 0u32..8, 1 => any::<u32>()];
    let queue_shape = (1u32..5, 1u32..5).prop_map(|(id, other)| (63 << 16 | id, other << 16 | 1));
    let dwords = prop_oneof![2 => (small(), small()), 1 => queue_shape];
    let command = (0u16..5, opcode, 0u32..3, dwords, small(), 0u32..64).prop_map(
        |(queue, opcode, nsid, (ten, eleven), twelve, pointer)| {
            let mut entry = [0; 16];
            entry[0] = opcode | if pointer == 1 { 0x100 } else { 0 };
            entry[1] = nsid;
            entry[6] = if pointer == 0 { 2 } else { pointer << 12 };
            (entry[10], entry[11], entry[12]) = (ten, eleven, twelve);
            Step::Command { queue, entry }
        },
    );
    let step = prop_oneof![
        12 => command,
        1 => (0u8..5).prop_map(Step::Event),
        6 => outcome.clone().prop_map(Step::End),
        4 => outcome.prop_map(Step::EndControl),
        8 => Just(Step::Turn),
    ];
    prop::collection::vec(step, 1..200)
}

proptest! {
    #[test]
    fn whatever_a_host_does_every_command_ends_exactly_once(steps in steps()) {
        let mut bench = Bench::new();
        for step in steps {
            match step {
                Step::Command { queue, entry } if bench.hw.free_tags() > 0 => {
                    bench.send(queue, Entry(entry));
                }
                Step::Event(0) => bench.event(HostEvent::Disable),
                Step::Event(1) => bench.event(HostEvent::Shutdown),
                Step::Event(kind @ (2 | 3)) => bench.event(HostEvent::DoorbellError(kind - 2)),
                Step::Event(_) => bench.event(HostEvent::Enable),
                Step::End(outcome) if !bench.storage.submitted.is_empty() => {
                    bench.storage.end(outcome);
                }
                Step::EndControl(outcome) if bench.storage.control.is_some() => {
                    bench.storage.end_control(outcome);
                }
                _ => {
                    bench.turn();
                }
            }
        }
        bench.event(HostEvent::Disable);
        bench.settle();
        while !bench.storage.submitted.is_empty() || bench.storage.control.is_some() {
            if bench.storage.control.is_some() {
                bench.storage.end_control(IoOutcome::Success);
            } else {
                bench.storage.end(IoOutcome::Success);
            }
            bench.settle();
        }
        prop_assert_eq!(bench.hw.free_tags(), usize::from(SLOTS));
        prop_assert_eq!(bench.hw.calls.last(), Some(&Call::Ready(false)));
        bench.event(HostEvent::Enable);
        bench.create_pair(1);
        bench.send(1, read());
        prop_assert_eq!(bench.storage.submitted.len(), 1);
    }
}
