//! The drive over time, which every report has.

use super::*;
use report::{AmplificationByCause, BlockKind, Look, OverTime};

const WRITES: &str = "[job]\nrw=randrw\nbs=4k\niodepth=16\nsize=8m\nloops=6\nrandrepeat=0\n";

fn sum(over_time: &OverTime, counter: fn(&Look) -> u64) -> u64 {
    over_time.spans().map(|span| span.grown(counter)).sum()
}

/// Bytes programmed for each byte written, by cause, of all of a run.
fn by_cause(result: &RunResult) -> [f64; 6] {
    let mut sums = [0.0; AmplificationByCause::NAMES.len()];
    for span in result.over_time.spans() {
        let Some(by) = span.amplification(result.page_bytes) else { continue };
        let written = span.grown(|look| look.written_bytes) as f64;
        sums.iter_mut().zip(by.values()).for_each(|(sum, value)| *sum += value * written);
    }
    sums.map(|sum| sum / result.drive.host_bytes_written as f64)
}

#[test]
fn looks_add_up_to_the_report() {
    let result = Run::new().go(WRITES);
    let (over_time, drive) = (&result.over_time, &result.drive);
    let spans: Vec<_> = over_time.spans().collect();
    assert!((8..128).contains(&spans.len()) && drive.garbage_collections > 0, "{}", spans.len());
    assert_eq!(spans[0].from_ps(), 0);
    assert!(spans.windows(2).all(|pair| pair[0].to_ps() == pair[1].from_ps()));
    // The drive is looked at last in the turn in which the last job ends.
    let end_ps = spans.last().unwrap().to_ps() as f64;
    assert!((end_ps / (1e12 * result.speed.simulated_s) - 1.0).abs() < 0.01);
    assert_eq!(sum(over_time, |look| look.requests), result.speed.requests);
    assert_eq!(sum(over_time, |look| look.written_bytes), drive.host_bytes_written);
    assert_eq!(sum(over_time, |look| look.erases), drive.erases);
    assert_eq!(sum(over_time, |look| look.collections), drive.garbage_collections);
    assert_eq!(sum(over_time, |look| look.moves), drive.gc_pages_moved);
    let all: f64 = by_cause(&result).iter().sum();
    let told = drive.write_amplification().unwrap();
    // What is programmed in a step without writes belongs to no byte of it.
    assert!((all / told - 1.0).abs() < 5e-3, "{all} is not {told}");
    for span in spans {
        assert!(span.channels().chain(span.dies(1)).all(|share| (0.0..=1.0).contains(&share)));
        assert!(span.after.outstanding <= 16);
    }
}

#[test]
fn looks_are_bounded_however_long_and_however_slow_the_run() {
    for options in [
        "rw=randread bs=4k iodepth=32 size=16m time_based runtime=1",
        "rw=randread bs=4k size=64k thinktime=50ms",
    ] {
        let result = Run::new().go(&job(options));
        let spans = result.over_time.spans().count();
        assert!((4..128).contains(&spans), "{options}: {spans}");
    }
}

#[test]
fn what_is_moved_for_wear_and_refresh_is_told_from_collection() {
    let level = [("ftl.wear_levelling", "static"), ("ftl.wear_spread", "2")];
    let weak = [("errors.raw_bits_per_terabit", "900000000"), ("ftl.refresh_bits", "10")];
    let steady = Run { precondition: Preconditioning::Random, ..Run::new() };
    let writes = "rw=randwrite bs=16k iodepth=8 size=4m io_size=96m randrepeat=0";
    let plain = by_cause(&steady.clone().go(&job(writes)));
    assert!(plain[2] > 0.0 && plain[4] == 0.0 && plain[5] == 0.0, "{plain:?}");
    let levelled = steady.clone().with(&level).go(&job(writes));
    let by = by_cause(&levelled);
    assert!(by[4] > 0.0 && sum(&levelled.over_time, |look| look.wear_levellings) > 0, "{by:?}");
    let mixed = "rw=randrw bs=16k iodepth=8 size=16m io_size=64m randrepeat=0";
    let refreshed = steady.with(&weak).go(&job(mixed));
    assert_eq!(sum(&refreshed.over_time, |look| look.refreshes), refreshed.drive.refreshes);
    let by = by_cause(&refreshed);
    assert!(refreshed.drive.refreshes > 0 && by[5] > 0.0, "{by:?}");
}

#[test]
fn blocks_queues_and_waits_for_entries_are_told() {
    let options =
        "rw=randrw bs=4k iodepth=16 numjobs=3 size=8m loops=2 randrepeat=0 group_reporting";
    let result = Run::new().go(&job(options));
    let board = Board::resolve("small", &[]).unwrap();
    let geometry = board.firmware.geometry;
    let blocks = result.blocks.as_ref().unwrap();
    let all = u64::from(geometry.dies() * geometry.blocks_per_way);
    assert_eq!(blocks.kinds.iter().sum::<u64>(), all);
    assert!(blocks.kinds[BlockKind::Closed as usize] > 0);
    let requests = |latencies: &[Option<Box<report::Latency>>; 3]| -> u64 {
        latencies.iter().flatten().map(|latency| latency.count()).sum()
    };
    assert_eq!(result.jobs.len(), 1, "jobs are reported together, and queues are not");
    assert!(result.queues.len() > 1);
    let all: u64 = result.queues.iter().map(|queue| requests(&queue.latencies)).sum();
    assert_eq!(all, result.speed.requests);
    let split = &result.jobs[0].directions[Direction::Write as usize].as_ref().unwrap().split;
    let waited = result.drive.entry_waits;
    assert!(split.by_cause()[Cause::Entry as usize] > 0 && !waited.is_nothing(), "{waited:?}");
    assert!(waited.flash_ps > 0, "{waited:?}");
    let channels = &result.drive.channels;
    assert_eq!(channels.len(), geometry.channels as usize);
    for channel in channels {
        let [_, served_ns] = channel.mean_ns().expect("operations");
        // No page is read or programmed faster than it crosses the bus, and none of these takes a tenth of a second.
        assert!((10e3..100e6).contains(&served_ns), "{channel:?}");
        assert!(channel.operations <= channel.pages_read + channel.pages_programmed, "{channel:?}");
        let counted: u64 = channel.latencies.counted().map(|(_, count)| u64::from(count)).sum();
        assert_eq!(counted, channel.operations, "each has a latency");
        let longest_ns = channel.latencies.percentile_ps(100.0).unwrap() as f64 / 1e3;
        assert!(
            (channel.mean_ns().unwrap().iter().sum()..100e6).contains(&longest_ns),
            "{channel:?}"
        );
    }
    let none = Run { precondition: Preconditioning::None, ..Run::new() };
    let read = none.go("[job]\nrw=randread\nbs=4k\nsize=64k\n");
    assert!(read.drive.entry_waits.is_nothing() && read.queues.is_empty());
}
