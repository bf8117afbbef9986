//! What the firmware does with the power gone: it forgets its map, and works.

use board::Board;
use machine::{Payload, Polling, Stamp};
use tiny_firmware::TinyFirmware;
use torture::bench::Bench;

#[test]
fn after_a_power_cut_the_drive_is_empty_and_works() {
    let board = Board::resolve("small", &[]).unwrap();
    let payload = Payload::Stamps { block_bytes: 4096 };
    let mut bench: Bench<TinyFirmware> = Bench::running(&board, payload, Polling::Skip);
    bench.start_once();
    let stamps = |version| (0..64).map(|lba| Stamp::new(lba, version)).collect::<Vec<_>>();
    bench.write(0, &stamps(1));
    let mut bench = bench.cut_power((&board, payload));
    bench.start_once();
    assert!(bench.read(0, 64).expect("readable").iter().all(|stamp| stamp.is_zero()));
    bench.write(0, &stamps(2));
    assert_eq!(bench.read(0, 64).expect("readable"), stamps(2));
}
