//! Tests of what zoned namespaces have.

extern crate std;
use crate::command::{Entry, Header};
use crate::io::{BlockRange, UnitAccess};
use crate::status::{Fault, Status};
use crate::zones::*;
use std::vec::Vec;

fn commands() -> Vec<ZoneCommand> {
    let mut all = Vec::new();
    for action in ZoneAction::ALL {
        all.push(ZoneCommand::Send(action, Selected::One(0x12_3456_7890)));
        all.push(ZoneCommand::Send(action, Selected::All));
    }
    let lists = ZoneState::ALL.into_iter().map(Listed::In).chain([Listed::All]);
    for listed in lists {
        for counted in [Counted::Matching, Counted::Transferred] {
            let report = Report { start: 7 << 33, bytes: 4096 + 64, listed, counted };
            all.push(ZoneCommand::Receive(report));
        }
    }
    for access in [UnitAccess::Normal, UnitAccess::Forced] {
        let range = BlockRange { start: 1 << 40, blocks: 65_536 };
        all.push(ZoneCommand::Append(range, access));
    }
    all
}

#[test]
fn commands_come_back_from_their_entries() {
    for command in commands() {
        let entry = command.emit(Header { nsid: 1, ..Header::default() });
        assert_eq!(ZoneCommand::parse(&entry), Some(Ok(command)), "{command:?}");
    }
    let other = Entry::new(0x02, Header::default());
    assert_eq!(ZoneCommand::parse(&other), None);
}

#[test]
fn what_is_not_there_is_refused_with_its_place() {
    let send = |dword| Entry::new(opcode::SEND, Header::default()).with(13, dword);
    let receive = |dword| Entry::new(opcode::RECEIVE, Header::default()).with(13, dword);
    let append = Entry::new(opcode::APPEND, Header::default());
    for (entry, dword, bit) in [
        (send(0x00), 13, 0),
        (send(0x06), 13, 0),
        (send(0x10), 13, 0),
        (send(0x11), 13, 0),
        (send(0x03 | RANDOM_WRITE_AREA), 13, 9),
        (receive(0x01), 13, 0),
        (receive(0x02), 13, 0),
        (receive(0x08 << 8), 13, 8),
        (append.with(12, REMAPPED_TAG), 12, 25),
        (append.with(0, u32::from(opcode::APPEND) | 1 << 8), 0, 8),
        (append.with(0, u32::from(opcode::APPEND) | 1 << 14), 0, 14),
    ] {
        let expected = Err(Fault::at(Status::INVALID_FIELD, dword, bit));
        assert_eq!(ZoneCommand::parse(&entry), Some(expected), "{entry:?}");
    }
}

#[test]
fn fields_stand_where_the_specification_puts_them() {
    let zone = ZoneDescriptor {
        kind: SEQUENTIAL,
        state: (ZoneState::Full as u8) << 4,
        attributes: 1,
        attribute_information: 2,
        capacity: 0x0102_0304,
        start: 0x0506,
        pointer: NO_POINTER,
    };
    let mut bytes = [0; 64];
    zone.emit(&mut bytes);
    assert_eq!(bytes[..4], [2, 0xe0, 1, 2]);
    assert_eq!(bytes[8..12], [4, 3, 2, 1]);
    assert_eq!(bytes[16..18], [6, 5]);
    assert_eq!(bytes[24..32], [0xff; 8]);
    let namespace = ZonedNamespace {
        optional: READS_ACROSS_ZONES,
        most_active: 13,
        most_open: 6,
        zone_blocks: 0x0201,
        ..ZonedNamespace::zeroed()
    };
    let mut bytes = [0; 4096];
    namespace.emit(&mut bytes);
    assert_eq!(bytes[..12], [0, 0, 1, 0, 13, 0, 0, 0, 6, 0, 0, 0]);
    assert_eq!(bytes[2816..2818], [1, 2]);
    let asked = SetInquiry { structure: SetStructure::CommandSets, set: set::ZONED };
    assert_eq!(SetInquiry::parse(&asked.emit(Header::default())), Some(asked));
    assert_eq!(set::COMBINED, 5);
}

#[test]
fn states_have_the_numbers_and_resources_of_the_specification() {
    for (state, number, open, active) in [
        (ZoneState::Empty, 0x1, false, false),
        (ZoneState::ImplicitlyOpened, 0x2, true, true),
        (ZoneState::ExplicitlyOpened, 0x3, true, true),
        (ZoneState::Closed, 0x4, false, true),
        (ZoneState::ReadOnly, 0xd, false, false),
        (ZoneState::Full, 0xe, false, false),
        (ZoneState::Offline, 0xf, false, false),
    ] {
        assert_eq!(ZoneState::parse(number), Some(state));
        assert_eq!((state.is_open(), state.is_active()), (open, active), "{state:?}");
    }
    assert_eq!(ZoneState::parse(0x0), None);
}

#[test]
fn the_log_of_changed_zones_names_as_many_as_have_room() {
    let mut page = [0xa5; 4096];
    for changed in [0, 1, 510, 511] {
        let starts: Vec<u64> = (0..changed).map(|nth| nth << 40 | 7).collect();
        emit_changed(starts.iter().copied(), &mut page);
        assert_eq!(u16::from_le_bytes([page[0], page[1]]), changed as u16);
        assert_eq!(parse_changed(&page).map(Iterator::collect), Some(starts));
    }
    emit_changed(0..512, &mut page);
    assert_eq!((page[0], page[1]), (0xff, 0xff));
    assert!(page[2..].iter().all(|&byte| byte == 0) && parse_changed(&page).is_none());
}
