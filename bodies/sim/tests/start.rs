//! The 1 TiB drive starts at once and in little memory: what was never touched is implicit. One
//! test a process, so that the peak is this drive's.

use std::time::{Duration, Instant};

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling};
use torture::bench::Bench;

#[test]
fn the_largest_board_starts_within_a_second_and_200_mb() {
    let began = Instant::now();
    let board = Board::resolve("cosmos-plus", &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    let last = u64::from(board.firmware.logical_pages - 1) * 4;
    assert_eq!(bench.read(last, 1).expect("readable")[0].lba(), last);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux machine");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kib < 200_000, "{kib} KiB at the peak");
}
