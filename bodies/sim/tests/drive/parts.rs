//! Drives whose channels move parts of pages.

use board::Board;
use machine::{Payload, Polling, Stamp};

use torture::bench::{Bench, DATA};

/// Seed of what stamps expand into.
const SEED: u64 = 7;

/// A read of a block of a page takes the bus for a quarter of the page's bytes, in real bytes too.
#[test]
fn a_read_of_a_block_takes_the_time_of_its_chunks() {
    // 200 MB/s: 16 chunks of 256 bytes with 20 of parity, and what the controller takes; or 64 chunks and
    // the whole spare area of 1,664 bytes.
    let part_us = 4416.0 / 200.0;
    let page_us = [(16_384.0 + 1664.0) / 200.0, (16_384.0 + 64.0 * 20.0 + 44.0) / 200.0];
    for (grain, payload) in [
        (0, Payload::Stamps { block_bytes: 4096 }),
        (1, Payload::Stamps { block_bytes: 4096 }),
        (1, Payload::Bytes { block_bytes: 4096, seed: SEED }),
    ] {
        let took = |unit: &str| {
            let scheduler = ["firmware", "controller"][grain];
            let set = [
                ("channel.read_unit_bytes", unit),
                ("channel.scheduler", scheduler),
                ("channel.execution", "out-of-order"),
                ("errors.raw_bits_per_terabit", "0"),
            ];
            let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
            let board = Board::resolve("small", &set).unwrap();
            let mut bench = Bench::new(&board, payload, Polling::Skip);
            bench.drive.precondition(firmware::ftl::precondition::Precondition::Sequential);
            bench.start_once();
            let before = bench.drive.usage().booked_buses_ps();
            let read = bench.read(5, 1).unwrap();
            let found = match payload {
                Payload::Stamps { .. } => Some(read[0]),
                Payload::Bytes { .. } => {
                    let bytes = &bench.drive.host_mut().memory.0[DATA as usize..][..4096];
                    Stamp::of_bytes(SEED, bytes)
                }
            };
            assert_eq!(found, Some(Stamp::new(5, 1)));
            let after = bench.drive.usage().booked_buses_ps();
            let busy: u64 = after.iter().zip(&before).map(|(after, before)| after - before).sum();
            busy as f64 / 1e6
        };
        let (part, page) = (took("4096"), took("0"));
        assert!(part > part_us, "{part} us, without commands {part_us}");
        let saved = page - part;
        let expected = page_us[grain] - part_us;
        assert!((saved - expected).abs() < 0.05, "grain {grain}: {saved} us, by hand {expected}");
    }
}
