//! The operation monitor beside a run.

use machine::Polling;
use monitor::{Interval, Period, Sampler};
use report::RunResult;

use crate::{printed, Run};

const WRITES: &str = "[job]\nrw=randrw\nbs=4k\niodepth=16\nsize=8m\nloops=3\n";
const PAUSES: &str = "[job]\nrw=randread\nbs=4k\nsize=256k\nthinktime=3ms\n";

/// The run with the monitor on, and what it saw.
fn monitored(run: &Run, text: &str, period_us: u64) -> (RunResult, Vec<Interval>) {
    let period = Period::from_ps(period_us * 1_000_000).unwrap();
    let mut sampler = Sampler::new(Box::new(std::io::sink()), period);
    let result = run.go_with(text, Some(&mut sampler));
    assert!(!result.monitored.is_empty());
    (result, sampler.finish().unwrap().into_intervals())
}

#[test]
fn the_monitor_changes_nothing() {
    for polling in [Polling::Skip, Polling::Exact] {
        for job in [WRITES, PAUSES] {
            let run = Run { polling, ..Run::new() };
            let plain = printed(run.go(job));
            for period_us in [10, 333, 1_000_000] {
                let (mut result, _) = monitored(&run, job, period_us);
                result.monitored.clear();
                assert_eq!(printed(result), plain, "{polling:?}, every {period_us} us, {job}");
            }
        }
    }
}

#[test]
fn intervals_add_up_to_the_report() {
    let (result, intervals) = monitored(&Run::new(), WRITES, 1000);
    let sum = |value: fn(&Interval) -> u64| intervals.iter().map(value).sum::<u64>();
    let drive = &result.drive;
    assert!(intervals.len() > 10 && drive.garbage_collections > 0, "the run is long enough");
    assert_eq!(sum(|i| i.counts.read.bytes), drive.host_bytes_read);
    assert_eq!(sum(|i| i.counts.write.bytes), drive.host_bytes_written);
    assert_eq!(sum(|i| i.counts.requests), result.speed.requests);
    assert_eq!(sum(|i| i.counts.flash.erases), drive.erases);
    assert_eq!(sum(|i| i.counts.flash.collections), drive.garbage_collections);
    assert_eq!(sum(|i| i.counts.flash.moves), drive.gc_pages_moved);
    let programmed = sum(|i| i.counts.flash.programs + i.counts.flash.moves);
    assert_eq!(programmed, drive.pages_programmed);
    assert_eq!(sum(|i| i.counts.buffer.hits), drive.buffer_hits);
    assert_eq!(sum(|i| i.counts.interrupts), drive.interrupts);
    for (nth, module) in drive.modules.iter().enumerate() {
        let time_ps: u64 = intervals.iter().map(|i| i.counts.modules_ps[nth]).sum();
        assert_eq!(time_ps, module.time_ps, "{}", module.name);
    }
    let clat = |nth: usize| {
        let moments = result.jobs[0].directions[nth].as_ref().unwrap().clat.moments_ps();
        moments.mean() * moments.count() as f64
    };
    let reads = sum(|i| i.counts.read.latency_ps) as f64;
    assert!((reads / clat(0) - 1.0).abs() < 1e-6, "{reads} and {}", clat(0));
}

#[test]
fn every_interval_is_seen_within_a_turn_and_no_part_is_busier_than_always() {
    for job in [WRITES, PAUSES] {
        let (_, intervals) = monitored(&Run::new(), job, 1000);
        assert!(intervals.windows(2).all(|pair| pair[0].to_ps == pair[1].from_ps));
        for interval in &intervals {
            let Interval { from_ps, to_ps, seen_ps, span_ps, counts } = interval;
            assert_eq!(from_ps % 1_000_000_000, 0);
            assert!(seen_ps - to_ps < 100_000_000, "a turn takes less than 100 us");
            assert_eq!(counts.modules_ps.iter().sum::<u64>() + counts.idle_ps, *span_ps);
            for moved in [counts.read, counts.write, counts.trim] {
                assert_eq!(moved.causes_ps.iter().sum::<u64>(), moved.latency_ps);
                let parts = moved.host_interface_ps + moved.firmware_ps + moved.storage_ps;
                assert_eq!(parts, moved.latency_ps);
            }
            for channel in &counts.channels {
                assert!(channel.busy_ps <= *span_ps, "{channel:?} in {span_ps}");
                assert!(channel.ways_busy_ps.iter().all(|busy| busy <= span_ps), "{channel:?}");
            }
        }
    }
}
