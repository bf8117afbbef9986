//! Identify, Abort, and admin commands that do not exist.

use super::*;
use contract::{Configuration, DmaDirection, DoorbellBuffers, Work};
use nvme::admin::IdentifyStructure;
use nvme::identify::{
    admin_capability, io_capability, parse_active_namespaces, parse_uuid_descriptor, Controller,
    Namespace,
};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

impl Bench {
    pub(super) fn identify(&mut self, structure: IdentifyStructure, nsid: u32) -> [u8; 4096] {
        let entry = AdminCommand::Identify(structure).emit(header(nsid));
        assert_eq!(self.finish(0, entry), (Status::SUCCESS, 0));
        self.hw.page
    }
}

#[test]
fn the_controller_says_what_it_can_do() {
    let mut bench = Bench::new();
    let controller = Controller::parse(&bench.identify(IdentifyStructure::Controller, 0));
    assert_eq!(controller.version, 0x0001_0400);
    assert_eq!(controller.max_transfer, 5);
    assert_eq!((controller.submission_entry, controller.completion_entry), (0x66, 0x44));
    assert_eq!((controller.namespaces, controller.sgl, controller.cache), (1, 0, 7));
    assert_eq!((controller.event_limit, controller.error_entries), (3, 63));
    // Identify Controller, CNTRLTYPE and ACL: an I/O controller, four Aborts at a time.
    assert_eq!((controller.kind, controller.abort_limit, controller.id), (1, 3, 1));
    // LPA, bits 1 and 2: the log of commands, and extended data of Get Log Page.
    assert_eq!(controller.log_attributes, 6);
    // OAES, bit 8: Namespace Attribute Notices.
    assert_eq!(controller.notices, 0x100);
    assert_eq!((controller.warning_kelvin, controller.critical_kelvin), (343, 353));
    assert_eq!(controller.io_commands & io_capability::COMPARE, io_capability::COMPARE);
    assert_eq!(controller.total_capacity, 16 << 20);
    assert!(controller.model.starts_with(b"Firmament"));
    let name = &controller.subsystem_name;
    assert!(name.starts_with(b"nqn.2014-08.org.nvmexpress:uuid:5b0e5c93-612f-4d7a-9e08-3cd147b2"));
    assert_eq!(name.iter().position(|byte| *byte == 0), Some(32 + 36));
}

#[test]
fn the_namespace_says_its_size_and_formats() {
    let mut bench = Bench::new();
    let namespace = Namespace::parse(&bench.identify(IdentifyStructure::Namespace, 1));
    assert_eq!((namespace.size, namespace.capacity, namespace.in_use), (4096, 4096, 77));
    assert_eq!((namespace.formats, namespace.format_in_use), (1, 0));
    let sizes: Vec<u8> = namespace.block_formats.iter().map(|f| f.block_size).collect();
    assert_eq!(sizes[..3], [12, 9, 0]);
    assert_eq!((namespace.write_granularity, namespace.optimal_write), (3, 3));
    assert_eq!(namespace.deallocate_features, 1);
    assert_eq!(namespace.byte_capacity, 16 << 20);
}

#[test]
fn lists_name_the_one_namespace() {
    let mut bench = Bench::new();
    for (after, expected) in [(0, &[1u32][..]), (1, &[]), (0xffff_fffd, &[])] {
        let page = bench.identify(IdentifyStructure::ActiveNamespaces, after);
        assert_eq!(parse_active_namespaces(&page).collect::<Vec<_>>(), expected);
    }
    let page = bench.identify(IdentifyStructure::NamespaceDescriptors, 1);
    assert!(parse_uuid_descriptor(&page).is_some());
}

#[test]
fn a_namespace_has_identifiers_of_its_drive_alone() {
    let of_drive = |serial| {
        let config = Configuration { serial, ..configuration() };
        let mut bench = Bench { manager: Manager::new(&config), ..Bench::disabled(1) };
        bench.event(HostEvent::Enable);
        let list = bench.identify(IdentifyStructure::NamespaceDescriptors, 1);
        let namespace = Namespace::parse(&bench.identify(IdentifyStructure::Namespace, 1));
        // EUI64 and NGUID stand first in the list, and say what the namespace says.
        assert_eq!((&list[..2], &list[12..14]), (&[1, 8][..], &[2, 16][..]));
        assert_eq!((&list[4..12], &list[16..32]), (&namespace.eui64[..], &namespace.guid[..]));
        // Bit 1 of an OUI's first byte: for local use, which needs no registration.
        assert_eq!((namespace.eui64[0] & 3, namespace.guid[8] & 3), (2, 2));
        (namespace.eui64, namespace.guid, parse_uuid_descriptor(&list).unwrap())
    };
    let (one, two) = (of_drive(1), of_drive(2));
    assert!(one.0 != two.0 && one.1 != two.1 && one.2 != two.2);
    assert_eq!(one, of_drive(1));
}

#[test]
fn each_illegal_identify_has_its_status() {
    let namespace = Status::INVALID_NAMESPACE;
    for (cns, nsid, status, at) in [
        (0x00, 0, namespace, (4, 0)),
        (0x00, 2, namespace, (4, 0)),
        (0x00, 0xffff_ffff, namespace, (4, 0)),
        (0x02, 0xffff_fffe, namespace, (4, 0)),
        (0x02, 0xffff_ffff, namespace, (4, 0)),
        (0x03, 0, namespace, (4, 0)),
        (0x03, 0xffff_ffff, namespace, (4, 0)),
        (0x04, 1, Status::INVALID_FIELD, (40, 0)),
        (0x13, 1, Status::INVALID_FIELD, (40, 0)),
    ] {
        let entry = Entry::new(0x06, header(nsid)).with(10, cns);
        Bench::new().refuse(0, entry, status, at);
    }
    // Of structures that other drives have, each; docs/nvme.md names them.
    for cns in 0x04..=0xff {
        let entry = Entry::new(0x06, header(1)).with(10, cns);
        Bench::new().refuse(0, entry, Status::INVALID_FIELD, (40, 0));
    }
    let entry = Entry::new(0x06, header(1)).with(6, 0x10_0002);
    Bench::new().refuse(0, entry, Status::INVALID_PRP_OFFSET, (24, 0));
}

#[test]
fn commands_that_do_not_exist_are_refused() {
    for opcode in
        [0x03, 0x07, 0x0b, 0x0d, 0x10, 0x11, 0x14, 0x18, 0x7c, 0x7f, 0x81, 0x84, 0xc0, 0xff]
    {
        let entry = Entry::new(opcode, header(1));
        Bench::new().refuse(0, entry, Status::INVALID_OPCODE, (0, 0));
    }
    let fused = Entry::new(0x06, header(1)).with(0, 0x0206);
    Bench::new().refuse(0, fused, Status::INVALID_FIELD, (1, 0));
}

#[test]
fn doorbell_buffers_are_there_where_they_are_offered() {
    let mut config = configuration();
    config.doorbell_buffers = DoorbellBuffers::Offered;
    let mut bench = Bench { manager: Manager::new(&config), ..Bench::disabled(1) };
    bench.event(HostEvent::Enable);
    let controller = Controller::parse(&bench.identify(IdentifyStructure::Controller, 0));
    let offered = admin_capability::FORMAT | admin_capability::DOORBELL_BUFFERS;
    assert_eq!(controller.admin_commands, offered);
    let data = DataPointer { prp1: 0x5000, prp2: 0x9000 };
    let entry = AdminCommand::DoorbellBufferConfig.emit(Header { data, ..header(0) });
    assert_eq!(bench.finish(0, entry), (Status::SUCCESS, 0));
    assert!(bench.hw.calls.contains(&Call::DoorbellBuffers(0x5000, 0x9000)));
}

#[test]
fn abort_finds_nothing_and_says_so() {
    let mut bench = Bench::new();
    let result = bench.expect(AdminCommand::Abort { queue: 1, cid: 5 }, Status::SUCCESS);
    assert_eq!(result, 1);
}

#[test]
fn a_command_of_which_nothing_has_begun_is_aborted_before_abort_ends() {
    let mut bench = Bench::new();
    let range = BlockRange { start: 5, blocks: 3 };
    let read = || IoCommand::Read(range, UnitAccess::Normal).emit(header(1));
    let tag = bench.send(1, read());
    let aborts = |queue, tag| AdminCommand::Abort { queue, cid: cid_of(tag) };
    assert_eq!(bench.expect(aborts(2, tag), Status::SUCCESS), 1, "another queue");
    let other = AdminCommand::Abort { queue: 1, cid: cid_of(tag) + 100 };
    assert_eq!(bench.expect(other, Status::SUCCESS), 1, "another command");
    assert_eq!(bench.take(tag), None);
    assert_eq!(bench.expect(aborts(1, tag), Status::SUCCESS), 0);
    assert_eq!(bench.take(tag).map(|(status, _)| status.is(Status::ABORT_REQUESTED)), Some(true));
    assert!(bench.storage.submitted.is_empty());
    assert_eq!(bench.expect(aborts(1, tag), Status::SUCCESS), 1, "it is over");
    // Storage is at work for it.
    let tag = bench.send(1, read());
    bench.storage.has_begun = true;
    assert_eq!(bench.expect(aborts(1, tag), Status::SUCCESS), 1);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.take(tag), Some((Status::SUCCESS, 0)));
}

#[test]
fn an_event_request_is_aborted() {
    let mut bench = Bench::new();
    let tag = bench.send_admin(AdminCommand::AsyncEventRequest);
    let abort = AdminCommand::Abort { queue: 0, cid: cid_of(tag) };
    assert_eq!(bench.expect(abort, Status::SUCCESS), 0);
    assert_eq!(bench.take(tag).map(|(status, _)| status.is(Status::ABORT_REQUESTED)), Some(true));
    // No event finds it any more.
    bench.event(HostEvent::DoorbellError(0));
    bench.settle();
    assert_eq!(bench.take(tag), None);
}

#[test]
fn pages_go_out_one_at_a_time_in_order() {
    let mut bench = Bench::new();
    bench.hw.work.clear();
    let first = bench.send_admin(AdminCommand::Identify(IdentifyStructure::Controller));
    let second = bench.send_admin(AdminCommand::Identify(IdentifyStructure::ActiveNamespaces));
    assert!(!bench.turn());
    assert_eq!(bench.storage.control, Some((first, DmaDirection::ToHost, 4096)));
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.storage.control, Some((second, DmaDirection::ToHost, 4096)));
    bench.storage.end_control(IoOutcome::TransferError);
    bench.settle();
    assert_eq!(bench.take(first), Some((Status::SUCCESS, 0)));
    assert_eq!(bench.take(second), Some((Status::DATA_TRANSFER_ERROR.more(), 0)));
    let admin = bench.hw.work.iter().filter(|work| **work == Work::Admin).count();
    assert_eq!(admin, 2);
}
