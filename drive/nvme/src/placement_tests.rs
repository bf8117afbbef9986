//! Commands and structures of placement at their bytes.

use super::*;
use crate::io::{BlockRange, IoCommand, UnitAccess};

#[test]
fn a_write_names_its_identifier_in_dwords_12_and_13() {
    let range = BlockRange { start: 5, blocks: 65_536 };
    let write = IoCommand::Write(range, UnitAccess::Forced);
    let plain = write.emit(Header::default());
    assert_eq!(identifier(&plain), None);
    let placed = with_identifier(plain.with(13, 7), 0xabcd);
    assert_eq!(placed.0[12..14], [0x4020_ffff, 0xabcd_0007]);
    assert_eq!((identifier(&placed), IoCommand::parse(&placed)), (Some(0xabcd), Ok(write)));
    // Streams are another directive.
    assert_eq!(identifier(&placed.with(12, 0x0010_0000)), None);
}

#[test]
fn management_commands_survive_emit_and_parse_and_others_are_refused() {
    for command in [
        ManagementCommand::Status { bytes: 4 },
        ManagementCommand::Status { bytes: 1 << 34 },
        ManagementCommand::Update { count: 1 },
        ManagementCommand::Update { count: MOST_UPDATED },
    ] {
        assert_eq!(ManagementCommand::parse(&command.emit(Header::default())), Some(Ok(command)));
    }
    let update = |dword: u32| {
        ManagementCommand::parse(
            &Entry::new(opcode::IO_MANAGEMENT_SEND, Header::default()).with(10, dword),
        )
    };
    assert_eq!(update(2), Some(Err(Fault::at(Status::INVALID_FIELD, 10, 0))));
    assert_eq!(update(MOST_UPDATED << 16 | 1), Some(Err(Fault::at(Status::INVALID_FIELD, 10, 16))));
    assert_eq!(ManagementCommand::parse(&Entry::new(opcode::READ, Header::default())), None);
}

#[test]
fn features_name_group_or_handle() {
    let entry = |dwords: [u32; 3]| {
        (10..)
            .zip(dwords)
            .fold(Entry::new(0, Header::default()), |entry, (at, dword)| entry.with(at, dword))
    };
    let wrong_group = Some(Err(Fault::at(Status::INVALID_FIELD, 11, 0)));
    for (dwords, sets, expected) in [
        ([0x1d, 1, 0], false, Some(Ok(FeatureCommand::Get(Select::Current)))),
        ([0x31d, 0, 0], false, Some(Ok(FeatureCommand::Get(Select::Capabilities)))),
        ([0x1d, 2, 0], false, wrong_group),
        ([0x1d, 1, 1], true, Some(Ok(FeatureCommand::Set))),
        ([0x71d, 1, 0], false, Some(Err(Fault::at(Status::INVALID_FIELD, 10, 8)))),
        (
            [0x1e, 0x0005_0003, 0],
            false,
            Some(Ok(FeatureCommand::GetEvents { handle: 3, most: 5, select: Select::Current })),
        ),
        (
            [0x8000_001e, 0x0002_0001, 1],
            true,
            Some(Ok(FeatureCommand::SetEvents { handle: 1, count: 2, enabled: true, saved: true })),
        ),
        ([0x06, 1, 0], false, None),
    ] {
        assert_eq!(FeatureCommand::parse(&entry(dwords), sets), expected, "{dwords:x?}");
    }
}

#[test]
fn structures_stand_at_their_bytes() {
    let mut bytes = [0xff; Configurations::BYTES];
    let log = Configurations {
        count: 0,
        size: 0x50,
        descriptor_bytes: 0x50,
        attributes: CONFIGURATION_VALID,
        reclaim_groups: 1,
        handles: 4,
        identifiers: 3,
        namespaces: 2,
        unit_bytes: 0x0102_0304_0506,
        time_limit: 0,
    };
    log.emit(&mut bytes);
    assert_eq!(bytes[..20], [0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 0x80, 0]);
    assert_eq!(
        bytes[20..44],
        [1, 0, 0, 0, 4, 0, 3, 0, 2, 0, 0, 0, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(Configurations::parse(&bytes), log);
    let event = Event {
        kind: EventKind::ImplicitChange as u8,
        flags: event_flag::LOCATION,
        identifier: 0x0102,
        milliseconds: 3,
        nsid: 4,
        reclaim_group: 5,
        handle: 6,
    };
    event.emit(&mut bytes);
    assert_eq!(bytes[..16], [0x81, 4, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(bytes[32..35], [5, 0, 6]);
    let mut bytes = [0xff; HandleStatus::BYTES];
    HandleStatus { identifier: 1, handle: 2, time_left: 3, blocks_left: 4 }.emit(&mut bytes);
    assert_eq!(bytes[..16], [1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
    for kind in EventKind::ALL {
        assert_eq!(EventKind::parse(kind as u8), Some(kind));
    }
    assert_eq!((EventKind::parse(1), EventKind::ImplicitChange.is_of_host()), (None, false));
}
