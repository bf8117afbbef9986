//! What finding the map costs after a power loss: pages read, and time until the drive is ready.

use board::Board;
use contract::Geometry;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;

use torture::bench::Bench;

const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };

/// What a recovery came to.
#[derive(Debug)]
struct Recovery {
    reads: u64,
    /// Most reads by hand.
    bound: u64,
    /// Parts of map and block table.
    parts: u64,
    ready_us: u64,
    /// Least and most time by hand, in microseconds.
    times_us: [u64; 2],
}

/// Fills a drive of Cosmos+'s parts, writes a little, flushes, and cuts the power.
fn recover(blocks_per_way: u32) -> Recovery {
    let overrides = [
        ("geometry.blocks_per_way".to_owned(), blocks_per_way.to_string()),
        ("ftl.spare_blocks_per_way".to_owned(), (blocks_per_way / 128).max(8).to_string()),
    ];
    let board = Board::resolve("cosmos-plus-log", &overrides).expect("the board");
    let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    let blocks = u64::from(board.firmware.logical_pages) * 4;
    let step = blocks / 500 / 4 * 4;
    for nth in 0..500 {
        let stamps: [Stamp; 4] = std::array::from_fn(|i| Stamp::new(nth * step + i as u64, 2));
        bench.write(nth * step, &stamps);
    }
    bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
    let mut bench = bench.cut_power((&board, PAYLOAD));
    let ready_us = bench.wait_until_ready() / 1_000_000;
    let reads = bench.drive.firmware().log().recovery_reads;
    bench.start_once();
    for nth in 0..500 {
        assert_eq!(bench.read(nth * step, 1).expect("readable"), [Stamp::new(nth * step, 2)]);
        let other = nth * step + 4;
        assert_eq!(bench.read(other, 1).expect("readable"), [Stamp::new(other, 1)]);
    }
    let g: Geometry = board.firmware.geometry;
    let log = board.firmware.recovery.expect("the board keeps a log");
    let dies = u64::from(g.dies());
    let entries = u64::from(g.page_bytes) - 32;
    let map = (u64::from(board.firmware.logical_pages) * 4).div_ceil(entries);
    let parts = map + (dies * u64::from(g.blocks_per_way) * 16).div_ceil(entries);
    // The log, its first pages once more, and two superblocks of every way.
    let block = u64::from(g.pages_per_block);
    let bound = dies * (u64::from(log.log_blocks_per_way) * (block + 1) + 2 * block);
    // On eight buses a page takes 88 us; a read without others takes its time, and less than 1 ms.
    let time = |reads: u64| reads.div_ceil(u64::from(g.channels)) * 88;
    Recovery { reads, bound, parts, ready_us, times_us: [time(reads), time(reads) * 2 + 10_000] }
}

fn check(recovery: &Recovery) {
    let Recovery { reads, bound, parts, ready_us, times_us: [least, most] } = *recovery;
    assert!((parts..=bound).contains(&reads), "{recovery:?}");
    assert!((least..=most).contains(&ready_us), "{recovery:?}");
}

#[test]
fn every_life_in_which_a_drive_was_written_has_an_epoch_of_its_own() {
    let small = [("geometry.blocks_per_way", "32"), ("ftl.spare_blocks_per_way", "2")];
    for capacitor in ["0", "300"] {
        let capacitor = ("power_loss.capacitor_millijoules", capacitor);
        let overrides: Vec<_> = small.iter().chain([&capacitor]).collect();
        let overrides: Vec<_> =
            overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let board = Board::resolve("cosmos-plus-log", &overrides).expect("the board");
        let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
        for life in 1..=4 {
            bench.wait_until_ready();
            assert_eq!(bench.drive.firmware().epoch(), life, "{capacitor:?}");
            bench.start_once();
            bench.write(0, &[0, 1, 2, 3].map(|lba| Stamp::new(lba, life)));
            bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
            bench = bench.cut_power((&board, PAYLOAD));
        }
    }
}

#[test]
fn recovery_reads_the_log_and_what_was_open() {
    let recovery = recover(128);
    println!("16 GiB: {recovery:?}");
    check(&recovery);
}

/// `make recovery-times`.
#[test]
#[ignore = "takes a gigabyte and a minute"]
fn recovery_of_a_tebibyte() {
    let recovery = recover(8192);
    println!("1 TiB: {recovery:?}");
    check(&recovery);
}

/// `make recovery-times`.
#[test]
#[ignore = "takes 14 gigabytes and some minutes"]
fn recovery_of_16_tebibytes() {
    let recovery = recover(131_072);
    println!("16 TiB: {recovery:?}");
    check(&recovery);
}
