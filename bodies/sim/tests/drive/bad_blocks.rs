//! Drives that look for the factory's marks when they start: what that costs, and what they know then.

use board::Board;
use firmware::ftl::blocks::Role;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;

use torture::bench::Bench;

const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };
const BLOCKS: u64 = 128;
const BAD: (&str, &str) = ("errors.factory_bad_blocks_per_million", "20000");
const SCAN: (&str, &str) = ("ftl.bad_blocks", "scan");
const BY_CHANNELS: (&str, &str) = ("channel.scheduler", "controller");
const OUT_OF_ORDER: (&str, &str) = ("channel.execution", "out-of-order");

fn board(name: &str, more: &[(&str, &str)]) -> Board {
    let blocks = BLOCKS.to_string();
    let sizes = [("geometry.blocks_per_way", &*blocks), ("ftl.spare_blocks_per_way", "16"), BAD];
    let all = sizes.iter().chain(more);
    let all: Vec<_> = all.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve(name, &all).expect("the board")
}

/// What each block of a drive is for.
fn roles(bench: &Bench, board: &Board) -> Vec<Role> {
    let g = board.firmware.geometry;
    let all = (0..g.dies()).flat_map(|die| (0..g.blocks_per_way).map(move |block| (die, block)));
    let blocks = bench.drive.firmware().translator().blocks();
    all.map(|(die, block)| blocks.role(die, block)).collect()
}

fn marks_read(bench: &Bench) -> u64 {
    bench.drive.firmware().counters().marks_read
}

fn spare_percent(bench: &Bench) -> u8 {
    bench.drive.firmware().translator().blocks().spare_percent()
}

/// Writes some blocks, and has them in flash.
fn write(bench: &mut Bench, lbas: impl Iterator<Item = u64>) {
    for lba in lbas {
        bench.write(lba * 4, &[0, 1, 2, 3].map(|nth| Stamp::new(lba * 4 + nth, 2)));
    }
    bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
}

fn check(bench: &mut Bench, lbas: impl Iterator<Item = u64>) {
    for lba in lbas {
        assert_eq!(bench.read(lba * 4, 1).expect("readable"), [Stamp::new(lba * 4, 2)], "{lba}");
    }
}

/// A new drive that scans is ready after the time that the reads take, and is the drive that has a table. A channel of Cosmos+
/// has 8 ways, and its bus is what they wait for: 88 us for a page, or less for a part.
#[test]
fn a_new_drive_reads_a_page_of_each_block() {
    let parts = [BY_CHANNELS, OUT_OF_ORDER, ("channel.read_unit_bytes", "2048")];
    for (name, more, least_us) in [
        ("cosmos-plus", &[][..], BLOCKS * 8 * 82),
        ("cosmos-plus", &[BY_CHANNELS, OUT_OF_ORDER], BLOCKS * 8 * 82),
        ("cosmos-plus", &parts, BLOCKS * 8 * 10),
        ("cosmos-plus-log", &[], BLOCKS * 8 * 82),
    ] {
        let with_table = Bench::new(&board(name, more), PAYLOAD, Polling::Skip);
        let board = board(name, &[&[SCAN], more].concat());
        let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
        let ready_us = bench.wait_until_ready() / 1_000_000;
        println!("{name} {more:?}: {} marks in {ready_us} us", marks_read(&bench));
        assert_eq!(marks_read(&bench), BLOCKS * u64::from(board.firmware.geometry.dies()));
        // Ways wait for each other at the ends, and a log is looked for.
        let most_us = least_us * 3 / 2 + 20_000;
        assert!((least_us..=most_us).contains(&ready_us), "{name} {more:?}: {ready_us} us");
        assert_eq!(roles(&bench, &board), roles(&with_table, &board), "{name} {more:?}");
        bench.start_once();
        write(&mut bench, 0..300);
        check(&mut bench, 0..300);
    }
}

/// The log tells what blocks are for: a later start looks no further than for the log. Where a capacitor needs an area,
/// for that too.
#[test]
fn a_drive_with_a_log_scans_once() {
    for capacitor in ["0", "300"] {
        let board =
            board("cosmos-plus-log", &[SCAN, ("power_loss.capacitor_millijoules", capacitor)]);
        let (g, recovery) = (board.firmware.geometry, board.firmware.recovery.expect("a log"));
        let save = board.firmware.reserve.map_or(0, |reserve| reserve.blocks_per_way);
        let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
        bench.start_once();
        write(&mut bench, 0..300);
        let known = roles(&bench, &board);
        for life in 1..=2 {
            bench = bench.cut_power((&board, PAYLOAD));
            bench.wait_until_ready();
            let least = u64::from(g.dies() * (recovery.log_blocks_per_way + save));
            let looked_at = marks_read(&bench);
            assert!((least..least * 3 / 2).contains(&looked_at), "{looked_at}, {least} or more");
            let bad = |role: &Role| matches!(role, Role::Bad | Role::Spare);
            let now = roles(&bench, &board);
            let same = known.iter().zip(&now).all(|(then, now)| bad(then) == bad(now));
            assert!(same && spare_percent(&bench) == 100, "{}", spare_percent(&bench));
            bench.start_once();
            check(&mut bench, 0..300);
            write(&mut bench, life * 1000..life * 1000 + 100);
        }
    }
}

/// Nothing in flash tells of the bad blocks before the first snapshots are there: the drive scans again.
#[test]
fn a_scan_that_is_cut_off_begins_anew() {
    let board = board("cosmos-plus-log", &[SCAN]);
    let all = BLOCKS * u64::from(board.firmware.geometry.dies());
    let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
    bench.enable();
    bench.drive.run_to(30_000_000_000, |_| false);
    assert!((1..all).contains(&marks_read(&bench)), "{} marks", marks_read(&bench));
    for _ in 0..2 {
        bench = bench.cut_power((&board, PAYLOAD));
        bench.wait_until_ready();
        assert_eq!(marks_read(&bench), all);
    }
    bench.start_once();
    write(&mut bench, 0..50);
    check(&mut bench, 0..50);
}

/// A drive without a log forgets its map with the power, and the marks with it.
#[test]
fn a_drive_without_a_log_scans_at_each_start() {
    let board = board("cosmos-plus", &[SCAN]);
    let all = BLOCKS * u64::from(board.firmware.geometry.dies());
    let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
    for _ in 0..2 {
        bench.wait_until_ready();
        assert_eq!(marks_read(&bench), all);
        bench = bench.cut_power((&board, PAYLOAD));
    }
}

/// A drive that was brought into a state has been in use, and has its table.
#[test]
fn a_preconditioned_drive_scans_nothing() {
    for name in ["cosmos-plus", "cosmos-plus-log"] {
        let with_table = board(name, &[]);
        let board = board(name, &[SCAN]);
        let [scans, table] = [&board, &with_table].map(|board| {
            let mut bench = Bench::new(board, PAYLOAD, Polling::Skip);
            bench.drive.precondition(Precondition::Steady(3));
            (bench.wait_until_ready(), marks_read(&bench), roles(&bench, board))
        });
        assert_eq!(scans, table, "{name}");
        assert_eq!(scans.1, 0, "{name}");
    }
}
