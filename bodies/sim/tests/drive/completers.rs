//! Who posts a completion: the host interface where all is over once the data have moved, or else the firmware.

use board::Board;
use machine::{CommandTimes, Payload, Polling};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;

use torture::bench::Bench;

/// The first page of the drive.
const PAGE: BlockRange = BlockRange { start: 0, blocks: 4 };

/// The times of a command that a new drive gets as its first, and that succeeds.
fn times(overrides: &[(&str, &str)], command: IoCommand) -> CommandTimes {
    let overrides: Vec<_> =
        overrides.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    let entry = command.emit(bench.data(4));
    let done = bench.io(&[entry]);
    assert_eq!(done[0].1.status, Status::SUCCESS);
    *bench.drive.host().times.last().expect("it was posted")
}

#[test]
fn the_interface_completes_what_is_over_once_its_data_have_moved() {
    for (command, is_over) in [
        (IoCommand::Write(PAGE, UnitAccess::Normal), true),
        (IoCommand::Read(PAGE, UnitAccess::Normal), true),
        (IoCommand::Write(PAGE, UnitAccess::Forced), false),
        (IoCommand::Read(PAGE, UnitAccess::Forced), false),
        (IoCommand::Compare(PAGE, UnitAccess::Normal), false),
        (IoCommand::WriteZeroes(PAGE, UnitAccess::Normal), false),
        (IoCommand::Flush, false),
    ] {
        let [interface, firmware] =
            ["interface", "firmware"].map(|who| times(&[("host.completer", who)], command));
        let lengths = [&interface, &firmware].map(|times| times.posted_ps - times.fetched_ps);
        if is_over {
            // At least the instructions that completing is, at the processor's clock.
            assert!(lengths[0] + 200_000 < lengths[1], "{command:?}: {lengths:?}");
        } else {
            assert_eq!(interface.inside, firmware.inside, "{command:?}");
        }
        assert_eq!(interface.inside.total(), lengths[0], "{command:?}");
    }
}

#[test]
fn a_completion_takes_its_latency_whoever_posts_it() {
    for who in ["interface", "firmware"] {
        for command in [
            IoCommand::Write(PAGE, UnitAccess::Normal),
            IoCommand::Read(PAGE, UnitAccess::Normal),
            IoCommand::Flush,
        ] {
            let length = |latency| {
                let board = [("host.completer", who), ("host.completion_latency_us", latency)];
                let times = times(&board, command);
                times.posted_ps - times.fetched_ps
            };
            assert_eq!(length("12") - length("2"), 10_000_000, "{command:?} by the {who}");
        }
    }
}
