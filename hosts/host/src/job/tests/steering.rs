//! Latencies and rates to keep to, and shares in a flow: what is read, and what a job makes of it.

use super::walking::run;
use super::{resolve, spec};
use crate::job::{FlowShare, LatencyTarget, Least, OnceFound, Steering, Workload};

const MS: u64 = 1_000_000_000;

#[test]
fn options_are_read_with_their_units_and_defaults() {
    assert_eq!(spec("rw=read size=1m").steering, Steering::default());
    // As in fio, 0 is as good as nothing, and so is what stands beside it.
    let idle = "rw=read size=1m latency_target=0 latency_window=5 latency_percentile=9 flow=0 flow_id=3 rate_min=0";
    assert_eq!(spec(idle).steering, Steering::default());
    let found = spec("rw=rw size=1m rate_min=1k,2k rate_cycle=250").steering.least.unwrap();
    let Steering { target, flow, .. } = spec(
        "rw=read size=1m latency_target=500 latency_window=2s latency_percentile=99.9 latency_run flow=3 \
         flow_id=7 flow_sleep=10",
    )
    .steering;
    assert_eq!(found.cycle_ps, 250 * MS);
    assert_eq!((found.rate.read, found.rate.write), (Least::Bytes(1024), Least::Bytes(2048)));
    let expected = LatencyTarget {
        target_ps: MS / 2,
        window_ps: 2000 * MS,
        percentile: 99.9,
        found: OnceFound::GoOn,
    };
    assert_eq!(target, Some(expected));
    assert_eq!(flow, Some(FlowShare { id: 7, weight: 3, sleep_ps: MS / 100 }));
    let negative = spec("rw=read size=1m flow=-1").steering.flow;
    assert_eq!(negative, Some(FlowShare { id: 0, weight: u32::MAX, sleep_ps: 0 }));
    assert_eq!(spec("rw=read size=1m flow=-0").steering, Steering::default());
    let iops = spec("rw=read size=1m ratemin=0 rate_iops_min=,9").steering.least.unwrap();
    assert_eq!((iops.rate.read, iops.rate.write), (Least::Any, Least::Requests(9)));
    assert_eq!(iops.cycle_ps, 1000 * MS);
}

#[test]
fn values_that_fio_refuses_are_refused() {
    let rows = [
        (
            "rate=100k rate_min=200k",
            "rate_min: found \"200k\", expected at most the 102400 of rate",
        ),
        (
            "rate_iops=200 rate_iops_min=,1000",
            "rate_iops_min: found \",1000\", expected at most the 200 of rate_iops",
        ),
        (
            "rate_min=1k rate_iops_min=5",
            "rate_iops_min: found \"5\", expected rate_min or rate_iops_min, not both",
        ),
        ("flow=1001", "flow: found \"1001\", expected a whole number from -1000 to 1000"),
        ("flow=-1001", "flow: found \"-1001\", expected a whole number from -1000 to 1000"),
        ("flow=--1", "flow: found \"--1\", expected a whole number from -1000 to 1000"),
        (
            "latency_percentile=101",
            "latency_percentile: found \"101\", expected a number from 0 to 100",
        ),
        (
            "latency_percentile=nan",
            "latency_percentile: found \"nan\", expected a number from 0 to 100",
        ),
        (
            "unified_rw_reporting=3",
            "unified_rw_reporting: found \"3\", expected none, mixed, both, 0, 1 or 2",
        ),
    ];
    for (options, expected) in rows {
        let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
        let found = resolve(&text).unwrap_err();
        assert!(found.contains(expected), "{options}: {found}");
    }
    // A rate in bytes may stand beside a bound in requests.
    spec("rw=read size=1m rate_iops=100 rate_min=100k");
}

/// Ends with the message of the failure, and the time of the last request in seconds.
fn failure(options: &str) -> (Option<String>, f64) {
    let spec = spec(options);
    let mut workload = Workload::new(&spec, 1);
    let mut now = 0;
    loop {
        match workload.next(now) {
            crate::job::Next::Io(request) => {
                now += MS / 100;
                workload.completed(&request, now);
            }
            crate::job::Next::Wait { until_ps } => now = until_ps,
            crate::job::Next::Done => break,
            other => panic!("{options}: {other:?}"),
        }
    }
    (
        workload.failure().map(|error| format!("{} {}", error.number, error.message)),
        now as f64 / 1e12,
    )
}

/// fio 3.33 ends such jobs at the third second: after two, a cycle of one is looked at.
#[test]
fn a_job_below_its_least_rate_ends_a_cycle_after_two_seconds() {
    let slow = "rw=read size=64m thinktime=50ms";
    let (message, at_s) = failure(&format!("{slow} rate_iops_min=50"));
    assert_eq!(message.as_deref(), Some("5 rate_iops_min=50 not met: 19 IOPS"));
    assert!((3.0..3.2).contains(&at_s), "{at_s}");
    let (message, at_s) = failure(&format!("{slow} rate_min=100k rate_cycle=500"));
    assert_eq!(message.as_deref(), Some("5 rate_min=102400 not met: 81903 bytes a second"));
    assert!((2.5..2.7).contains(&at_s), "{at_s}");
    // Directions in which nothing goes are not looked at, nor is a job while it ramps up or is short.
    for fine in [
        "rate_iops_min=19",
        "rate_iops_min=,50",
        "rate_iops_min=50 number_ios=50",
        "rate_iops_min=50 ramp_time=9 runtime=1 time_based",
    ] {
        let limit = if fine.contains("=50 ") { "" } else { " number_ios=100" };
        assert_eq!(failure(&format!("{slow} {fine}{limit}")).0, None, "{fine}");
    }
}

#[test]
fn a_job_alone_in_a_flow_runs_as_without() {
    let plain = "rw=randrw size=1m iodepth=4 thinktime=30us thinktime_blocks=7";
    for flow in ["flow=1", "flow=-1", "flow=1000 flow_id=9 flow_sleep=500"] {
        assert_eq!(run(&spec(&format!("{plain} {flow}")), 1), run(&spec(plain), 1), "{flow}");
    }
}
