//! Each command and each mistake with its status, what Identify tells, and reports.

use machine::Stamp;
use nvme::command::Entry;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::status::Status;
use nvme::zones::{
    opcode, set, Counted, Listed, Report, Selected, SetInquiry, SetStructure, ZoneAction,
    ZoneCommand, ZoneState,
};
use torture::zone_host::ZoneHost;

use crate::zoned::small;

fn host() -> ZoneHost {
    ZoneHost::new(&small(&[]))
}

fn stamps(start: u64, count: u64) -> Vec<Stamp> {
    (0..count).map(|nth| Stamp::new(start + nth, 1)).collect()
}

#[test]
fn identify_tells_of_command_sets_as_linux_asks_for_them() {
    let mut host = host();
    let n = host.namespace;
    assert_eq!((n.zone_blocks, n.most_open, n.most_active, n.extension), (256, 2, 4, 0));
    assert_eq!((n.characteristics, n.optional), (0, 0));
    // 32 blocks a way, without two spares and three for the log, in two sets.
    assert_eq!(host.zones, 54);
    let mut ask = |structure, set, nsid| {
        let entry = SetInquiry { structure, set }.emit(host.admin_header(nsid));
        let ended = host.admin(entry);
        (ended.status, host.page())
    };
    let (status, page) = ask(SetStructure::Controller, set::ZONED, 0);
    assert_eq!((status, page[0]), (Status::SUCCESS, 0));
    assert!(ask(SetStructure::Controller, set::NVM, 0).0.is_success());
    let (status, page) = ask(SetStructure::ActiveNamespaces, set::ZONED, 0);
    assert_eq!((status, &page[..8]), (Status::SUCCESS, &[1, 0, 0, 0, 0, 0, 0, 0][..]));
    // Of the NVM command set there is none.
    let (status, page) = ask(SetStructure::ActiveNamespaces, set::NVM, 0);
    assert_eq!((status, &page[..8]), (Status::SUCCESS, &[0; 8][..]));
    let (status, page) = ask(SetStructure::CommandSets, 0, 0);
    assert_eq!((status, &page[..9]), (Status::SUCCESS, &[5, 0, 0, 0, 0, 0, 0, 0, 0][..]));
    let (status, page) = ask(SetStructure::IndependentNamespace, 0, 1);
    assert_eq!((status, page[14]), (Status::SUCCESS, 1));
    for (structure, set, nsid, expected) in [
        (SetStructure::Namespace, set::NVM, 1, Status::INVALID_FIELD),
        (SetStructure::Namespace, 1, 1, Status::INVALID_FIELD),
        (SetStructure::Namespace, set::ZONED, 2, Status::INVALID_NAMESPACE),
        (SetStructure::Namespace, set::ZONED, 0xffff_ffff, Status::INVALID_NAMESPACE),
        (SetStructure::Controller, 1, 0, Status::INVALID_FIELD),
        (SetStructure::ActiveNamespaces, 3, 0, Status::INVALID_FIELD),
        (SetStructure::ActiveNamespaces, set::ZONED, 0xffff_fffe, Status::INVALID_NAMESPACE),
        (SetStructure::IndependentNamespace, 0, 0, Status::INVALID_NAMESPACE),
    ] {
        let (status, _) = ask(structure, set, nsid);
        assert!(status.is(expected), "{structure:?} {set} {nsid:x}: {status}");
    }
    let descriptors =
        nvme::admin::AdminCommand::Identify(nvme::admin::IdentifyStructure::NamespaceDescriptors);
    assert!(host.admin(descriptors.emit(host.admin_header(1))).status.is_success());
    let page = host.page();
    // EUI64, NGUID and UUID, and behind them the command set.
    assert_eq!(page[52..57], [4, 1, 0, 0, 2]);
    assert_eq!(page[57..64], [0; 7]);
}

#[test]
fn there_is_one_profile_of_command_sets() {
    let mut host = host();
    let header = host.admin_header(0);
    let mut feature = |opcode, dword10: u32, dword11| {
        let ended = host.admin(Entry::new(opcode, header).with(10, dword10).with(11, dword11));
        (ended.status, ended.result)
    };
    let (get, set) = (nvme::admin::opcode::GET_FEATURES, nvme::admin::opcode::SET_FEATURES);
    assert_eq!(feature(get, 0x19, 0), (Status::SUCCESS, 0));
    assert_eq!(feature(set, 0x19, 0), (Status::SUCCESS, 0));
    assert!(feature(set, 0x19, 1).0.is(Status::COMBINATION_REJECTED));
    assert!(feature(set, 0x8000_0019, 0).0.is(Status::FEATURE_NOT_SAVEABLE));
}

/// Sends commands that are refused, each with its status, and leave the second zone empty.
fn refuse(host: &mut ZoneHost, rows: &[(&str, Entry, Status)]) {
    for (what, entry, expected) in rows {
        let ended = host.run(*entry);
        assert!(ended.status.is(*expected), "{what}: {}", ended.status);
        assert_eq!(host.zone(1).state, ZoneState::Empty, "{what}");
    }
}

#[test]
fn every_refusal_of_zone_management_has_its_status() {
    let mut host = host();
    let (start, size) = (host.start(1), host.namespace.zone_blocks);
    let end = u64::from(host.zones) * size;
    let header = host.header(0, 1);
    let send = |at: u64, dword13: u32| {
        let entry = Entry::new(opcode::SEND, header).with(10, at as u32);
        entry.with(11, (at >> 32) as u32).with(13, dword13)
    };
    let receive = Entry::new(opcode::RECEIVE, header);
    let with_list = send(start, 0x04).with(0, 0x4000 | u32::from(opcode::SEND));
    let rows = [
        ("action 0", send(start, 0x00), Status::INVALID_FIELD),
        ("descriptor extension", send(start, 0x10), Status::INVALID_FIELD),
        ("commit of a random write area", send(start, 0x11), Status::INVALID_FIELD),
        ("open with a random write area", send(start, 0x203), Status::INVALID_FIELD),
        ("close of an empty zone", send(start, 0x01), Status::INVALID_ZONE_TRANSITION),
        ("offline of an empty zone", send(start, 0x05), Status::INVALID_ZONE_TRANSITION),
        ("no start of a zone", send(start + 1, 0x04), Status::INVALID_FIELD),
        ("behind all zones", send(end, 0x04), Status::LBA_OUT_OF_RANGE),
        ("far behind all zones", send(u64::MAX - size + 1, 0x04), Status::LBA_OUT_OF_RANGE),
        ("another namespace", send(start, 0x04).with(1, 2), Status::INVALID_NAMESPACE),
        ("all namespaces", send(start, 0x04).with(1, u32::MAX), Status::INVALID_NAMESPACE),
        ("an SGL", with_list, Status::INVALID_FIELD),
        ("extended report", receive.with(13, 1), Status::INVALID_FIELD),
        ("unknown list", receive.with(13, 0x0800), Status::INVALID_FIELD),
        ("report behind all zones", receive.with(11, 1), Status::LBA_OUT_OF_RANGE),
        ("report of too much", receive.with(12, u32::MAX), Status::INVALID_FIELD),
        ("report to an odd address", receive.with(6, 2), Status::INVALID_PRP_OFFSET),
    ];
    refuse(&mut host, &rows);
}

#[test]
fn every_refusal_of_reads_and_writes_has_its_status() {
    let mut host = host();
    let (start, size) = (host.start(1), host.namespace.zone_blocks);
    let end = u64::from(host.zones) * size;
    let header = host.header(0, 1);
    let normal = UnitAccess::Normal;
    let append =
        |start, blocks| ZoneCommand::Append(BlockRange { start, blocks }, normal).emit(header);
    let read = |start, blocks| IoCommand::Read(BlockRange { start, blocks }, normal).emit(header);
    let write = |start, blocks| IoCommand::Write(BlockRange { start, blocks }, normal).emit(header);
    let range = BlockRange { start, blocks: 1 };
    let purpose = DatasetUse::Deallocate;
    let absent = |command: IoCommand| (command.emit(header), Status::INVALID_OPCODE);
    let (compare, absence) = absent(IoCommand::Compare(range, normal));
    let (zeroes, _) = absent(IoCommand::WriteZeroes(range, normal));
    let (verify, _) = absent(IoCommand::Verify(range, normal));
    let (deallocate, _) = absent(IoCommand::DatasetManagement { ranges: 1, purpose });
    let rows = [
        ("append aside", append(start + 1, 1), Status::INVALID_FIELD),
        ("append behind all zones", append(end, 1), Status::LBA_OUT_OF_RANGE),
        ("append of too much", append(start, 65_536), Status::INVALID_FIELD),
        ("write aside", write(start + 1, 1), Status::ZONE_INVALID_WRITE),
        ("write over the end", write(start + size - 1, 2), Status::ZONE_BOUNDARY),
        ("read over the end", read(start + size - 1, 2), Status::ZONE_BOUNDARY),
        ("read behind all zones", read(end - 1, 2), Status::LBA_OUT_OF_RANGE),
        ("compare", compare, absence),
        ("zeroes", zeroes, absence),
        ("verify", verify, absence),
        ("deallocate", deallocate, absence),
    ];
    refuse(&mut host, &rows);
}

#[test]
fn the_log_of_changed_zones_is_of_one_namespace() {
    let mut host = host();
    let log = |host: &mut ZoneHost, nsid: u32, identifier: u32, offset: u32| {
        let header = host.admin_header(nsid);
        let entry = Entry::new(0x02, header).with(10, 1023 << 16 | identifier).with(12, offset);
        host.admin(entry).status
    };
    for (nsid, offset, expected) in [
        (1, 0, Status::SUCCESS),
        (1, 4096, Status::SUCCESS),
        (0, 0, Status::INVALID_FIELD),
        (u32::MAX, 0, Status::INVALID_FIELD),
        (2, 0, Status::INVALID_NAMESPACE),
        (1, 4100, Status::INVALID_FIELD),
    ] {
        let status = log(&mut host, nsid, 0xbf, offset);
        assert!(status.is(expected), "namespace {nsid} from {offset}: {status}");
    }
    assert!(log(&mut host, 0, 0x00, 0).is_success());
    let page = host.page();
    assert_eq!([0xbe, 0xbf, 0xc0, 0xca].map(|identifier| page[4 * identifier]), [0, 1, 0, 0]);
}

#[test]
fn a_drive_of_zones_is_not_formatted() {
    let mut host = host();
    let format = Entry::new(nvme::admin::opcode::FORMAT_NVM, host.admin_header(1));
    assert!(host.admin(format).status.is(Status::INVALID_OPCODE));
}

#[test]
fn reports_list_zones_by_state_in_part_and_over_several_pages() {
    let mut host = host();
    for zone in [3, 5, 8] {
        let (start, data) = (host.start(zone), stamps(0, 3));
        assert!(host.write(start, &data).status.is_success());
        assert!(host.send(ZoneAction::Close, zone).status.is_success());
    }
    assert!(host.send(ZoneAction::Finish, 5).status.is_success());
    assert!(host.send(ZoneAction::Open, 9).status.is_success());
    let size = host.namespace.zone_blocks;
    let closed = Listed::In(ZoneState::Closed);
    for (first, bytes, listed, counted, count, zones) in [
        (0, 8192, Listed::All, Counted::Matching, 54, 54),
        (0, 8192, Listed::All, Counted::Transferred, 54, 54),
        (0, 64 * 11, Listed::All, Counted::Matching, 54, 10),
        (0, 64 * 11, Listed::All, Counted::Transferred, 10, 10),
        (50, 4096, Listed::All, Counted::Matching, 4, 4),
        (0, 4096, closed, Counted::Matching, 2, 2),
        (4, 4096, closed, Counted::Matching, 1, 1),
        (0, 64 + 64, closed, Counted::Transferred, 1, 1),
        (0, 64 + 64, closed, Counted::Matching, 2, 1),
        (0, 64, closed, Counted::Matching, 2, 0),
        (0, 4096, Listed::In(ZoneState::Full), Counted::Matching, 1, 1),
        (0, 4096, Listed::In(ZoneState::ExplicitlyOpened), Counted::Matching, 1, 1),
        (0, 4096, Listed::In(ZoneState::ReadOnly), Counted::Matching, 0, 0),
    ] {
        // Any block of the first zone will do.
        let report = Report { start: first * size + 7, bytes, listed, counted };
        let (found, told) = host.report(report);
        assert_eq!((found, told.len()), (count, zones), "{report:?}");
        assert!(told.iter().all(|zone| listed.has(zone.state) && zone.start >= first * size));
    }
    let told = host.zone(3);
    assert_eq!((told.pointer - told.start, told.capacity), (3, 256));
}

#[test]
fn appends_return_where_they_went_and_blocks_that_are_not_written_read_as_zeroes() {
    let mut host = host();
    let start = host.start(2);
    for (at, count) in [(0, 3), (3, 1), (4, 9)] {
        let data = stamps(start + at, count);
        let entry = host.append_of(0, start, &data);
        let ended = host.run(entry);
        assert_eq!((ended.status, ended.result), (Status::SUCCESS, start + at));
    }
    let (ended, data) = host.read(start, 16);
    assert!(ended.status.is_success());
    assert_eq!(data[..13], stamps(start, 13));
    assert_eq!(data[13..], [Stamp::ZERO; 3]);
}

#[test]
fn a_restart_of_the_controller_closes_zones() {
    let mut host = host();
    let data = stamps(host.start(1), 5);
    assert!(host.write(host.start(1), &data).status.is_success());
    assert!(host.send(ZoneAction::Open, 2).status.is_success());
    host.bench.restart();
    assert_eq!(host.zone(1).state, ZoneState::Closed);
    assert_eq!(host.zone(2).state, ZoneState::Empty);
    assert_eq!(host.read(host.start(1), 5).1, data);
}

/// Data that do not arrive leave zeroes in their place: the place was given out.
#[test]
fn a_write_whose_data_do_not_arrive_fails_and_the_zone_goes_on() {
    let mut host = host();
    let start = host.start(1);
    let range = BlockRange { start, blocks: 2 };
    let mut header = host.header(0, 2);
    header.data.prp2 = 1 << 40;
    let ended = host.run(IoCommand::Write(range, UnitAccess::Normal).emit(header));
    assert!(ended.status.is(Status::DATA_TRANSFER_ERROR), "{}", ended.status);
    let data = stamps(start + 2, 6);
    assert!(host.write(start + 2, &data).status.is_success());
    let (ended, found) = host.read(start, 8);
    assert!(ended.status.is_success());
    assert_eq!((found[1], &found[2..]), (Stamp::ZERO, &data[..]));
}

#[test]
fn all_zones_are_reset_at_once() {
    let mut host = host();
    for zone in 0..4 {
        let data = stamps(host.start(zone), 32);
        let status = host.write(host.start(zone), &data).status;
        assert!(status.is_success(), "{status}");
    }
    let all = host.send_of(0, ZoneAction::Reset, Selected::All);
    assert!(host.run(all).status.is_success());
    for zone in 0..4 {
        assert_eq!(host.zone(zone).state, ZoneState::Empty);
        assert_eq!(host.read(host.start(zone), 1).1, [Stamp::ZERO]);
    }
}

/// What a flush made durable is there after a power loss, down to the last block; what it did not is gone or there.
#[test]
fn a_page_written_in_part_outlasts_the_power_once_it_was_flushed() {
    let board = small(&[]);
    let mut host = ZoneHost::new(&board);
    let start = host.start(6);
    for part in 0..4_u64 {
        let at = start + part * 5;
        assert!(host.write(at, &stamps(at, 5)).status.is_success());
        assert!(host.flush().status.is_success());
        host = host.cut_power(&board);
        let told = host.zone(6);
        assert_eq!((told.state, told.pointer), (ZoneState::Closed, at + 5), "part {part}");
        assert_eq!(
            host.read(start, 24).1[..20][..(part as usize + 1) * 5],
            stamps(start, (part + 1) * 5)
        );
    }
    assert!(host.send(ZoneAction::Reset, 6).status.is_success());
    host = host.cut_power(&board);
    assert_eq!(host.zone(6).state, ZoneState::Empty);
}
