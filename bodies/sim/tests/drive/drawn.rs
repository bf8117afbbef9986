//! Drives whose steady state was drawn: through NVMe, firmware and chips they hold what they should.

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;
use torture::bench::Bench;

const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };
const BLOCKS_A_PAGE: u64 = 4;
/// Every so many pages one is read.
const STEP: u64 = 997;
/// Pages that are overwritten: enough for each of 64 ways to collect some blocks of 32 pages that were drawn.
const OVERWRITTEN: u64 = 24_000;

/// A drive of 2^21 pages, the fewest of which a steady state is drawn.
fn board(name: &str, planes: &[(&str, &str)]) -> Board {
    let set = [
        ("geometry.channels", "8"),
        ("geometry.ways", "8"),
        ("geometry.blocks_per_way", "1104"),
        ("flash.pages_per_physical_block", "64"),
        ("ftl.spare_blocks_per_way", "16"),
    ];
    let set: Vec<_> = set.iter().chain(planes).map(|&(k, v)| (k.into(), v.into())).collect();
    Board::resolve(name, &set).expect("the board")
}

/// The nth page that is overwritten; another one each time.
fn overwritten(nth: u64, pages: u64) -> u64 {
    nth * 7919 % pages
}

fn version_of(page: u64, written: &[u64]) -> u32 {
    1 + u32::from(written.binary_search(&page).is_ok())
}

fn check(bench: &mut Bench, pages: u64, written: &[u64]) {
    for page in (0..pages).step_by(STEP as usize).chain(written.iter().copied().step_by(7)) {
        let (lba, version) = (page * BLOCKS_A_PAGE, version_of(page, written));
        let expected: Vec<Stamp> =
            (lba..lba + BLOCKS_A_PAGE).map(|lba| Stamp::new(lba, version)).collect();
        let found = bench.read(lba, BLOCKS_A_PAGE as usize).expect("readable");
        assert_eq!(found, expected, "page {page}");
    }
}

/// Draws a drive, reads it, overwrites some of it and reads it again; returns the pages that were overwritten.
fn wear(bench: &mut Bench, pages: u64) -> Vec<u64> {
    assert_eq!(bench.drive.precondition(Precondition::Steady(3)), 0, "drawn, not overwritten");
    bench.start_once();
    check(bench, pages, &[]);
    let before = bench.drive.firmware().translator().collected().blocks;
    for nth in 0..OVERWRITTEN {
        let lba = overwritten(nth, pages) * BLOCKS_A_PAGE;
        let stamps: [Stamp; 4] = std::array::from_fn(|i| Stamp::new(lba + i as u64, 2));
        bench.write(lba, &stamps);
    }
    bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
    let collected = bench.drive.firmware().translator().collected().blocks - before;
    assert!(collected > 64 * 4, "{collected} blocks that were drawn are collected");
    let mut written: Vec<u64> = (0..OVERWRITTEN).map(|nth| overwritten(nth, pages)).collect();
    written.sort_unstable();
    check(bench, pages, &written);
    written
}

#[test]
fn a_drawn_drive_holds_its_data_and_keeps_them_when_it_is_collected() {
    let joined = [
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("channel.merging", "planes"),
        ("flash.planes", "2"),
        ("ftl.streams", "apart"),
    ];
    for more in [&[][..], &joined] {
        let board = board("small", more);
        let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
        wear(&mut bench, u64::from(board.firmware.logical_pages));
    }
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn a_drawn_drive_with_a_log_finds_its_data_after_a_power_loss() {
        let board = board("cosmos-plus-log", &[]);
        let pages = u64::from(board.firmware.logical_pages);
        let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
        let written = wear(&mut bench, pages);
        let mut bench = bench.cut_power((&board, PAYLOAD));
        bench.wait_until_ready();
        bench.start_once();
        check(&mut bench, pages, &written);
    }
}
