//! Format NVM.

use super::*;
use crate::nvme::backend::IoKind;
use nvme::admin::{EventAfterRead, FormatNvm, GetLogPage, IdentifyStructure, LogPage, SecureErase};
use nvme::identify::parse_active_namespaces;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::log::{notice, AsyncEvent};

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

impl Bench {
    fn formatted(&mut self, to: u8) {
        let tag = self.send(0, format(to));
        self.settle();
        self.storage.end(IoOutcome::Success);
        self.settle();
        assert!(self.take(tag).unwrap().0.is_success());
    }

    /// The namespaces that have changed since their list was read with the event cleared.
    fn changed(&mut self, event: EventAfterRead) -> Vec<u32> {
        let page = LogPage::ChangedNamespaces;
        let log = GetLogPage { page, event, offset: 0, length: 4096 };
        self.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
        parse_active_namespaces(&self.hw.page).collect()
    }
}

#[test]
fn another_block_size_is_an_event_where_the_host_wants_it() {
    for (wanted, expected) in [(0, None), (notice::NAMESPACE, Some(AsyncEvent::NamespaceChanged))] {
        let mut bench = Bench::new();
        let entry = Entry::new(0x09, header(0)).with(10, 0x0b).with(11, wanted);
        assert!(bench.finish(0, entry).0.is_success());
        let request = bench.send_admin(AdminCommand::AsyncEventRequest);
        bench.formatted(0);
        assert_eq!(bench.take(request), None, "it has the size that it had");
        assert_eq!(bench.changed(EventAfterRead::Cleared), []);

        bench.formatted(1);
        let told = bench.take(request).and_then(|(_, result)| AsyncEvent::parse(result));
        assert_eq!(told, expected);
        assert_eq!(bench.changed(EventAfterRead::Retained), [1]);
        assert_eq!(bench.changed(EventAfterRead::Cleared), [1]);
        assert_eq!(bench.changed(EventAfterRead::Cleared), []);
    }
}

#[test]
fn a_second_change_is_told_once_the_list_was_read() {
    let mut bench = Bench::new();
    let entry = Entry::new(0x09, header(0)).with(10, 0x0b).with(11, notice::NAMESPACE);
    assert!(bench.finish(0, entry).0.is_success());
    let requests = [(); 2].map(|()| bench.send_admin(AdminCommand::AsyncEventRequest));
    let told = |bench: &mut Bench| {
        requests.iter().filter(|request| bench.take(**request).is_some()).count()
    };
    bench.formatted(1);
    assert_eq!(told(&mut bench), 1);
    bench.formatted(0);
    assert_eq!(told(&mut bench), 0, "the first is masked");
    bench.changed(EventAfterRead::Retained);
    assert_eq!(told(&mut bench), 0);
    bench.changed(EventAfterRead::Cleared);
    bench.settle();
    assert_eq!(told(&mut bench), 1);
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
