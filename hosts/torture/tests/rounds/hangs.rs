//! Chips that hang while a drive with a capacitor saves its buffer: one of them takes nothing with it.

use board::Board;
use firmware::planted::{plant, Bug};
use machine::{Payload, Polling, Stamp};
use torture::bench::Bench;

use crate::boards::Overrides;
use crate::power::with_log;

const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };
const TIMEOUT: (&str, &str) = ("channel.busy_timeout_us", "100000");
const CONTROLLER: (&str, &str) = ("channel.scheduler", "controller");
const SPARES: (&str, &str) = ("ftl.spare_blocks_per_way", "8");
/// Pages of four mapping units.
const QUARTERS: [(&str, &str); 2] =
    [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "52")];
const CAPACITOR: &str = "power_loss.capacitor_millijoules";
/// Pages that are written at once: some are being programmed when the power goes away, and more wait.
const PAGES: u64 = 12;

/// Who schedules, and what else a chip that hangs keeps waiting.
const BOARDS: [Overrides; 6] = [
    &[],
    &QUARTERS,
    &[QUARTERS[0], QUARTERS[1], CONTROLLER, ("channel.execution", "out-of-order")],
    &[CONTROLLER, ("channel.execution", "out-of-order")],
    &[CONTROLLER, ("channel.execution", "in-order")],
    &[CONTROLLER, ("channel.execution", "sequential")],
];

/// The board with the smallest capacitor that it can have.
fn board(overrides: Overrides) -> Board {
    let resolve = |millijoules: u32| {
        let amount = millijoules.to_string();
        let mut values = with_log(&[TIMEOUT, SPARES, ("ftl.background_flush_percent", "50")]);
        values.extend(overrides);
        values.push((CAPACITOR, &amount));
        let values: Vec<_> = values.iter().map(|&(k, v)| (k.into(), v.into())).collect();
        Board::resolve("small", &values)
    };
    (1..400).find_map(|millijoules| resolve(millijoules).ok()).expect("a capacitor is enough")
}

/// When a chip begins to hang.
#[derive(Clone, Copy, Debug)]
enum From {
    /// While the host writes: it has something when the power goes away.
    Before,
    /// With what it is given when the power has gone away.
    Then,
}

fn stamps(page: u64, version: u32) -> Vec<Stamp> {
    (page * 4..page * 4 + 4).map(|lba| Stamp::new(lba, version)).collect()
}

/// Blocks that do not read as they were said to be written, of some power losses.
fn lost(board: &Board) -> u32 {
    let dies = board.firmware.geometry.dies();
    let mut lost = 0;
    for (nth, from) in (0..9).flat_map(|nth| [(nth, From::Before), (nth, From::Then)]) {
        for die in 0..dies {
            let mut bench = Bench::new(board, PAYLOAD, Polling::Skip);
            bench.start_once();
            let now = 2 + nth as u32;
            for page in 0..PAGES {
                bench.write(page * 4, &stamps(page, now - 1));
            }
            if let From::Before = from {
                bench.drive.hang_chip(die);
            }
            // The last one is written in part of the rounds only.
            for page in 0..PAGES - nth % 3 {
                bench.write(page * 4, &stamps(page, now));
            }
            let due = bench.drive.now() + nth * 70_000_000;
            bench.drive.run_to(due, |_| false);
            if let From::Then = from {
                bench.drive.hang_chip(die);
            }
            let mut bench = bench.cut_power((board, PAYLOAD));
            bench.start_once();
            for page in 0..PAGES {
                let version = if page < PAGES - nth % 3 { now } else { now - 1 };
                let found = bench.read(page * 4, 4);
                lost += u32::from(found != Ok(stamps(page, version)));
            }
        }
    }
    lost
}

#[test]
fn a_chip_that_hangs_takes_nothing_with_it() {
    for overrides in BOARDS {
        let board = board(overrides);
        assert_eq!(lost(&board), 0, "{overrides:?}");
        plant(Some(Bug::HungPageNotSaved));
        let found = lost(&board);
        plant(None);
        println!("{overrides:?}: {found} pages lost with the bug");
        assert!(found > 0, "{overrides:?}: {:?} is not found", Bug::HungPageNotSaved);
    }
}

/// There has to be another way to save to.
#[test]
fn a_drive_that_a_chip_can_hold_up_as_a_whole_is_refused() {
    let one_channel: Overrides =
        &[("geometry.channels", "1"), CONTROLLER, ("channel.execution", "sequential"), TIMEOUT];
    let resolve = |overrides: &[(&str, &str)]| {
        let mut values = with_log(&[(CAPACITOR, "400")]);
        values.extend(overrides);
        let values: Vec<_> = values.iter().map(|&(k, v)| (k.into(), v.into())).collect();
        Board::resolve("small", &values).map_err(|error| error.to_string())
    };
    let refused = resolve(one_channel).expect_err("one chip holds up all ways");
    assert!(refused.contains(CAPACITOR) && refused.contains("hangs"), "{refused}");
    assert!(resolve(&one_channel[..3]).is_ok(), "chips that do not hang");
}
