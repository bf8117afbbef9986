//! Format NVM.

use super::*;
use crate::nvme::backend::IoKind;
use nvme::admin::{FormatNvm, IdentifyStructure, SecureErase};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

fn format(format: u8) -> Entry {
    let format = FormatNvm { format, protection: 0, erase: SecureErase::UserData };
    AdminCommand::FormatNvm(format).emit(header(1))
}

fn read() -> Entry {
    IoCommand::Read(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal).emit(header(1))
}

#[test]
fn each_illegal_field_has_its_status() {
    for (dword10, nsid, status, at) in [
        (2, 1, Status::INVALID_FORMAT, (40, 0)),
        (15, 1, Status::INVALID_FORMAT, (40, 0)),
        (1 << 5, 1, Status::INVALID_FORMAT, (40, 5)),
        (2 << 9, 1, Status::INVALID_FIELD, (41, 1)),
        (3 << 9, 1, Status::INVALID_FIELD, (41, 1)),
        (0, 0, Status::INVALID_NAMESPACE, (4, 0)),
        (0, 2, Status::INVALID_NAMESPACE, (4, 0)),
    ] {
        let mut bench = Bench::new();
        bench.refuse(0, Entry::new(0x80, header(nsid)).with(10, dword10), status, at);
        assert_eq!(bench.storage.formats, 0);
    }
}

#[test]
fn a_format_drains_flushes_settles_and_then_changes_the_block_size() {
    let mut bench = Bench::new();
    let earlier = bench.send(1, read());
    let tag = bench.send(0, format(1));
    bench.settle();
    let refused = bench.send(1, read());
    let (status, _) = bench.take(refused).unwrap();
    assert!(status.is(Status::FORMAT_IN_PROGRESS) && !status.forbids_retry());
    let second = bench.send(0, format(0));
    assert!(bench.take(second).unwrap().0.is(Status::FORMAT_IN_PROGRESS));

    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(earlier).unwrap().0.is_success());
    bench.storage.busy_in_background = true;
    let flush = bench.storage.end(IoOutcome::Success);
    assert_eq!((flush.tag, flush.kind), (tag, IoKind::Flush));
    bench.settle();
    assert_eq!((bench.storage.formats, bench.take(tag)), (0, None));
    assert!(!bench.turn(), "a format that waits changes nothing");

    bench.storage.busy_in_background = false;
    bench.settle();
    assert_eq!(bench.take(tag), Some((Status::SUCCESS, 0)));
    assert_eq!((bench.storage.formats, bench.storage.block_bytes), (1, 512));
    let last = IoCommand::Read(BlockRange { start: 32_767, blocks: 1 }, UnitAccess::Normal);
    bench.send(1, last.emit(header(1)));
    assert_eq!(bench.storage.submitted.len(), 1);
}

#[test]
fn all_namespaces_may_be_formatted() {
    let mut bench = Bench::new();
    let tag = bench.send(0, format(0).with(1, 0xffff_ffff));
    bench.settle();
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is_success());
}

#[test]
fn a_stream_of_admin_commands_cannot_hold_a_format_up() {
    let mut bench = Bench::new();
    let identify = AdminCommand::Identify(IdentifyStructure::Controller);
    let tag = bench.send(0, format(0));
    bench.settle();
    let moving = bench.send_admin(identify);
    let waiting = bench.send_admin(identify);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    let order: Vec<CommandTag> = bench.hw.completions.iter().map(|c| c.tag).collect();
    assert_eq!(order, [moving, tag]);
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(waiting).unwrap().0.is_success());
}

#[test]
fn a_flush_that_fails_fails_the_format() {
    let mut bench = Bench::new();
    let tag = bench.send(0, format(1));
    bench.settle();
    bench.storage.end(IoOutcome::WriteFault);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is(Status::WRITE_FAULT));
    assert_eq!(bench.storage.formats, 0);
    bench.send(1, read());
    assert_eq!(bench.storage.submitted.len(), 1);
}
