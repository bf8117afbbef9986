//! Options that steer a job by what the drive does, or that tell its directions together.

use fit::{parse, Going, Outcome, Verdict};

use crate::drive::{fitted, key, measured, How, Set, SEED};

/// A drive whose reads are faster than those of the base.
const TRUTH: Set<'static> = &[("flash.t_read_slc_us", "60")];
const READ: &[&str] = &["flash.t_read_slc_us=20..400"];

/// Asserts that the read time of [`TRUTH`] comes out of a report.
fn assert_found(report: &str) -> Outcome {
    let outcome = fitted(report, &How { wanted: READ, ..How::default() }).unwrap();
    let found = key(&outcome, TRUTH[0].0);
    assert!((found.values[0] / 60.0 - 1.0).abs() < 0.04, "{outcome}");
    assert!(matches!(found.verdict, Verdict::Determined { .. }), "{outcome}");
    outcome
}

/// On the base a search would end at another depth than on the drive.
#[test]
fn a_search_for_a_depth_stands_for_the_depth_that_it_found() {
    let job =
        "[s]\nrw=randread\nbs=4k\nsize=16m\nnorandommap\niodepth=64\ntime_based\nruntime=3s\n\
        latency_target=1ms\nlatency_window=100ms\nlatency_percentile=90\n";
    let report = measured(TRUTH, job, SEED);
    let depth = |report: &str| {
        let [job] = &parse("drive.json", report).unwrap()[..] else { panic!("one job") };
        let depths = job.options.iter().rev().find(|(key, _)| key == "iodepth");
        depths.unwrap().1.parse::<u32>().unwrap()
    };
    let on_drive = depth(&report);
    assert!((2..64).contains(&on_drive), "{on_drive}");
    assert_ne!(on_drive, depth(&measured(&[], job, SEED)));
    assert_found(&report);
}

/// The base is slower than what the job would keep to.
#[test]
fn rates_and_latencies_that_the_drive_kept_to_end_no_job_of_a_fit() {
    let job = "[one]\nrw=randread\nbs=4k\nsize=16m\nthinktime=100ms\nnumber_ios=35\n";
    let report = measured(TRUTH, job, SEED);
    let options = "\"rate_iops_min\": \"1000\", \"rate_cycle\": \"500\", \"max_latency\": \"90us\"";
    let strict =
        report.replace("\"rw\": \"randread\"", &format!("\"rw\": \"randread\", {options}"));
    assert_ne!(strict, report);
    assert_found(&strict);
}

/// Clones that wait for one another are slower than clones that do not.
#[test]
fn shares_of_a_flow_are_those_of_the_measured_job() {
    let job =
        "[f]\nrw=randread\nbs=4k\nsize=16m\nnumjobs=3\niodepth=4\nnumber_ios=200\nflow=2\nflow_sleep=3000\n";
    let report = measured(TRUTH, job, SEED);
    let free = measured(TRUTH, &job.replace("flow=2\nflow_sleep=3000\n", ""), SEED);
    let iops = |report: &str| parse("a.json", report).unwrap()[0].observed[0].unwrap().iops;
    assert!(iops(&report) < 0.8 * iops(&free), "{} {}", iops(&report), iops(&free));
    assert_found(&report);
}

#[test]
fn directions_that_are_told_together_are_one_figure() {
    let job = |told: &str| {
        let options = "rw=randrw\nrwmixread=80\nbs=4k\nsize=16m\nnumber_ios=1200";
        format!("[mix]\n{options}\nunified_rw_reporting={told}\n")
    };
    let ways = |told: &str| {
        let outcome = assert_found(&measured(TRUTH, &job(told), SEED));
        let mut ways: Vec<Going> = outcome.rows.iter().map(|row| row.going).collect();
        ways.dedup();
        ways
    };
    assert_eq!(ways("mixed"), [Going::Mixed]);
    assert_eq!(ways("both"), [Going::Read, Going::Write]);
}
