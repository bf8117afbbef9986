//! Jobs that keep to latencies, to rates and to their share in a flow.

use super::{direction, job, Run};
use report::{Direction, JobResult, RunResult};

fn reads(job: &JobResult) -> u64 {
    direction(job, Direction::Read).ios
}

/// The requests of two readers of one flow, and the run.
fn two(first: &str, second: &str) -> (u64, u64, RunResult) {
    let global = "[global]\nrw=randread\nsize=4m\niodepth=4\nruntime=20ms\ntime_based\n";
    let text =
        format!("{global}[a]\n{}\n[b]\n{}\n", first.replace(' ', "\n"), second.replace(' ', "\n"));
    let result = Run::new().go(&text);
    (reads(&result.jobs[0]), reads(&result.jobs[1]), result)
}

#[test]
fn jobs_of_a_flow_share_by_weight() {
    let (a, b, _) = two("", "");
    assert!(a.abs_diff(b) * 20 < a, "without a flow both are alike: {a} {b}");
    for (weights, ratio) in [(("flow=3", "flow=1"), 3.0), (("flow=1", "flow=5"), 0.2)] {
        let (a, b, result) = two(weights.0, weights.1);
        let found = a as f64 / b as f64;
        assert!((found / ratio - 1.0).abs() < 0.05, "{weights:?}: {a} {b}");
        // The one that is held ends with its runtime all the same.
        assert!(result.jobs.iter().all(|job| job.end_ps < 21_000_000_000), "{weights:?}");
    }
    // Jobs of different flows have nothing to do with each other.
    let (a, b, _) = two("flow=3", "flow=1 flow_id=2");
    assert!(a.abs_diff(b) * 20 < a, "{a} {b}");
}

#[test]
fn a_job_of_a_flow_that_ends_leaves_the_others_to_themselves() {
    let text =
        "[global]\nrw=randread\nsize=4m\n[a]\nflow=1\nnumber_ios=20\n[b]\nflow=1\nnumber_ios=400\n";
    let result = Run::new().go(text);
    assert_eq!((reads(&result.jobs[0]), reads(&result.jobs[1])), (20, 400));
}

#[test]
fn a_job_that_is_ahead_sleeps_as_long_as_it_says() {
    // The lighter job is the one that is ahead; while it sleeps the other comes to its share and is held.
    let (heavy, light, _) = two("flow=3", "flow=1");
    let (held, asleep, _) = two("flow=3", "flow=1 flow_sleep=2000");
    assert!(held * 2 < heavy && asleep * 2 < light, "{held} of {heavy}, {asleep} of {light}");
    let found = held as f64 / asleep as f64;
    assert!((2.0..4.0).contains(&found), "{held} {asleep}");
}

#[test]
fn the_depth_is_found_at_which_latencies_keep_to_the_target() {
    let options = "rw=randread size=16m iodepth=64 time_based runtime=5s latency_window=20ms latency_percentile=95";
    let at = |depth: u32| {
        let fixed = format!("rw=randread size=16m number_ios=2000 iodepth={depth}");
        let result = Run::new().go(&job(&fixed));
        direction(&result.jobs[0], Direction::Read).clat.percentile_ns(95.0)
    };
    let target_us = at(8) / 1000;
    let result = Run::new().go(&job(&format!("{options} latency_target={target_us}")));
    let found = &result.jobs[0];
    let search = found.latency_search.expect("it searched");
    assert_eq!((search.target_ps, search.window_ps), (target_us * 1_000_000, 20_000_000_000));
    assert!((6..=10).contains(&search.depth), "{search:?}");
    // The last window alone is reported.
    assert!((20_000_000_000..22_000_000_000).contains(&found.runtime_ps), "{}", found.runtime_ps);
    let clat = &direction(found, Direction::Read).clat;
    assert!(clat.percentile_ns(95.0) <= target_us * 1000 * 101 / 100);
    // A target that all depths keep to leaves the job's own.
    let result = Run::new().go(&job(&format!("{options} latency_target=10s")));
    assert_eq!(result.jobs[0].latency_search.unwrap().depth, 64);
    // A job that goes on adjusting lasts its time.
    let on = format!("{options} latency_target={target_us} latency_run").replace("=5s", "=500ms");
    let result = Run::new().go(&job(&on));
    assert!(result.jobs[0].runtime_ps >= 500_000_000_000);
    assert!((4..=12).contains(&result.jobs[0].latency_search.unwrap().depth));
}

#[test]
fn a_target_below_every_latency_fails_at_a_hundred_percent_and_is_tried_on_below() {
    let options =
        "rw=randread size=4m iodepth=8 latency_target=1 latency_window=1ms number_ios=100";
    let result = Run::new().attempt(&job(options)).unwrap();
    let error = result.jobs[0].error.clone().expect("it fails");
    assert_eq!(error.number, 110);
    assert!(error.message.ends_with("exceeds latency_target of 1000 nsec"), "{}", error.message);
    let result = Run::new().go(&job(&format!("{options} latency_percentile=50")));
    assert_eq!(result.jobs[0].latency_search.unwrap().depth, 1);
    assert_eq!(reads(&result.jobs[0]), 100);
}

#[test]
fn a_job_below_its_least_rate_fails_and_others_go_on() {
    let text = "[global]\nrw=randread\nsize=4m\nruntime=4s\ntime_based\nrate_iops=20\n\
                [a]\nrate=0\n[b]\nthinktime=100ms\nrate_iops_min=15\n";
    let result = Run::new().attempt(text).unwrap();
    assert_eq!(result.jobs[0].error, None);
    let error = result.jobs[1].error.clone().expect("it fails");
    assert_eq!((error.number, error.message.as_str()), (5, "rate_iops_min=15 not met: 9 IOPS"));
    assert!(
        result.jobs[1].end_ps < 3_300_000_000_000 && result.jobs[0].end_ps >= 4_000_000_000_000
    );
}
