//! Skipping idle polls changes nothing, to the picosecond.

use crate::plain::Bench;
use board::Board;
use contract::Module;
use sim::{Payload, Polling, Stamp, Usage};

/// A load with idle stretches, DMA, flash, collection and flushes; returns what a user could see.
fn load(polling: Polling) -> (Vec<u64>, Usage, firmware::ftl::Counters) {
    let board = Board::resolve("small", &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, polling);
    bench.start_once();
    let blocks = u64::from(board.firmware.logical_pages) * 4;
    let mut times = Vec::new();
    for nth in 0..1_500u64 {
        let lba = nth * 7919 * 4 % (blocks / 8);
        let stamps: Vec<Stamp> = (lba..lba + 1 + nth % 9).map(|l| Stamp::new(l, 1)).collect();
        bench.write(lba, &stamps);
        times.push(bench.drive.now());
        bench.read(lba / 2, 1 + nth as usize % 5).expect("readable");
        times.push(bench.drive.now());
    }
    (times, bench.drive.usage(), bench.drive.firmware().counters())
}

#[test]
fn skipping_is_exact() {
    let (skipped, exact) = (load(Polling::Skip), load(Polling::Exact));
    let differs = skipped.0.iter().zip(&exact.0).position(|(a, b)| a != b);
    assert_eq!(differs, None, "first completion whose time differs");
    for (module, (a, b)) in
        Module::ALL.iter().zip(skipped.1.module_ps.iter().zip(exact.1.module_ps))
    {
        assert_eq!(*a, b, "time of the {}", module.name());
    }
    assert_eq!(skipped.1, exact.1);
    assert_eq!(skipped.2, exact.2);
    assert!(skipped.1.idle_ps > skipped.1.now_ps / 2, "there were idle polls to skip");
}
