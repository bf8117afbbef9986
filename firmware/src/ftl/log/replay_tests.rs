//! What becomes of a drive by what recovery has found.

use super::super::recover::tests::{drive, log, snapshots};
use super::*;
use crate::ftl::blocks::Stream;
use crate::ftl::map::Ppn;
use crate::ftl::save::page::SavedPage;
use crate::nvme::tests::mock::MockHardware;
use crate::operations::{Page, Place};
use crate::planted::plant;

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

/// Whether the first logical page is lost, of which a page says so that was programmed, and which a snapshot has at that page.
fn is_lost_where_it_was_programmed() -> bool {
    let (config, mut recover, mut translator) = drive();
    let mut hw = MockHardware::new(&config);
    hw.log_page = alloc::vec![0; config.geometry.page_bytes as usize];
    let block = translator.blocks.any_member(1, 3).expect("a block");
    let page = Page { die: 1, row: block * config.geometry.pages_per_block };
    let Ppn(ppn) = translator.ppn(Place { page, unit: 0 });
    translator.map.restore_at(0, ppn);
    recover.lost_at = alloc::vec![(0, ppn)];
    log().finish(&mut hw, recover, &mut translator);
    translator.map.is_lost(Lpn(0))
}

/// The snapshot was taken before the program had ended, and told where the page was to be.
#[test]
fn lost_data_that_a_snapshot_takes_for_present_stay_lost() {
    assert!(is_lost_where_it_was_programmed());
    plant(Some(Bug::LostTakenForPresent));
    let with_bug = is_lost_where_it_was_programmed();
    plant(None);
    assert!(!with_bug);
}

/// Records that a superblock is filled, when a program of the one behind it ends, and all before that have ended or not.
fn filled_behind(is_first: bool) -> usize {
    let (config, _, _) = drive();
    let (mut log, mut hw) = (log(), MockHardware::new(&config));
    hw.log_page = alloc::vec![0; config.geometry.page_bytes as usize];
    let stream = Stream::Host;
    for (superblock, opened) in [(3, 10), (4, 20)] {
        log.opened(&mut hw, 1, Unfilled { superblock, stream, opened, filled: None });
    }
    let row = config.geometry.pages_per_block;
    let of_next = (Page { die: 1, row }, Some(4));
    log.holds.program_begins(21);
    log.program_ended(&mut hw, of_next, core::iter::empty(), (21, || is_first));
    log.unfilled[1].iter().filter(|own| own.filled.is_some()).count()
}

/// In cache mode a program of the next superblock may end before one that failed is done again.
#[test]
fn a_superblock_is_filled_when_all_programs_before_have_ended() {
    assert_eq!([true, false].map(filled_behind), [1, 0]);
    plant(Some(Bug::FilledOutOfOrder));
    let with_bug = filled_behind(false);
    plant(None);
    assert_eq!(with_bug, 1);
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
