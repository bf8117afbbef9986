//! What becomes of a drive by what recovery has found.

use super::super::recover::tests::{drive, log, snapshots};
use super::*;
use crate::ftl::save::SavedPage;
use crate::nvme::tests::mock::MockHardware;
use crate::operations::{Page, Place};

/// Parts of a map of 100 logical pages a part that a record may have changed.
#[test]
fn a_record_changes_all_parts_that_its_pages_are_in() {
    let log = log();
    for (record, expected) in [
        (Record::Placed { lpn: 100, ppn: 1, sequence: 1 }, &[1][..]),
        (Record::Lost { lpn: 99, sequence: 1 }, &[0]),
        (Record::Unmapped { lpn: 99, count: 1, sequence: 1 }, &[0]),
        (Record::Unmapped { lpn: 99, count: 2, sequence: 1 }, &[0, 1]),
        (Record::Unmapped { lpn: 150, count: 200, sequence: 1 }, &[1, 2, 3]),
        (Record::Filled { die: 0, superblock: 1, sequence: 1 }, &[]),
    ] {
        let mut changed = alloc::vec![false; log.parts.of_map as usize];
        log.note_changed(&record, &mut changed);
        let parts: Vec<usize> = (0..changed.len()).filter(|&part| changed[part]).collect();
        assert_eq!(parts, expected, "{record:?}");
    }
    let mut changed = [false; 3];
    log.note_changed(&Record::Cleared { block_bytes: 4096, sequence: 1 }, &mut changed);
    assert_eq!(changed, [true; 3]);
}

/// Saved pages may still be there though they were put back, and snapshots taken since.
#[test]
fn saved_pages_count_from_the_snapshot_of_their_part_on() {
    let (config, mut recover, mut translator) = drive();
    let (mut log, mut hw) = (log(), MockHardware::new(&config));
    snapshots(&mut recover, &[(0, 31), (1, 30)]);
    let place = Place { page: Page { die: 0, row: 3 }, unit: 0 };
    let saved = |lpn| SavedPage { lpn: Lpn(lpn), sequence: 30, place, lost: false };
    recover.saved = [7, 150, 250, config.logical_pages].map(saved).to_vec();
    log.finish(&mut hw, recover, &mut translator);
    assert_eq!(log.saved, [150, 250].map(saved));
}

/// Erases of a block that its snapshot does not know of are told by superblocks that were opened since.
#[test]
fn a_superblock_that_was_opened_since_the_snapshot_was_erased_once_more() {
    for (taken, more) in [(60, 1), (61, 0)] {
        let (_, mut recover, mut translator) = drive();
        let block = translator.blocks.any_member(1, 3).expect("a block");
        let before = translator.blocks.erases_of(1, block);
        let parts = recover.parts;
        let all: Vec<_> = (parts.of_map..parts.count).map(|part| (part as usize, taken)).collect();
        snapshots(&mut recover, &all);
        recover.records = alloc::vec![Record::Opened { die: 1, superblock: 3, sequence: 60 }];
        log().apply_to_blocks(&mut recover, &mut translator);
        assert_eq!(translator.blocks.erases_of(1, block), before + more, "taken at {taken}");
    }
}
