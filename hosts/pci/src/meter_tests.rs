use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use report::{Cause, Part, Split};

use super::*;

fn command(tag: u16, what: IoCommand) -> HostCommand {
    let data = DataPointer { prp1: 0, prp2: 0 };
    let entry = what.emit(Header { cid: tag, nsid: 1, data });
    HostCommand { tag: CommandTag(tag), queue: 1, entry: entry.0 }
}

fn range() -> BlockRange {
    BlockRange { start: 0, blocks: 2 }
}

#[test]
fn latency_runs_from_the_doorbell_that_submitted_to_the_posted_completion() {
    let mut meter = Meter::new(2, 8);
    let (a, b, c) = (CommandTag(0), CommandTag(1), CommandTag(2));
    meter.rung(1_000, (1, 2));
    meter.rung(5_000, (1, 3));
    meter.fetched(6_000, a, (1, 1));
    meter.fetched(7_000, b, (1, 2));
    meter.fetched(8_000, c, (1, 3));
    for tag in 0..3 {
        meter.taken(&command(tag, IoCommand::Read(range(), UnitAccess::Normal)));
    }
    let span = machine::TimeSpan { start: 0, end: 0 };
    for bytes in [4096, 4096] {
        let direction = contract::DmaDirection::ToHost;
        meter.moved(DmaTransfer { command: a, direction, bytes, span });
    }
    // What the drive knows of each: 2 ns of the firmware, 3 of flash, the rest of the link.
    for (tag, fetched_ps, at) in [(a, 6_000, 11_000), (b, 7_000, 21_000), (c, 8_000, 35_000)] {
        let mut inside = Split::default();
        inside.add(Part::Firmware, Cause::Processing, 2_000);
        inside.add(Part::Storage, Cause::Flash, 3_000);
        inside.add(Part::HostInterface, Cause::HostLink, at - fetched_ps - 5_000);
        let latencies_ps = [100, 100];
        meter.note_times(&CommandTimes { fetched_ps, posted_ps: at, inside, latencies_ps });
        meter.posted(at, tag);
    }
    meter.interrupted(Some(500));
    let Measured { job, totals, late, .. } = meter.measured(41_000);
    let read = job.active(Direction::Read).unwrap();
    assert_eq!((read.ios, read.bytes, read.runtime_ps), (3, 8192, 40_000));
    let moments = read.clat.moments_ps();
    assert_eq!((moments.min(), moments.max(), moments.sum()), (10_000, 30_000, 60_000));
    assert_eq!(totals.latency_ps, [60_000, 0, 0]);
    let host = read.parts[0].moments_ps();
    assert_eq!((host.min(), host.max()), (5_000, 25_000));
    let fetch = read.cause(Cause::Fetch);
    assert_eq!((fetch.moments_ps().min(), fetch.moments_ps().max()), (3_000, 6_000));
    assert_eq!((late.count(), job.workload.depth), (1, 3));
}

#[test]
fn what_is_no_io_is_not_told_and_flushes_stand_apart() {
    let mut meter = Meter::new(1, 4);
    meter.block_bytes = 512;
    meter.rung(0, (0, 1));
    meter.fetched(10, CommandTag(0), (0, 1));
    meter.posted(20, CommandTag(0));
    assert!(meter.measured(30).job.directions.iter().all(Option::is_none));
    meter.rung(100, (1, 2));
    meter.fetched(110, CommandTag(1), (1, 1));
    meter.taken(&command(1, IoCommand::Flush));
    meter.fetched(120, CommandTag(2), (1, 2));
    meter.taken(&command(2, IoCommand::WriteZeroes(range(), UnitAccess::Normal)));
    assert_eq!(meter.load().outstanding, 2);
    meter.posted(300, CommandTag(1));
    meter.posted(400, CommandTag(2));
    let Measured { job, totals, .. } = meter.measured(500);
    assert_eq!((job.sync.count(), totals.requests), (1, 2));
    assert_eq!(job.active(Direction::Trim).unwrap().bytes, 1024);
    assert_eq!(meter.load().outstanding, 0);
}

#[test]
fn a_doorbell_that_adds_nothing_does_not_shift_those_behind_it() {
    let mut meter = Meter::new(1, 4);
    meter.rung(100, (1, 1));
    meter.rung(200, (1, 1));
    meter.fetched(210, CommandTag(0), (1, 1));
    meter.rung(300, (1, 1));
    meter.rung(400, (1, 2));
    meter.fetched(410, CommandTag(1), (1, 2));
    for tag in [0, 1] {
        meter.taken(&command(tag, IoCommand::Flush));
        meter.posted(500, CommandTag(tag));
    }
    let moments = meter.measured(500).job.sync.moments_ps().clone();
    assert_eq!((moments.min(), moments.max()), (100, 400));
}
