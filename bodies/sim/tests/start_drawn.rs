//! The 1 TiB drive is drawn into its steady state in little memory. One test a process, so that the peak is this drive's. What it
//! costs is counted in instructions, as case `start-steady` of tests/bench: the same work took 1.1 to 2.2 s of one processor.

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling};
use torture::bench::Bench;

#[test]
fn the_largest_board_is_drawn_within_100_mb() {
    let board = Board::resolve("cosmos-plus", &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    assert_eq!(bench.drive.precondition(Precondition::Steady(1)), 0, "drawn, not overwritten");
    bench.start_once();
    let last = u64::from(board.firmware.logical_pages - 1) * 4;
    assert_eq!(bench.read(last, 1).expect("readable")[0].lba(), last);
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux machine");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    println!("{kib} KiB at the peak");
    assert!(kib < 100_000, "{kib} KiB at the peak");
}
