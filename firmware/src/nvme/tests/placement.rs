//! Drives whose host places its data.

use super::*;
use crate::nvme::backend::{Placement, ReclaimEvent};
use contract::{DmaDirection, Policies, StreamPolicy};
use nvme::admin::{EventAfterRead, GetLogPage, IdentifyStructure, LogPage};
use nvme::effects::{self, effect};
use nvme::identify::{controller_attribute, Controller, Namespace};
use nvme::io::{opcode, BlockRange, IoCommand, UnitAccess};
use nvme::placement::{
    event_flag, with_identifier, Configurations, EnduranceGroup, Event, EventKind, HandleStatus,
    ManagementCommand, Statistics, StatusHeader, Usage,
};

const HANDLES: u8 = 3;
/// Logical blocks of a reclaim unit.
const UNIT_BLOCKS: u64 = 4096;
/// Why a list is refused that is as wrong when it comes again.
const NEVER_VALID: Status = Status::INVALID_FIELD.do_not_retry().more();

pub fn placed() -> Bench {
    let streams = StreamPolicy::ByHandle.with([HANDLES.into()]);
    let policies = Policies { streams, ..Policies::PUBLISHED };
    let mut bench = Bench::of(Configuration { policies, namespaces: 2, ..configuration() });
    bench.storage.placement = Some(Placement {
        handles: HANDLES,
        unit_blocks: UNIT_BLOCKS,
        media_bytes: 3 << 30,
        erased_bytes: 1 << 30,
    });
    bench
}

fn write(identifier: u16) -> Entry {
    let range = BlockRange { start: 0, blocks: 1 };
    with_identifier(IoCommand::Write(range, UnitAccess::Normal).emit(header(1)), identifier)
}

fn features(opcode: u8, dwords: [u32; 3]) -> Entry {
    Entry::new(opcode, header(1)).with(10, dwords[0]).with(11, dwords[1]).with(12, dwords[2])
}

const SET: u8 = 0x09;
const GET: u8 = 0x0a;

impl Bench {
    /// A log as the host reads it, with as many bytes of it.
    fn log(&mut self, page: LogPage) -> [u8; 4096] {
        let log = GetLogPage { page, event: EventAfterRead::Retained, offset: 0, length: 4096 };
        self.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
        self.hw.page
    }

    fn told(&mut self, page: LogPage) -> Vec<Event> {
        let bytes = self.log(page);
        let count = u32::from_le_bytes(*bytes.first_chunk().unwrap());
        let events = bytes[64..].chunks_exact(64).take(count as usize);
        events.map(|event| Event::parse(event.try_into().unwrap())).collect()
    }

    /// Sends a command that brings a list of bytes.
    fn bring(&mut self, queue: u16, entry: Entry, list: &[u8]) -> Status {
        let tag = self.send(queue, entry);
        self.settle();
        if let Some((_, direction, bytes)) = self.storage.control {
            assert_eq!(direction, DmaDirection::FromHost);
            assert!((list.len() as u32..list.len() as u32 + 4).contains(&bytes));
            self.hw.page[..list.len()].copy_from_slice(list);
            self.storage.end_control(IoOutcome::Success);
            self.settle();
        }
        self.take(tag).expect("the command did not complete").0
    }

    /// Has a handle tell events, or not tell them.
    fn tell(&mut self, handle: u32, kinds: &[u8], enabled: bool) -> Status {
        let count = kinds.len() as u32;
        self.bring(0, features(SET, [0x1e, count << 16 | handle, enabled.into()]), kinds)
    }
}

#[test]
fn a_write_goes_to_the_handle_that_it_names() {
    let mut bench = placed();
    for (identifier, expected) in [(0, 0), (1, 1), (2, 2), (3, 0), (0x100, 0), (u16::MAX, 0)] {
        bench.send(1, write(identifier));
        let submitted = bench.storage.end(IoOutcome::Success);
        assert_eq!(submitted.handle, expected, "identifier {identifier}");
        bench.settle();
    }
    // Without the directive, and with that of streams, it is the first.
    for dword in [0, 0x0010_0000] {
        bench.send(1, write(2).with(12, dword));
        assert_eq!(bench.storage.end(IoOutcome::Success).handle, 0);
        bench.settle();
    }
    // Reads have none, and other drives neither.
    let range = BlockRange { start: 0, blocks: 1 };
    let read = IoCommand::Read(range, UnitAccess::Normal).emit(header(1));
    bench.send(1, with_identifier(read, 2));
    assert_eq!(bench.storage.end(IoOutcome::Success).handle, 0);
    let mut bench = Bench::new();
    bench.send(1, write(2));
    assert_eq!(bench.storage.end(IoOutcome::Success).handle, 0);
}

#[test]
fn the_drive_tells_of_its_endurance_group() {
    let mut bench = placed();
    let page = bench.identify(IdentifyStructure::Controller, 0);
    let controller = Controller::parse(&page);
    let both = controller_attribute::ENDURANCE_GROUPS | controller_attribute::DATA_PLACEMENT;
    assert_eq!((controller.attributes, controller.endurance_groups), (both, 1));
    let page = bench.identify(IdentifyStructure::Namespace, 2);
    assert_eq!(Namespace::parse(&page).endurance_group, 1);
    let page = bench.identify(IdentifyStructure::EnduranceGroups, 0);
    assert_eq!(page[..6], [1, 0, 1, 0, 0, 0]);
    // The list goes from a group on, so that whoever asks for what follows the last one comes to an end.
    let groups = AdminCommand::Identify(IdentifyStructure::EnduranceGroups).emit(header(0));
    for (from, listed) in [(1, [1, 0, 1, 0]), (2, [0; 4]), (0xffff, [0; 4])] {
        assert!(bench.finish(0, groups.with(11, from)).0.is_success());
        assert_eq!(bench.hw.page[..4], listed, "from group {from}");
    }
    let effects = bench.log(LogPage::CommandEffects);
    for opcode in [opcode::IO_MANAGEMENT_RECEIVE, opcode::IO_MANAGEMENT_SEND] {
        assert_eq!(effects::parse(&effects, opcode)[1], effect::SUPPORTED);
    }
}

#[test]
fn a_drive_whose_host_does_not_place_its_data_knows_nothing_of_it() {
    let mut bench = Bench::new();
    let page = bench.identify(IdentifyStructure::Controller, 0);
    let controller = Controller::parse(&page);
    assert_eq!((controller.attributes, controller.endurance_groups), (0, 0));
    let page = bench.identify(IdentifyStructure::Namespace, 1);
    assert_eq!(Namespace::parse(&page).endurance_group, 0);
    let groups = AdminCommand::Identify(IdentifyStructure::EnduranceGroups).emit(header(0));
    bench.refuse(0, groups, Status::INVALID_FIELD, (40, 0));
    let effects = bench.log(LogPage::CommandEffects);
    for command in [ManagementCommand::Status { bytes: 64 }, ManagementCommand::Update { count: 1 }]
    {
        let entry = command.emit(header(1));
        assert_eq!(effects::parse(&effects, entry.opcode())[1], 0);
        bench.refuse(1, entry, Status::INVALID_OPCODE, (0, 0));
    }
    for page in [LogPage::EnduranceGroup, LogPage::PlacementStatistics] {
        let log = GetLogPage { page, event: EventAfterRead::Retained, offset: 0, length: 64 };
        let entry = AdminCommand::GetLogPage(log).emit(header(0));
        bench.refuse(0, entry, Status::INVALID_LOG_PAGE, (40, 0));
    }
    for (opcode, feature) in [(GET, 0x1d), (SET, 0x1d), (GET, 0x1e), (SET, 0x1e)] {
        let entry = features(opcode, [feature, 1, 0]);
        bench.refuse(0, entry, Status::INVALID_FIELD, (40, 0));
    }
}

#[test]
fn logs_of_placement_tell_what_storage_has() {
    let mut bench = placed();
    let page = bench.log(LogPage::PlacementConfigurations);
    let log = Configurations::parse(page.first_chunk().unwrap());
    assert_eq!((log.count, log.size, log.descriptor_bytes), (0, 96, 80));
    assert_eq!((log.attributes, log.reclaim_groups, log.namespaces), (0x80, 1, 2));
    assert_eq!((log.handles, log.identifiers), (3, 2));
    let block_bytes = u64::from(bench.storage.block_bytes);
    assert_eq!(log.unit_bytes, UNIT_BLOCKS * block_bytes);
    assert_eq!(page[80..96], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let page = bench.log(LogPage::PlacementUsage);
    assert_eq!(Usage::parse(page.first_chunk().unwrap()).handles, 3);
    assert_eq!([8, 16, 24, 32].map(|at| page[at]), [1, 1, 1, 0]);
    bench.send(1, write(1));
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    let page = bench.log(LogPage::PlacementStatistics);
    let statistics = Statistics::parse(page.first_chunk().unwrap());
    assert_eq!(statistics.host_bytes, block_bytes.into());
    assert_eq!((statistics.media_bytes, statistics.erased_bytes), (3 << 30, 1 << 30));
    let page = bench.log(LogPage::EnduranceGroup);
    let group = EnduranceGroup::parse(page.first_chunk().unwrap());
    assert_eq!((group.features, group.host_writes, group.available_spare), (1, 1, 100));
    // 3 GiB are 3.2 thousand million bytes.
    assert_eq!((group.data_units_written, group.media_units_written), (1, 4));
    // There is one group, and a log is one of it.
    let entry = AdminCommand::GetLogPage(GetLogPage {
        page: LogPage::PlacementUsage,
        event: EventAfterRead::Retained,
        offset: 0,
        length: 64,
    })
    .emit(header(0));
    for group in [0, 2] {
        let entry = entry.with(11, group << 16);
        bench.refuse(0, entry, Status::INVALID_FIELD, (46, 0));
    }
}

#[test]
fn the_status_of_handles_says_what_their_reclaim_units_take() {
    let mut bench = placed();
    bench.storage.left = [7, 0, UNIT_BLOCKS, 0, 0, 0, 0, 0];
    let status = |bytes| ManagementCommand::Status { bytes }.emit(header(2));
    let tag = bench.send(1, status(112));
    bench.settle();
    assert_eq!(bench.storage.control, Some((tag, DmaDirection::ToHost, 112)));
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is_success());
    let page = bench.hw.page;
    assert_eq!(StatusHeader::parse(page.first_chunk().unwrap()).handles, 3);
    for (nth, expected) in [7, 0, UNIT_BLOCKS].into_iter().enumerate() {
        let bytes = page[16 + 32 * nth..].first_chunk().unwrap();
        let own = HandleStatus::parse(bytes);
        let nth = nth as u16;
        assert_eq!((own.identifier, own.handle, own.blocks_left), (nth, nth, expected));
    }
    let most = u64::from(configuration().max_transfer_bytes);
    assert!(bench.finish(1, status(most)).0.is_success());
    assert_eq!(u64::from(bench.storage.command_bytes), most, "PRP entry 2 is a list");
    bench.refuse(1, status(most + 4), Status::INVALID_FIELD, (44, 0));
    bench.refuse(1, status(64).with(10, 2), Status::INVALID_FIELD, (40, 0));
    bench.refuse(1, status(64).with(1, 3), Status::INVALID_NAMESPACE, (4, 0));
    bench.refuse(1, status(64).with(6, 2), Status::INVALID_PRP_OFFSET, (24, 0));
}

#[test]
fn an_update_leaves_the_reclaim_units_of_a_list_if_all_are_there() {
    let mut bench = placed();
    let update = |count| ManagementCommand::Update { count }.emit(header(1));
    assert!(bench.bring(1, update(3), &[2, 0, 0, 0, 2, 0]).is_success());
    assert_eq!(bench.storage.renewed, [2, 0, 2]);
    assert_eq!(bench.bring(1, update(2), &[1, 0, 3, 0]), NEVER_VALID);
    assert_eq!(bench.bring(1, update(1), &[0, 1]), NEVER_VALID);
    assert_eq!(bench.storage.renewed, [2, 0, 2], "nothing is done of a list with a wrong one");
    bench.refuse(1, update(2048).with(10, 2048 << 16 | 1), Status::INVALID_FIELD, (42, 0));
}

#[test]
fn the_feature_says_that_placement_is_on_and_stays() {
    let mut bench = placed();
    for select in [0, 1, 2] {
        assert_eq!(
            bench.finish(0, features(GET, [select << 8 | 0x1d, 1, 0])),
            (Status::SUCCESS, 1)
        );
    }
    assert_eq!(bench.finish(0, features(GET, [0x31d, 0, 0])), (Status::SUCCESS, 0));
    bench.refuse(0, features(GET, [0x1d, 2, 0]), Status::INVALID_FIELD, (44, 0));
    let (status, _) = bench.finish(0, features(SET, [0x1d, 1, 0]));
    let never = Status::COMMAND_SEQUENCE_ERROR.do_not_retry().more();
    assert_eq!(status, never, "there are namespaces");
    // Other features are as ever.
    assert_eq!(bench.finish(0, features(GET, [0x06, 0, 0])), (Status::SUCCESS, 1));
}

#[test]
fn a_handle_tells_the_events_that_the_host_wants_to_hear_of() {
    let mut bench = placed();
    let happen = |bench: &mut Bench| {
        bench.storage.reclaim_events.extend([
            ReclaimEvent::Full { handle: 1 },
            ReclaimEvent::NotFull { handle: 1 },
            ReclaimEvent::Full { handle: 2 },
        ]);
        bench.send(1, write(9));
        bench.storage.end(IoOutcome::Success);
        bench.settle();
    };
    let (host, controller) = (LogPage::HostPlacementEvents, LogPage::ControllerPlacementEvents);
    happen(&mut bench);
    assert!(bench.told(host).is_empty() && bench.told(controller).is_empty());
    assert!(bench.tell(1, &[0x81, 0x00], true).is_success());
    assert!(bench.tell(0, &[0x03], true).is_success());
    happen(&mut bench);
    let told = bench.told(host);
    let kinds: Vec<(u8, u16)> = told.iter().map(|own| (own.kind, own.identifier)).collect();
    assert_eq!(kinds, [(EventKind::InvalidIdentifier as u8, 9), (EventKind::NotFull as u8, 1)]);
    assert_eq!((told[0].flags, told[0].nsid), (3, 1));
    let told = bench.told(controller);
    assert_eq!((told.len(), told[0].kind, told[0].handle), (1, 0x81, 1));
    assert_eq!(told[0].flags & event_flag::LOCATION, event_flag::LOCATION);
    // What a handle tells is read as pairs of event and whether it does.
    let (status, count) = bench.finish(0, features(GET, [0x1e, 0x00ff_0001, 0]));
    assert_eq!((status, count), (Status::SUCCESS, 3));
    assert_eq!(bench.hw.page[..8], [0x00, 1, 0x03, 0, 0x81, 1, 0, 0]);
    assert_eq!(bench.finish(0, features(GET, [0x31e, 1, 0])), (Status::SUCCESS, 6));
    // It can be told to be silent, in part, and a reset silences all.
    assert!(bench.tell(1, &[0x00], false).is_success());
    happen(&mut bench);
    assert_eq!([host, controller].map(|page| bench.told(page).len()), [3, 2]);
    bench.event(HostEvent::Disable);
    bench.settle();
    bench.event(HostEvent::Enable);
    bench.create_pair(1);
    happen(&mut bench);
    assert_eq!([host, controller].map(|page| bench.told(page).len()), [3, 2]);
}

#[test]
fn wrong_lists_of_events_change_nothing() {
    let mut bench = placed();
    assert_eq!(bench.tell(1, &[0x81, 0x42], true), NEVER_VALID);
    let get = features(GET, [0x1e, 0x0003_0001, 0]);
    bench.finish(0, get);
    assert_eq!(bench.hw.page[..6], [0x00, 0, 0x03, 0, 0x81, 0]);
    bench.refuse(0, features(SET, [0x1e, 0x0001_0003, 1]), Status::INVALID_FIELD, (44, 0));
    bench.refuse(0, features(SET, [0x1e, 1, 1]), Status::INVALID_FIELD, (46, 0));
    bench.refuse(0, features(GET, [0x1e, 3, 0]), Status::INVALID_FIELD, (44, 0));
    for nsid in [0, 3, u32::MAX] {
        for entry in [get, features(GET, [0x31e, 1, 0]), features(SET, [0x1e, 0x0001_0001, 1])] {
            bench.refuse(0, entry.with(1, nsid), Status::INVALID_NAMESPACE, (4, 0));
        }
    }
    let saved = features(SET, [0x8000_001e, 0x0001_0001, 1]);
    bench.refuse(0, saved, Status::FEATURE_NOT_SAVEABLE, (43, 7));
}

/// The log has room for 63: the oldest gives way.
#[test]
fn a_full_log_keeps_the_newest_events() {
    let mut bench = placed();
    assert!(bench.tell(0, &[0x03], true).is_success());
    for nth in 0..70 {
        bench.send(1, write(100 + nth));
        bench.storage.end(IoOutcome::Success);
        bench.settle();
    }
    let told = bench.told(LogPage::HostPlacementEvents);
    let found: Vec<u16> = told.iter().map(|own| own.identifier).collect();
    let expected: Vec<u16> = (107..170).collect();
    assert_eq!(found, expected);
}
