//! Drives whose R/B# pins lead nowhere: a way is asked for its status.

use board::Board;
use machine::{Payload, Polling, Stamp};
use torture::bench::Bench;

const BY_CHANNELS: [(&str, &str); 2] =
    [("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];
/// tR, and the time of a status where the firmware schedules, both in microseconds.
const READ_US: f64 = 50.0;
const STATUS_US: f64 = 1.0;
/// 50 ms, in picoseconds.
const SETTLED: u64 = 50_000_000_000;

/// What a read of a page that is in no buffer takes, in microseconds, if ways are asked after so many of them.
fn read(poll_us: &str, more: &[(&str, &str)]) -> f64 {
    let chip = [
        ("flash.t_read_slc_us", "50"),
        ("flash.read_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
        ("channel.status_poll_us", poll_us),
    ];
    let set = chip.iter().chain(more).map(|(key, value)| (key.to_string(), value.to_string()));
    let board = Board::resolve("small", &set.collect::<Vec<_>>()).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Exact);
    bench.start_once();
    // More than the buffer holds, so that what was written first is in flash alone.
    let blocks = u64::from(board.firmware.buffer_entries) * 4 + 64;
    for lba in (0..blocks).step_by(4) {
        bench.write(lba, &(lba..lba + 4).map(|lba| Stamp::new(lba, 1)).collect::<Vec<_>>());
    }
    // What is programmed ahead is over, so that the chip is idle.
    bench.sleep(SETTLED);
    let since = bench.drive.now();
    bench.read(0, 1).expect("readable");
    (bench.drive.now() - since) as f64 / 1e6
}

#[test]
fn a_read_is_seen_at_the_status_behind_its_end_where_the_firmware_schedules() {
    let by_pin = read("0", &[]);
    for poll in ["4", "7", "11.5", "23", "39", "70"] {
        let turn = poll.parse::<f64>().expect("a number") + STATUS_US;
        let late = (READ_US / turn).ceil() * turn - READ_US;
        let found = read(poll, &[]) - by_pin;
        // The main loop sees it at its next look.
        assert!((found - late).abs() < 3.0, "{poll} us: {found} us, and not {late}, later");
    }
}

#[test]
fn a_read_is_seen_later_by_a_turn_of_statuses_at_most_where_channels_schedule() {
    let by_pin = read("0", &BY_CHANNELS);
    let mut latest: f64 = 0.0;
    for poll in ["1", "3.3", "8", "19", "30"] {
        let found = read(poll, &BY_CHANNELS) - by_pin;
        let most = poll.parse::<f64>().expect("a number") + 2.0 * STATUS_US;
        assert!(found > -2.0 && found < most + 2.0, "{poll} us: {found} us later");
        latest = latest.max(found);
    }
    // 30 us twice, where 50 were needed.
    assert!(latest > 8.0, "{latest} us");
}
