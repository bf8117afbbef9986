//! Data whose bits go wrong by reads of their block, or by the time that they have been there.

use board::Board;
use firmware::ftl::precondition::Precondition;
use firmware::ftl::Counters;
use sim::{Payload, Polling, Stamp};
use torture::bench::Bench;

const BLOCKS_A_PAGE: u64 = 4;
const SECOND_PS: u64 = 1_000_000_000_000;

/// Channels that schedule, which tell of bits in another way.
const SCHEDULED: &[(&str, &str)] =
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];

/// A drive whose bits go wrong as `changes` say, before its start, and its pages.
fn idle(changes: &[&[(&str, &str)]]) -> (Bench, u64) {
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
    let board = Board::resolve("small", &values).expect("the board");
    let pages = u64::from(board.firmware.logical_pages);
    (Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip), pages)
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
    // 10^-1 an hour: 13 wrong bits of a chunk after 212 seconds.
    let retention: &[_] = &[("errors.retention_bits_per_terabit_per_hour", "100000000000")];
    let (mut bench, pages) = full(&[&[retention], changes].concat());
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
        let refresh = ("ftl.refresh_bits", "4");
        let (lost, _) = after_minutes(&[channels, &[refresh]]);
        assert!(lost > 100, "{lost} lost: what is not read is not seen to fade");
        let patrol = ("ftl.patrol_interval_us", "600");
        let (lost, counters) = after_minutes(&[channels, &[refresh, patrol]]);
        assert!(lost == 0, "{lost} lost, {counters:?}");
        assert!(counters.refreshes > 50 && counters.patrol_reads > 1_000, "{counters:?}");
    }
}

/// What a run finds on the chips has been there for a while, and what it writes is new.
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
