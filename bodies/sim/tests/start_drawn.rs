//! The 1 TiB drive is drawn into its steady state in two seconds of a processor and in little memory. One test a process,
//! so that time and peak are this drive's.

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling};
use torture::bench::Bench;

/// Seconds that this thread was on a processor.
fn on_processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux machine");
    let ns: u64 = text.split(' ').next().expect("a time").parse().expect("a number");
    ns as f64 / 1e9
}

#[test]
fn the_largest_board_is_drawn_within_two_seconds_and_300_mb() {
    let began = on_processor();
    let board = Board::resolve("cosmos-plus", &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    assert_eq!(bench.drive.precondition(Precondition::Steady(1)), 0, "drawn, not overwritten");
    bench.start_once();
    let last = u64::from(board.firmware.logical_pages - 1) * 4;
    assert_eq!(bench.read(last, 1).expect("readable")[0].lba(), last);
    let took = on_processor() - began;
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux machine");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    println!("{took:.2} s of a processor, {kib} KiB at the peak");
    assert!(took < 2.0, "{took} s");
    assert!(kib < 300_000, "{kib} KiB at the peak");
}
