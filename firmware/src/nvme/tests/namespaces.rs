//! Drives with several namespaces.

use super::mock::BLOCKS;
use super::*;
use crate::nvme::backend::IoKind;
use nvme::admin::{
    EventAfterRead, FormatNvm, GetFeatures, GetLogPage, IdentifyStructure, LogPage, SecureErase,
};
use nvme::feature::{FeatureId, Select};
use nvme::identify::{
    format_attribute, parse_active_namespaces, parse_uuid_descriptor, Controller, Namespace,
};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::ALL_NAMESPACES;

/// First block and blocks of each of three namespaces: 1,024 units of four blocks are 341, 341 and 342 units.
const PLACES: [(u64, u64); 3] = [(0, 1364), (1364, 1364), (2728, 1368)];

fn read(nsid: u32, start: u64, blocks: u32) -> Entry {
    IoCommand::Read(BlockRange { start, blocks }, UnitAccess::Normal).emit(header(nsid))
}

impl Bench {
    fn error_recovery(&mut self, nsid: u32) -> u32 {
        let get =
            GetFeatures { feature: FeatureId::ErrorRecovery, select: Select::Current, argument: 0 };
        let (status, value) = self.finish(0, AdminCommand::GetFeatures(get).emit(header(nsid)));
        assert!(status.is_success());
        value
    }
}

#[test]
fn each_namespace_has_blocks_of_its_own() {
    let mut bench = Bench::with_namespaces(3);
    for (nsid, (first, blocks)) in (1..).zip(PLACES) {
        let page = bench.identify(IdentifyStructure::Namespace, nsid);
        let told = Namespace::parse(&page);
        assert_eq!((told.size, told.capacity, told.in_use), (blocks, blocks, blocks));
        for start in [0, blocks - 2] {
            bench.send(1, read(nsid, start, 2));
            let submitted = bench.storage.end(IoOutcome::Success);
            assert_eq!((submitted.start, submitted.blocks), (first + start, 2));
            bench.settle();
        }
        bench.refuse(1, read(nsid, blocks - 1, 2), Status::LBA_OUT_OF_RANGE, (40, 0));
        bench.refuse(1, read(nsid, u64::MAX, 2), Status::LBA_OUT_OF_RANGE, (40, 0));
        assert_eq!(bench.errors()[0].lba, u64::MAX, "as the host counts blocks");
    }
    assert_eq!(PLACES[2].0 + PLACES[2].1, BLOCKS);
    for nsid in [0, 4, 17, ALL_NAMESPACES - 1, ALL_NAMESPACES] {
        bench.refuse(1, read(nsid, 0, 1), Status::INVALID_NAMESPACE, (4, 0));
    }
}

#[test]
fn a_flush_is_of_everything_whichever_namespace_it_names() {
    for nsid in [1, 2, 3, ALL_NAMESPACES] {
        let mut bench = Bench::with_namespaces(3);
        let tag = bench.send(1, IoCommand::Flush.emit(header(nsid)));
        let submitted = bench.storage.end(IoOutcome::Success);
        assert_eq!((submitted.tag, submitted.kind), (tag, IoKind::Flush));
        assert_eq!(
            (submitted.start, submitted.blocks),
            (0, 0),
            "storage looks at entries from 0 on"
        );
    }
}

#[test]
fn ranges_to_deallocate_are_those_of_their_namespace() {
    let entry = Entry::new(0x09, header(2)).with(10, 1).with(11, 1 << 2);
    let mut bench = Bench::with_namespaces(3);
    // Two ranges: of the first block, and of the last.
    bench.hw.page = [0; 4096];
    for (range, start) in [(0, 0), (1, PLACES[1].1 - 1)] {
        bench.hw.page[16 * range + 4] = 1;
        bench.hw.page[16 * range + 8..16 * range + 16].copy_from_slice(&start.to_le_bytes());
    }
    let tag = bench.send(1, entry);
    bench.settle();
    bench.storage.end_control(IoOutcome::Success);
    for start in [PLACES[1].0, PLACES[2].0 - 1] {
        bench.settle();
        let submitted = bench.storage.end(IoOutcome::Success);
        assert_eq!((submitted.kind, submitted.start), (IoKind::Deallocate, start));
    }
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is_success());
    // The block behind its last one is another's.
    bench.hw.page[24..32].copy_from_slice(&PLACES[1].1.to_le_bytes());
    let tag = bench.send(1, entry);
    bench.settle();
    bench.storage.end_control(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is(Status::LBA_OUT_OF_RANGE));
    assert!(bench.storage.submitted.is_empty());
}

#[test]
fn the_controller_tells_of_all_of_them() {
    let mut bench = Bench::with_namespaces(3);
    let page = bench.identify(IdentifyStructure::Controller, 0);
    let controller = Controller::parse(&page);
    let of_all = format_attribute::ALL_FORMATTED | format_attribute::ALL_ERASED;
    assert_eq!((controller.namespaces, controller.format_attributes), (3, of_all));
    for (after, expected) in [(0, &[1, 2, 3][..]), (1, &[2, 3]), (3, &[]), (9, &[])] {
        let page = bench.identify(IdentifyStructure::ActiveNamespaces, after);
        assert_eq!(parse_active_namespaces(&page).collect::<Vec<_>>(), expected);
    }
    let uuids = [1, 2, 3].map(|nsid| {
        let page = bench.identify(IdentifyStructure::NamespaceDescriptors, nsid);
        parse_uuid_descriptor(&page).expect("each has one")
    });
    assert!(uuids[0] != uuids[1] && uuids[1] != uuids[2] && uuids[0] != uuids[2]);
    let other = AdminCommand::Identify(IdentifyStructure::NamespaceDescriptors).emit(header(4));
    bench.refuse(0, other, Status::INVALID_NAMESPACE, (4, 0));
}

#[test]
fn a_format_of_any_of_them_is_one_of_all_of_them() {
    for nsid in [2, ALL_NAMESPACES] {
        let mut bench = Bench::with_namespaces(3);
        let format = FormatNvm { format: 1, protection: 0, erase: SecureErase::UserData };
        let tag = bench.send(0, AdminCommand::FormatNvm(format).emit(header(nsid)));
        bench.settle();
        bench.storage.end(IoOutcome::Success);
        bench.settle();
        assert!(bench.take(tag).unwrap().0.is_success());
        let page = bench.identify(IdentifyStructure::Namespace, 3);
        assert_eq!(Namespace::parse(&page).size, PLACES[2].1 * 8, "in blocks of 512 bytes");
        bench.send(1, read(3, 1, 1));
        assert_eq!(bench.storage.submitted[0].start, PLACES[2].0 * 8 + 1);
        let (page, event) = (LogPage::ChangedNamespaces, EventAfterRead::Cleared);
        let log = GetLogPage { page, event, offset: 0, length: 4096 };
        bench.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
        assert_eq!(parse_active_namespaces(&bench.hw.page).collect::<Vec<_>>(), [1, 2, 3]);
    }
}

#[test]
fn error_recovery_is_a_feature_of_each() {
    let mut bench = Bench::with_namespaces(3);
    let set = |nsid, limit| Entry::new(0x09, header(nsid)).with(10, 0x05).with(11, limit);
    assert!(bench.finish(0, set(2, 20)).0.is_success());
    assert_eq!([1, 2, 3].map(|nsid| bench.error_recovery(nsid)), [0, 20, 0]);
    assert!(bench.finish(0, set(ALL_NAMESPACES, 30)).0.is_success());
    assert_eq!([1, 2, 3].map(|nsid| bench.error_recovery(nsid)), [30; 3]);
    bench.refuse(0, set(4, 1), Status::INVALID_NAMESPACE, (4, 0));
    let arbitration = Entry::new(0x09, header(3)).with(10, 0x01);
    bench.refuse(0, arbitration, Status::FEATURE_NOT_NAMESPACE_SPECIFIC, (4, 0));
    bench.event(HostEvent::Disable);
    bench.settle();
    bench.event(HostEvent::Enable);
    assert_eq!(
        [1, 2, 3].map(|nsid| bench.error_recovery(nsid)),
        [0; 3],
        "a reset has the default again"
    );
}
