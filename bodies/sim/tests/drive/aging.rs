//! Data whose bits go wrong by reads of their block, or by the time that they have been there.

use board::Board;
use firmware::ftl::precondition::Precondition;
use firmware::ftl::Counters;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;
use torture::bench::Bench;

const BLOCKS_A_PAGE: u64 = 4;
const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };
const SECOND_PS: u64 = 1_000_000_000_000;

/// 10^-1 an hour: 13 wrong bits of a chunk after 212 seconds.
const RETENTION: (&str, &str) = ("errors.retention_bits_per_terabit_per_hour", "100000000000");
const REFRESH: (&str, &str) = ("ftl.refresh_bits", "4");
const PATROL: (&str, &str) = ("ftl.patrol_interval_us", "600");

/// Channels that schedule, which tell of bits in another way.
const SCHEDULED: &[(&str, &str)] =
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];

/// A drive whose bits go wrong as `changes` say, before its start, and its pages.
fn idle(changes: &[&[(&str, &str)]]) -> (Bench, u64) {
    let board = board(changes);
    let pages = u64::from(board.firmware.logical_pages);
    (Bench::new(&board, PAYLOAD, Polling::Skip), pages)
}

fn board(changes: &[&[(&str, &str)]]) -> Board {
    let usual: &[(&str, &str)] = &[
        ("ftl.buffer_kib", "256"),
        ("ftl.read_retries", "0"),
        ("ftl.overprovision_percent", "20"),
    ];
    let values: Vec<(String, String)> = [usual]
        .iter()
        .chain(changes)
        .flat_map(|some| some.iter())
        .map(|&(key, value)| (key.into(), value.into()))
        .collect();
    Board::resolve("small", &values).expect("the board")
}

/// The same, and full.
fn full(changes: &[&[(&str, &str)]]) -> (Bench, u64) {
    let (mut bench, pages) = idle(changes);
    bench.start_once();
    for page in 0..pages {
        bench.write(page * BLOCKS_A_PAGE, &stamps(page));
    }
    (bench, pages)
}

fn stamps(page: u64) -> Vec<Stamp> {
    let first = page * BLOCKS_A_PAGE;
    (first..first + BLOCKS_A_PAGE).map(|lba| Stamp::new(lba, 1)).collect()
}

/// Pages that cannot be read. What can be has the data that were written.
fn lost(bench: &mut Bench, pages: u64) -> u64 {
    let mut lost = 0;
    for page in 0..pages {
        match bench.read(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE as usize) {
            Ok(found) => assert_eq!(found, stamps(page), "page {page}"),
            Err(_) => lost += 1,
        }
    }
    lost
}

/// Reads some pages of the drive over and over, more than the buffer holds.
fn after_many_reads(changes: &[&[(&str, &str)]]) -> (u64, Counters) {
    // 13 wrong bits of a chunk's 2,204, which is what can be corrected, after some 4,000 reads of a block.
    let disturb: &[_] = &[("errors.disturb_bits_per_terabit_per_kiloread", "1500000000")];
    let (mut bench, pages) = full(&[&[disturb], changes].concat());
    for nth in 0..40_000 {
        let page = nth % 32;
        let _ = bench.read(page * BLOCKS_A_PAGE, 1);
    }
    (lost(&mut bench, pages), bench.drive.firmware().counters())
}

#[test]
fn reads_disturb_their_block_and_a_refresh_keeps_its_data() {
    for channels in [&[], SCHEDULED] {
        let (lost, counters) = after_many_reads(&[channels]);
        assert!(lost > 0 && counters.refreshes == 0, "{lost} lost: reads disturb nothing");
        let (lost, counters) = after_many_reads(&[channels, &[("ftl.refresh_bits", "9")]]);
        assert!(lost == 0 && counters.refreshes > 3, "{lost} lost, {counters:?}");
    }
}

/// Lets five minutes pass, in which a few pages are read.
fn after_minutes(changes: &[&[(&str, &str)]]) -> (u64, Counters) {
    let (mut bench, pages) = full(&[&[&[RETENTION] as &[_]], changes].concat());
    for tenth in 0..3_000 {
        bench.sleep(SECOND_PS / 10);
        let _ = bench.read(tenth % 100 * BLOCKS_A_PAGE, 1);
    }
    (lost(&mut bench, pages), bench.drive.firmware().counters())
}

#[test]
fn data_that_nobody_reads_fade_and_the_patrol_keeps_them() {
    for channels in [&[], SCHEDULED] {
        let (lost, counters) = after_minutes(&[channels]);
        assert!(lost > 100 && counters.patrol_reads == 0, "{lost} lost: time does nothing");
        let (lost, _) = after_minutes(&[channels, &[REFRESH]]);
        assert!(lost > 100, "{lost} lost: what is not read is not seen to fade");
        let (lost, counters) = after_minutes(&[channels, &[REFRESH, PATROL]]);
        assert!(lost == 0, "{lost} lost, {counters:?}");
        assert!(counters.refreshes > 50 && counters.patrol_reads > 1_000, "{counters:?}");
    }
}

/// What a run finds on the chips has been there for a while, and what it writes is new.
#[test]
fn a_patrol_whose_interval_is_shorter_than_a_read_holds_nothing_up() {
    let one_way: &[_] = &[
        ("geometry.channels", "1"),
        ("geometry.ways", "1"),
        ("flash.t_read_slc_us", "900"),
        ("ftl.patrol_interval_us", "300"),
    ];
    for schedule in [&[][..], SCHEDULED] {
        let (mut bench, pages) = full(&[one_way, schedule]);
        // No read waits for the program of the page whose entry it takes.
        bench.io(&[IoCommand::Flush.emit(Header { nsid: 1, ..Header::default() })]);
        let longest = (0..200).map(|nth| {
            let begun = bench.drive.now();
            let page = nth * 7 % pages;
            assert_eq!(bench.read(page * BLOCKS_A_PAGE, 4), Ok(stamps(page)));
            bench.drive.now() - begun
        });
        // Its own read, one of the patrol that was before it, and some transfers: 2.4 ms at most.
        let (longest, read) = (longest.max(), bench.drive.firmware().counters().patrol_reads);
        assert!(longest < Some(2_400_000_000), "{longest:?} ps");
        assert!(read > 20, "the patrol read {read} pages");
    }
}

#[test]
fn data_of_before_the_run_have_an_age() {
    let rate: &[_] = &[("errors.retention_bits_per_terabit_per_hour", "30000000")];
    for (hours, before) in [("0", false), ("2000", true)] {
        let (mut bench, pages) = idle(&[rate, &[("errors.shelf_hours", hours)]]);
        bench.drive.precondition(Precondition::Sequential);
        bench.start_once();
        assert_eq!(lost(&mut bench, pages) > 0, before, "{hours} hours");
        // The last of these go to blocks in which nothing was before.
        for page in (0..300).rev() {
            bench.write(page * BLOCKS_A_PAGE, &stamps(page));
        }
        assert_eq!(lost(&mut bench, 100), 0, "{hours} hours: what was written now is lost");
    }
}

/// Blocks in which a program failed are not collected, and hold data still.
#[test]
fn data_in_blocks_that_failed_are_written_anew() {
    let failures = [
        ("geometry.blocks_per_way", "64"),
        ("ftl.spare_blocks_per_way", "24"),
        ("errors.program_failures_per_billion", "500000"),
    ];
    for channels in [&[], SCHEDULED] {
        let (lost, counters) = after_minutes(&[channels, &failures, &[REFRESH, PATROL]]);
        assert!(counters.bad_blocks > 3 && counters.lost_writes == 0, "{counters:?}");
        assert_eq!(lost, 0, "{counters:?}");
    }
}

/// The log is not read before the power goes away: the patrol has it written anew.
#[test]
fn a_log_is_written_anew_before_it_fades() {
    // Half of that, for twice as long.
    let retention = (RETENTION.0, "50000000000");
    let log = [("geometry.blocks_per_way", "40"), ("recovery.log_entries", "8"), retention];
    for (patrol, is_kept) in [(PATROL, true), (("ftl.patrol_interval_us", "0"), false)] {
        let changes: &[_] = &[REFRESH, patrol];
        let (mut bench, pages) = full(&[&log, changes]);
        bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
        for tenth in 0..6_000 {
            bench.sleep(SECOND_PS / 10);
            let _ = bench.read(tenth % 100 * BLOCKS_A_PAGE, 1);
        }
        let board = board(&[&log, changes]);
        let mut bench = bench.cut_power((&board, PAYLOAD));
        bench.wait_until_ready();
        bench.start_once();
        let found =
            |page: &u64| bench.read(page * BLOCKS_A_PAGE, 4).is_ok_and(|at| at == stamps(*page));
        let kept = (0..pages).filter(found).count() as u64;
        assert_eq!(kept == pages, is_kept, "{kept} of {pages} pages are found, {patrol:?}");
    }
}

/// Nothing fades here, and nobody writes.
#[test]
fn the_patrol_has_the_log_written_anew_when_it_has_been_around() {
    let log = [("geometry.blocks_per_way", "40"), ("recovery.log_entries", "8")];
    for (patrol, renews) in [(PATROL, true), (("ftl.patrol_interval_us", "0"), false)] {
        let (mut bench, _) = full(&[&log, &[patrol]]);
        bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
        let before = bench.drive.firmware().log();
        for nth in 0..2_000 {
            bench.sleep(SECOND_PS / 1_000);
            let _ = bench.read(nth % 100 * BLOCKS_A_PAGE, 1);
        }
        let after = bench.drive.firmware().log();
        assert_eq!(after.journal_pages, before.journal_pages);
        let taken = after.snapshots - before.snapshots;
        // 160 superblocks at most, and 3 parts: once around is a snapshot of each.
        assert!(if renews { (12..=60).contains(&taken) } else { taken == 0 }, "{taken} snapshots");
    }
}
