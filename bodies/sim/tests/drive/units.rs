//! Drives whose pages have several mapping units.

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::IoCommand;

use torture::bench::Bench;

const STAMPS: Payload = Payload::Stamps { block_bytes: 4096 };
const BYTES: Payload = Payload::Bytes { block_bytes: 4096, seed: 7 };

fn board(more: &[(&str, &str)]) -> Board {
    let units = [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "36")];
    let all = units.iter().chain(more).map(|&(key, value)| (key.to_owned(), value.to_owned()));
    Board::resolve("small", &all.collect::<Vec<_>>()).expect("the board")
}

fn flush(bench: &mut Bench) {
    let header = Header { cid: 0, nsid: 1, ..Header::default() };
    bench.io(&[IoCommand::Flush.emit(header)]);
}

fn programs(bench: &Bench) -> u64 {
    bench.drive.firmware().counters().programs
}

/// What the host writes under a payload: stamps, or in their place the first bytes that they expand into.
fn is_there(bench: &mut Bench, lba: u64, version: u32) -> bool {
    bench.read(lba, 1).expect("readable") == [Stamp::new(lba, version)]
}

/// Blocks far from each other, in no order.
const SCATTERED: [u64; 9] = [700, 13, 402, 55, 300, 7, 1000, 99, 258];

#[test]
fn small_writes_share_pages() {
    let log = [("geometry.blocks_per_way", "48"), ("recovery.log_entries", "6")];
    let controller = [("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];
    for set in [&[][..], &log, &controller, &[("channel.read_unit_bytes", "4096")]] {
        let board = board(set);
        let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
        bench.start_once();
        for (nth, lba) in SCATTERED.into_iter().enumerate() {
            bench.write(lba, &[Stamp::new(lba, nth as u32 + 1)]);
        }
        flush(&mut bench);
        // Two pages of four, and one of one.
        assert_eq!(programs(&bench), 3, "{set:?}");
        // A page of the host's is a page.
        let whole: Vec<Stamp> = (40..44).map(|lba| Stamp::new(lba, 9)).collect();
        bench.write(40, &whole);
        flush(&mut bench);
        assert_eq!(programs(&bench), 4, "{set:?}");
        for lba in 2000..2300 {
            bench.read(lba, 1).expect("readable");
        }
        let reads = bench.drive.firmware().counters().reads;
        for (nth, lba) in SCATTERED.into_iter().enumerate() {
            assert!(is_there(&mut bench, lba, nth as u32 + 1), "{set:?}: {lba}");
        }
        assert_eq!(bench.drive.firmware().counters().reads - reads, 9, "each by itself");
        assert_eq!(bench.read(40, 4).expect("readable"), whole, "{set:?}");
        assert_eq!(bench.drive.firmware().counters().reads - reads, 10, "a page at once");
    }
}

/// With write-through a command is over when flash has its data: what it writes goes to pages together.
#[test]
fn what_a_command_wants_in_flash_at_once_goes_there_together() {
    let board = board(&[("ftl.cache", "write-through")]);
    let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
    bench.start_once();
    for (lba, blocks, pages) in [(8, 4, 1), (33, 1, 1), (66, 5, 2), (100, 8, 2)] {
        let before = programs(&bench);
        let data: Vec<Stamp> = (lba..lba + blocks).map(|lba| Stamp::new(lba, 1)).collect();
        bench.write(lba, &data);
        assert_eq!(programs(&bench) - before, pages, "{blocks} blocks from {lba} on");
    }
}

/// Pages of scattered units, and those that were not filled, are found again after a power loss.
#[test]
fn scattered_units_are_found_again_after_a_power_loss() {
    let log = [("geometry.blocks_per_way", "48"), ("recovery.log_entries", "6")];
    let board = board(&log);
    let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    for version in 2..40 {
        for lba in SCATTERED {
            bench.write(lba, &[Stamp::new(lba, version)]);
        }
        flush(&mut bench);
    }
    let mut bench = bench.cut_power((&board, STAMPS));
    bench.wait_until_ready();
    bench.start_once();
    for lba in SCATTERED {
        assert!(is_there(&mut bench, lba, 39), "{lba}");
        assert!(is_there(&mut bench, lba + 1, 1), "beside {lba}");
    }
}

/// The steady state has pages of units from anywhere, which hold what they should in either payload.
#[test]
fn a_drive_in_its_steady_state_holds_its_data() {
    for payload in [STAMPS, BYTES] {
        let board = board(&[("errors.raw_bits_per_terabit", "0")]);
        let mut bench = Bench::new(&board, payload, Polling::Skip);
        assert!(bench.drive.precondition(Precondition::Steady(3)) > 0);
        bench.start_once();
        let blocks = u64::from(board.firmware.logical_pages) * 4;
        for lba in (0..blocks).step_by(37) {
            let found = bench.read(lba, 1).expect("readable");
            if payload == STAMPS {
                assert_eq!(found, [Stamp::new(lba, 1)]);
            } else {
                let mut bytes = [0; 4096];
                Stamp::new(lba, 1).fill(7, &mut bytes);
                let head = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                assert_eq!(found[0].to_bits(), head, "{lba}");
            }
        }
    }
}

/// A read of a unit takes the bus for its chunks, where the channels move parts: 16 chunks of 256 bytes with 20 of
/// parity at 200 MB/s.
#[test]
fn a_read_of_a_unit_moves_its_chunks() {
    let board = board(&[
        ("channel.read_unit_bytes", "4096"),
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("errors.raw_bits_per_terabit", "0"),
    ]);
    let mut bench = Bench::new(&board, STAMPS, Polling::Skip);
    bench.start_once();
    for lba in [9, 170, 33, 98] {
        bench.write(lba, &[Stamp::new(lba, 1)]);
    }
    flush(&mut bench);
    for lba in 2000..2300 {
        bench.read(lba, 1).expect("readable");
    }
    let before = bench.drive.usage().booked_buses_ps();
    assert!(is_there(&mut bench, 33, 1));
    let after = bench.drive.usage().booked_buses_ps();
    let busy: u64 = after.iter().zip(&before).map(|(after, before)| after - before).sum();
    let least = 4416.0 / 200.0;
    let found = busy as f64 / 1e6;
    assert!((least..least + 10.0).contains(&found), "{found} us of at least {least}");
}
