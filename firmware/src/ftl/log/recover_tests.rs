//! What recovery makes of single pages, records and superblocks.

use alloc::vec;

use contract::{Configuration, Lpns, Policies, Recovery, StreamPolicy};

use super::*;
use crate::ftl::blocks::Stream;
use crate::ftl::log::page::{journal, put_blocks, BlockEntry};
use crate::ftl::log::snapshots::Snapshots;
use crate::ftl::rebuild::Resumed;
use crate::nvme::backend::IoOutcome;
use crate::nvme::tests::mock::{configuration, MockHardware};
use crate::operations::Station;
use crate::planted::plant;

/// Mapping units of a part of the map here.
const PART: u32 = 100;
const ENTRIES: u32 = 8;

/// A log of three blocks a way.
const LOG: Recovery = Recovery {
    log_blocks_per_way: 3,
    snapshots_per_journal_page: 1,
    log_entries: 4,
    map_cache_parts: None,
};

/// A drive of four ways whose map has several parts.
pub fn drive() -> (Configuration, Recover, Translator) {
    let config = configuration();
    let of_map = config.logical_pages.div_ceil(PART);
    let blocks = config.geometry.dies() * config.geometry.blocks_per_way;
    let count = of_map + blocks / ENTRIES;
    let parts = Parts { map_entries: PART, of_map, block_entries: ENTRIES, count };
    let area = Area::new(config.geometry, &LOG, |_, _| false);
    let translator = Translator::new(&config, |_, _| false);
    (config, Recover::new(&area, parts), translator)
}

fn metadata(lpn: u32, (sequence, epoch): (u64, u32)) -> Metadata {
    Metadata { kind: PageKind::Data, epoch, sequence, lpns: Lpns::one(Lpn(lpn)) }
}

/// The newest data of a logical page that cannot be read are lost, and not what they replaced.
#[test]
fn an_uncorrectable_page_of_an_open_superblock_counts_and_a_torn_one_does_not() {
    let data = metadata(7, (40, 2));
    let lost = Metadata { lpns: [(Lpn(7), UnitState::Lost)].into_iter().collect(), ..data };
    let saved = Metadata { kind: PageKind::Saved, ..data };
    let outside = metadata(configuration().logical_pages, (40, 2));
    for (found, is_counted) in [
        (Found::Page(data), true),
        (Found::Unreadable(data), true),
        (Found::Page(lost), true),
        (Found::Unreadable(lost), true),
        (Found::Page(saved), false),
        (Found::Page(outside), false),
        (Found::Torn, false),
        (Found::Erased, false),
    ] {
        let (config, mut recover, translator) = drive();
        recover.open.push(Open::new(1, 4, 30));
        let page = Page { die: 1, row: translator.blocks.row(1, 4, 5) };
        recover.take_data(page, found, (&config.geometry, &translator));
        assert_eq!(recover.found.len(), usize::from(is_counted), "{found:?}");
        assert_eq!(recover.highest, if is_counted { 40 } else { 0 }, "{found:?}");
        // Pages up to the last that is not erased cannot be programmed any more.
        let used = if found == Found::Erased { 0 } else { 6 };
        assert_eq!((recover.open[0].used, recover.open[0].first_row), (used, 0), "{found:?}");
        let Ppn(ppn) = translator.ppn(Place { page, unit: 0 });
        match recover.found.first() {
            Some(&Record::Placed { lpn, ppn: own, sequence }) => {
                assert_eq!((lpn, own, sequence), (7, ppn, 40));
                assert!(recover.lost_at.is_empty());
            }
            Some(&Record::Lost { lpn, sequence }) => {
                assert_eq!((lpn, sequence), (7, 40));
                assert_eq!(recover.lost_at, [(7, ppn)]);
            }
            other => assert_eq!(other, None),
        }
    }
}

/// The next epoch is one that no page of the flash has.
#[test]
fn the_epoch_of_a_page_counts_though_its_data_cannot_be_read() {
    let (_, mut recover, _) = drive();
    for (found, epoch) in [
        (Found::Erased, 0),
        (Found::Page(metadata(1, (9, 3))), 3),
        (Found::Torn, 3),
        (Found::Unreadable(metadata(1, (8, 5))), 5),
        (Found::Page(metadata(1, (20, 4))), 5),
        (Found::Unreadable(metadata(1, (21, 1))), 5),
    ] {
        recover.note_epoch(found);
        assert_eq!(recover.epoch, epoch, "{found:?}");
    }
    recover.take_saved((Vec::new(), Vec::new()), 9);
    assert_eq!(recover.epoch, 9);
    recover.take_saved((Vec::new(), Vec::new()), 2);
    assert_eq!(recover.epoch, 9);
}

/// Of the superblocks of a way that were open, with pages used of each, the ones that stay open, and for what.
fn going_on_for(streams: StreamPolicy, open: &[Open]) -> Vec<(u32, u32, Option<Stream>)> {
    let (config, mut recover, _) = drive();
    let policies = Policies { streams: streams.with([4]), ..config.policies };
    let translator = Translator::new(&Configuration { policies, ..config }, |_, _| false);
    recover.open = open.to_vec();
    let of = |resumed: &Resumed| (resumed.die, resumed.superblock, resumed.goes_on);
    recover.resumed(&translator).iter().map(of).collect()
}

fn going_on(open: &[Open]) -> Vec<(u32, u32, bool)> {
    let all = going_on_for(StreamPolicy::Together, open);
    all.into_iter().map(|(die, superblock, stream)| (die, superblock, stream.is_some())).collect()
}

/// Where what collection moves has a superblock of its own, both go on. One that is full between them costs nothing.
#[test]
fn each_stream_of_a_way_goes_on() {
    let of =
        |superblock, used| Open { used, ..Open::new(1, superblock, 10 + u64::from(superblock)) };
    let pages = drive().2.blocks.superblock_pages();
    let (host, moved) = (Some(Stream::Host), Some(Stream::Moved));
    for (open, expected) in [
        (vec![of(2, 3), of(5, 1)], vec![(2, moved), (5, host)]),
        (vec![of(2, 3), of(4, pages), of(5, 1)], vec![(2, moved), (4, None), (5, host)]),
        (vec![of(2, 3), of(4, 2), of(5, 1)], vec![(2, None), (4, moved), (5, host)]),
        (vec![of(2, 3), of(5, 0)], vec![(2, host), (5, None)]),
    ] {
        let found = going_on_for(StreamPolicy::Apart, &open);
        let expected: Vec<_> = expected.into_iter().map(|(own, on)| (1, own, on)).collect();
        assert_eq!(found, expected);
    }
    // Data of several handles may be in any of them.
    let found = going_on_for(StreamPolicy::ByHandle, &[of(2, 3), of(5, 1)]);
    assert_eq!(found, [(1, 2, None), (1, 5, moved)]);
}

/// A way has one superblock that is written: of several that were open the one that was opened last and holds something.
#[test]
fn one_superblock_of_each_way_goes_on() {
    let of = |die, superblock, used| Open {
        used,
        ..Open::new(die, superblock, 10 + u64::from(superblock))
    };
    let pages = drive().2.blocks.superblock_pages();
    assert_eq!(
        going_on(&[of(0, 2, 3), of(0, 5, 1), of(1, 3, 4), of(2, 6, pages)]),
        [(0, 2, false), (0, 5, true), (1, 3, true), (2, 6, false)]
    );
    // The later one is erased still, or full.
    assert_eq!(going_on(&[of(0, 2, 3), of(0, 5, 0)]), [(0, 2, true), (0, 5, false)]);
    assert_eq!(going_on(&[of(0, 2, 3), of(0, 5, pages)]), [(0, 2, false), (0, 5, false)]);
    let three = [of(3, 1, 1), of(3, 2, 2), of(3, 4, 3)];
    assert_eq!(going_on(&three).iter().filter(|own| own.2).count(), 1);
    // Nothing is known of one that only may have been open, where it holds nothing.
    let unknown = |used| Open { used, ..Open::new(1, 9, 0) };
    assert_eq!((going_on(&[unknown(0)]), going_on(&[unknown(2)])), (vec![], vec![(1, 9, true)]));
}

/// Parts whose newest snapshot was taken when a sequence number was to come.
pub fn snapshots(recover: &mut Recover, times: &[(usize, u64)]) {
    for &(part, sequence) in times {
        recover.newest[part] = (1, Time { sequence, ..Time::default() });
    }
}

/// Logical pages that hold nothing after a record, of ten about the border of two parts that held something.
fn freed(record: Record, times: &[(usize, u64)]) -> (bool, Vec<u32>) {
    let (config, mut recover, mut translator) = drive();
    snapshots(&mut recover, times);
    for lpn in 95..105 {
        translator.map.restore_at(lpn, 300 + lpn);
    }
    let is_needed = recover.is_needed(&record, &config.geometry);
    if is_needed {
        recover.apply(&record, &mut translator);
    }
    let is_free = |lpn: &u32| !translator.map.is_at(*lpn, 300 + lpn);
    (is_needed, (95..105).filter(is_free).collect())
}

/// Each of the pages that a record frees has a number of its own: a snapshot may know of the first of them and not of the last.
#[test]
fn a_record_of_several_freed_pages_counts_from_the_snapshot_on() {
    // Pages 96 to 99 are in part 0, 100 to 103 in part 1, freed with the numbers 50 to 57.
    let record = Record::Unmapped { lpn: 96, count: 8, sequence: 50 };
    let all: Vec<u32> = (96..104).collect();
    assert_eq!(freed(record, &[]), (true, all.clone()));
    assert_eq!(freed(record, &[(0, 50), (1, 50)]), (true, all));
    assert_eq!(freed(record, &[(0, 52), (1, 56)]), (true, alloc::vec![98, 99, 102, 103]));
    // The last page of all, alone.
    assert_eq!(freed(record, &[(0, 58), (1, 57)]), (true, alloc::vec![103]));
    assert_eq!(freed(record, &[(0, 53), (1, 58)]), (true, alloc::vec![99]));
    // One of the snapshots is much newer than all of it.
    assert_eq!(freed(record, &[(0, 52), (1, 90)]), (true, alloc::vec![98, 99]));
    assert_eq!(freed(record, &[(0, 90), (1, 55)]), (true, alloc::vec![101, 102, 103]));
    // All of it is in the snapshots. That it may seem needed at their very end changes nothing.
    assert_eq!(freed(record, &[(0, 58), (1, 58)]).1, []);
    assert_eq!(freed(record, &[(0, 59), (1, 59)]), (false, alloc::vec![]));
    // All logical pages have one number.
    let cleared = Record::Cleared { block_bytes: 4096, sequence: 50 };
    assert_eq!(freed(cleared, &[(0, 51), (1, 50)]), (true, (100..105).collect()));
    let one = Record::Unmapped { lpn: 100, count: 1, sequence: 50 };
    assert_eq!(freed(one, &[(1, 50)]), (true, alloc::vec![100]));
    assert_eq!(freed(one, &[(1, 51)]).1, []);
}

#[test]
fn records_are_needed_from_the_snapshot_of_their_own_part_on() {
    let (config, mut recover, _) = drive();
    let blocks = recover.parts.of_map as usize;
    snapshots(&mut recover, &[(0, 20), (1, 30), (blocks, 40), (blocks + 1, 50), (blocks + 2, 60)]);
    let needed = |record| recover.is_needed(&record, &config.geometry);
    for (lpn, first) in [(99, 20), (100, 30)] {
        for (sequence, is_needed) in [(first - 1, false), (first, true)] {
            assert_eq!(needed(Record::Placed { lpn, ppn: 1, sequence }), is_needed);
            assert_eq!(needed(Record::Lost { lpn, sequence }), is_needed);
        }
    }
    let block = |block, sequence| Record::Block { block, place: 0, sequence };
    assert!(needed(block(7, 40)) && !needed(block(7, 39)));
    assert!(!needed(block(8, 40)) && needed(block(8, 50)));
    // A way's 16 blocks are in two parts: the older snapshot counts.
    let opened = |die, sequence| Record::Opened { die, superblock: 1, sequence };
    assert!(needed(opened(0, 40)) && !needed(opened(0, 39)));
    assert!(needed(opened(1, 5)), "of its second part no snapshot is known");
    assert!(needed(Record::Cleared { block_bytes: 4096, sequence: 1 }));
    assert!(needed(Record::Filled { die: 0, superblock: 1, sequence: 1 }));
}

/// Enough erased rows behind what is not are the end, but where a block may stand in for another; fewer may be pages whose
/// programs were lost.
#[test]
fn a_superblock_ends_behind_erased_rows_unless_a_block_may_stand_in() {
    let ends = |used, first_row, (pages, planes)| {
        let mut open = Open { used, first_row, ..Open::new(0, 1, 1) };
        open.end_behind(pages, planes);
        open.ended
    };
    let pages = 3 + ERASED_ROWS;
    assert_eq!([3, 4, 0].map(|used| ends(used, 1, (pages, 1))), [true, false, false]);
    assert!(!ends(3, 1, (pages - 1, 1)), "a row that was lost is not the end");
    let pages = 6 + 2 * ERASED_ROWS;
    assert_eq!([5, 6, 7, 8].map(|used| ends(used, 2, (pages, 2))), [true, true, false, false]);
    assert!(!ends(6, 1, (pages, 2)), "the first row was left out in one plane");
}

/// What a superblock was opened as last counts, and its number is one of those that were given.
#[test]
fn a_superblock_that_was_opened_twice_is_open_once() {
    let (_, mut recover, _) = drive();
    for opened in [5, 9, 0, 7] {
        recover.note_open(Open::new(2, 3, opened));
    }
    recover.note_open(Open::new(1, 3, 2));
    let all: Vec<_> =
        recover.open.iter().map(|own| (own.die, own.superblock, own.opened)).collect();
    assert_eq!((all, recover.highest), (alloc::vec![(2, 3, 9), (1, 3, 2)], 9));
}

/// The log of such a drive.
pub fn log() -> Log {
    let config = Configuration { recovery: Some(LOG), ..configuration() };
    let area = Area::new(config.geometry, &LOG, |_, _| false);
    let parts = drive().1.parts;
    let snapshots = Snapshots::new(100, &LOG, parts.count);
    Log { parts, snapshots, ..Log::new(&config, LOG, (area, 100)) }
}

/// A superblock that lost a block and got no other is not read, wherever it stands among those that were open.
#[test]
fn open_superblocks_without_a_block_are_passed_over() {
    let (config, whole) = (configuration(), |die, superblock| Open::new(die, superblock, 5));
    let all = [whole(0, 3), whole(0, 4), whole(1, 2)];
    for lost in 0..8_u32 {
        let (_, mut recover, mut translator) = drive();
        let is_lost = |nth: usize| lost >> nth & 1 == 1;
        for (nth, open) in all.iter().enumerate() {
            recover.told_open.push((recover.parts.of_map, *open));
            if is_lost(nth) {
                let block =
                    translator.blocks.any_member(open.die, open.superblock).expect("a block");
                translator.blocks.restore(open.die, block, (BlockPlace::Failed, 1));
            }
        }
        recover.phase = Phase::Rows { nth: 0, row: 0, die: 0 };
        let (mut log, mut hw) = (log(), MockHardware::new(&config));
        assert!(!log.next_phase(&mut hw, &mut recover, &mut translator));
        let ended: Vec<bool> = recover.open.iter().map(|open| open.ended).collect();
        assert_eq!(ended, [0, 1, 2].map(is_lost), "{lost:03b}");
        let first = (0..3).find(|&nth| !is_lost(nth)).unwrap_or(3);
        assert_eq!(recover.phase, Phase::Open { page: 0, nth: first }, "{lost:03b}");
        let read = log.next_to_read(&recover, &translator);
        let expected = all.get(first).map(|open| Page {
            die: open.die,
            row: translator.blocks.row(open.die, open.superblock, 0),
        });
        assert_eq!(read, expected, "{lost:03b}");
    }
}

/// The record that a block took the place of another may be all that is left of its superblock being open.
#[test]
fn a_superblock_whose_block_was_replaced_counts_as_open() {
    let (config, mut recover, mut translator) = drive();
    let per_way = config.geometry.blocks_per_way;
    let spare = (0..per_way)
        .find(|&block| translator.blocks.place_of(2, block) == BlockPlace::Spare)
        .expect("a spare block");
    let failed = translator.blocks.any_member(2, 6).expect("a block");
    let of = |block, place: BlockPlace, sequence| Record::Block {
        block: 2 * per_way + block,
        place: place.code(),
        sequence,
    };
    recover.records =
        alloc::vec![of(spare, BlockPlace::In(6), 41), of(failed, BlockPlace::Failed, 40)];
    log().apply_to_blocks(&mut recover, &mut translator);
    let open: Vec<_> =
        recover.open.iter().map(|own| (own.die, own.superblock, own.ended)).collect();
    assert_eq!(open, [(2, 6, false)]);
    assert_eq!(translator.blocks.any_member(2, 6), Some(spare));
}

/// A superblock is not open any more when that is recorded, unless it was opened again since.
#[test]
fn a_superblock_that_was_filled_is_not_read() {
    for (filled, opened, is_open) in [(5, 5, false), (4, 5, true)] {
        let (_, mut recover, mut translator) = drive();
        recover.records = alloc::vec![
            Record::Opened { die: 0, superblock: 3, sequence: opened },
            Record::Filled { die: 0, superblock: 3, sequence: filled },
        ];
        log().apply_to_blocks(&mut recover, &mut translator);
        assert_eq!(recover.open.len(), usize::from(is_open), "filled {filled}, opened {opened}");
    }
}

/// A log whose newest snapshots of all parts are at a position.
fn with_snapshots_at(position: u64) -> Log {
    let mut log = log();
    for part in 0..log.parts.count {
        log.snapshots.found(part, (position, position));
    }
    log.snapshots.go_on();
    log
}

/// Snapshots are due, and nothing more is planned, before the stripe is to be erased that holds the newest of a part.
#[test]
fn snapshots_are_due_a_stripe_before_theirs_is_erased() {
    let stripe = log().area.stripe_pages();
    for (next, since, is_due) in [
        (stripe, 0, false),
        (stripe + 1, 0, true),
        (2 * stripe, 0, true),
        (2 * stripe, stripe - 1, true),
        (2 * stripe, stripe, false),
        (2 * stripe + 1, stripe, true),
    ] {
        let mut log = with_snapshots_at(since);
        log.next = next;
        log.keep_ahead();
        let owed = if is_due { log.parts.count } else { 0 };
        assert_eq!((log.snapshots.owed(), log.has_room()), (owed, !is_due), "{next}, {since}");
        let mut with_bug = with_snapshots_at(since);
        with_bug.next = next;
        plant(Some(Bug::ShortLogPlannedOn));
        with_bug.keep_ahead();
        plant(None);
        assert!(with_bug.has_room(), "{next}, {since}");
    }
}

/// Whatever a page is read for.
#[test]
fn each_page_that_is_read_tells_its_epoch() {
    let unreadable = Ended::Failed(IoOutcome::UnrecoveredRead);
    for ended in [Ended::Well, unreadable] {
        let (config, mut recover, mut translator) = drive();
        let (mut log, mut hw) = (log(), MockHardware::new(&config));
        let entry = BufferId(100);
        hw.spare = Some(alloc::vec![(entry, metadata(1, (9, 3)))]);
        recover.under_way = 1;
        log.recover = Some(recover);
        log.probed(&mut hw, (Page { die: 0, row: 0 }, entry), ended, &mut translator);
        let recover = log.recover.expect("it goes on");
        assert_eq!((recover.epoch, recover.any_used), (3, true), "{ended:?}");
    }
}

/// A drive that found its map, after a log that was read to its end and no open superblock.
#[test]
fn the_drive_goes_on_with_an_epoch_and_with_numbers_that_none_had() {
    let (config, mut recover, mut translator) = drive();
    let (mut log, mut hw) = (log(), MockHardware::new(&config));
    (recover.epoch, recover.highest) = (5, (3 << 32) + 77);
    recover.phase = Phase::Rows { nth: 0, row: 0, die: 0 };
    log.recover = Some(recover);
    let mut station = Station::new(config.geometry, 16);
    let mut ports = Ports { hw: &mut hw, station: &mut station };
    while log.recover(&mut ports, &mut translator) {}
    assert!(log.recover.is_none());
    // A page that was not read may have a number above all that were found.
    assert_eq!((station.epoch, translator.sequence), (6, 4 << 32));
}

/// A block of the log may hold pages of a lap before. A page is what it says only where that belongs.
#[test]
fn pages_of_the_log_count_in_their_lap_and_at_their_place() {
    let log = log();
    let (lap, stripe) = (log.area.pages(), log.area.stripe_pages());
    let bytes = journal(&[Record::Unmapped { lpn: 3, count: 8, sequence: 50 }]);
    let at = lap + stripe + 5;
    for (position, place, counts) in [
        (at, at, true),
        (at, at + 1, false),
        (at - lap, at, false),
        (at + lap, at, false),
        (at + stripe, at, false),
    ] {
        let (_, mut recover, mut translator) = drive();
        recover.bases[1] = lap + stripe + 1;
        recover.stripes = alloc::vec![1];
        let lpns = Lpns::NONE;
        let metadata = Metadata { kind: PageKind::Journal, epoch: 1, sequence: position, lpns };
        let page = log.area.page(place);
        let found = (Found::Page(metadata), &bytes[..]);
        log.take_log(&mut recover, (1, page), found, &mut translator);
        assert_eq!(recover.records.len(), usize::from(counts), "{position} at {place}");
        // The last of eight pages that were freed.
        assert_eq!(recover.highest, if counts { 57 } else { 0 });
    }
}

/// First pages tell when their stripe was written, each that is at its place.
#[test]
fn a_stripe_is_of_the_newest_lap_that_a_first_page_tells() {
    let log = log();
    let (lap, stripe) = (log.area.pages(), log.area.stripe_pages());
    let (_, mut recover, _) = drive();
    for (die, base, place, kind) in [
        (0_u64, stripe, stripe, PageKind::Journal),
        (1, lap + stripe, lap + stripe + 1, PageKind::Snapshot),
        (2, 2 * lap + stripe, stripe + 3, PageKind::Journal),
        (2, 3 * lap + stripe, stripe + 2, PageKind::Data),
    ] {
        let sequence = base + die;
        let metadata = Metadata { kind, epoch: 1, sequence, lpns: Lpns::NONE };
        // Whether its data can be read changes nothing.
        for found in [Found::Page(metadata), Found::Unreadable(metadata)] {
            log.take_head(&mut recover, log.area.page(place), found);
        }
    }
    for found in [Found::Erased, Found::Torn] {
        log.take_head(&mut recover, log.area.page(2 * stripe), found);
    }
    let (_, mut of_one, _) = drive();
    let metadata =
        Metadata { kind: PageKind::Journal, epoch: 1, sequence: stripe, lpns: Lpns::NONE };
    log.take_head(&mut of_one, log.area.page(stripe), Found::Unreadable(metadata));
    assert_eq!(
        of_one.bases,
        [0, stripe + 1, 0],
        "a stripe with one first page, which cannot be read"
    );
    let first = log.area.dies() as usize;
    assert_eq!(recover.heads[first..first + 3], [stripe + 1, lap + stripe + 1, 0]);
    assert_eq!(recover.bases, [0, lap + stripe + 1, 0]);
}

/// What superblocks are open, a part of the block table tells in its newest snapshot alone.
#[test]
fn the_newest_snapshot_of_a_part_tells_what_is_open() {
    let log = log();
    for (first, second, expected) in [(10, 20, [4]), (20, 10, [2])] {
        let (_, mut recover, mut translator) = drive();
        let part = Lpns::one(Lpn(recover.parts.of_map));
        for (position, open) in [(first, 2), (second, 4)] {
            let entry = |block| {
                let place = translator.blocks.place_of(0, block);
                let opened = if place == BlockPlace::In(open) { 9 } else { 0 };
                BlockEntry { erases: 1, place, opened }
            };
            let mut bytes = [0; 256];
            put_blocks(&mut bytes, (0..ENTRIES).map(entry), Time::default());
            let kind = PageKind::Snapshot;
            let metadata = Metadata { kind, epoch: 1, sequence: position, lpns: part };
            log.take_snapshot(&mut recover, (metadata, &bytes), &mut translator);
        }
        let open: Vec<u32> = recover.told_open.iter().map(|(_, own)| own.superblock).collect();
        assert_eq!(open, expected, "{first}, then {second}");
    }
}
