//! Runs that end when enough is known.

use report::{Precision, RunResult};
use runs::confidence::Asked;

use super::{job, Run};

/// Reads at random that would go on for long.
const READS: &str = "rw=randread bs=4k iodepth=8 size=4m time_based runtime=1000";

fn until(asked: &str) -> Run {
    let asked: Asked = asked.parse().unwrap();
    Run { until: Some(asked), ..Run::new() }
}

fn figure<'a>(stage: &'a Precision, name: &str) -> &'a report::PreciseFigure {
    stage.figures.iter().find(|figure| figure.figure == name).expect(name)
}

/// What is left of a result but for how well it is known.
fn rest(result: &RunResult) -> String {
    let mut result = RunResult { precision: Vec::new(), ..result.clone() };
    (result.speed.wall_s, result.speed.cpu_s) = (0.0, 0.0);
    let mut text = Vec::new();
    report::write_json(&result, report::JsonForm::Plain, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_run_ends_once_its_figures_are_known() {
    let result = until("converged:error=2%").go(&job(READS));
    let [stage] = &result.precision[..] else { panic!("{:?}", result.precision) };
    assert!(stage.converged && result.speed.simulated_s < 100.0, "{stage:?}");
    let names: Vec<_> = stage.figures.iter().map(|figure| &*figure.figure).collect();
    assert_eq!(names, ["mean", "p99"], "nothing was written");
    for figure in &stage.figures {
        assert_eq!((figure.direction.as_deref(), figure.is_good), (Some("read"), Some(true)));
        assert!(figure.half_width.unwrap() <= 0.02 * figure.value, "{figure:?}");
    }
    // The report tells all of the run, its warm-up too, and in coarser bins.
    let clat = &super::direction(&result.jobs[0], report::Direction::Read).clat;
    assert!((figure(stage, "mean").value / clat.mean_ns() - 1.0).abs() < 0.02);
    assert!((figure(stage, "p99").value / clat.percentile_ns(99.0) as f64 - 1.0).abs() < 0.03);
    let more = until("converged:error=0.5%").go(&job(READS));
    assert!(more.precision[0].requests > 2 * stage.requests);
}

#[test]
fn a_job_that_ends_before_is_told_apart_and_is_as_it_was() {
    let text = job("rw=randread bs=4k iodepth=8 size=4m io_size=1g number_ios=3000");
    let result = until("converged").go(&text);
    let [stage] = &result.precision[..] else { panic!("{:?}", result.precision) };
    assert!(!stage.converged && stage.requests <= 3000, "{stage:?}");
    assert!(stage.summary().contains("did not converge"), "{}", stage.summary());
    let plain = Run::new().go(&text);
    assert_eq!(plain.precision, []);
    assert_eq!(rest(&result), rest(&plain));
}

#[test]
fn requests_of_a_ramp_do_not_count() {
    let text = job("rw=randread bs=4k iodepth=8 size=4m time_based runtime=200ms ramp_time=200ms");
    let result = until("converged:error=0.1%").go(&text);
    let stage = &result.precision[0];
    let ios = super::direction(&result.jobs[0], report::Direction::Read).ios;
    let collected = stage.requests + stage.warm_up_requests.unwrap_or(stage.requests);
    assert!(collected <= ios + 100 && 2 * collected > ios, "{stage:?}, {ios} requests");
}

#[test]
fn each_stage_has_its_own_end() {
    let of = |name, rw| {
        format!("[{name}]\n{}\nstonewall\n", READS.replace("randread", rw).replace(' ', "\n"))
    };
    let text = of("reads", "randread") + &of("writes", "randwrite");
    let result = until("converged:error=5%,of=mean+waf").go(&text);
    let [reads, writes] = &result.precision[..] else { panic!("{:?}", result.precision) };
    assert!(reads.converged && writes.converged);
    assert_eq!((reads.stage, writes.stage), (0, 1));
    assert_eq!(reads.figures.len(), 1);
    let waf = figure(writes, "waf");
    assert!((waf.value / result.drive.write_amplification().unwrap() - 1.0).abs() < 0.1, "{waf:?}");
}

#[test]
fn what_waits_in_the_buffer_is_written() {
    let run = until("converged:of=waf").set("ftl.buffer_kib", "16384");
    let result = run.go(&job("rw=write bs=16k size=8m"));
    let waf = figure(&result.precision[0], "waf").value;
    assert!((0.95..1.05).contains(&waf), "{waf}");
}

#[test]
fn where_it_ends_depends_on_nothing_else() {
    let exact = Run { polling: machine::Polling::Exact, ..until("converged:error=5%") };
    let (skipped, exact) = (until("converged:error=5%").go(&job(READS)), exact.go(&job(READS)));
    assert_eq!(skipped.precision, exact.precision);
    assert_eq!(rest(&skipped), rest(&exact));
}

/// Of so many runs with random requests of their own: those whose interval of the mean holds what one gives that is as `long`.
fn held(seeds: u64, long: &str) -> u64 {
    let truth = until(long).go(&job(READS));
    let truth = figure(&truth.precision[0], "mean").value;
    let held = (1..=seeds).filter(|seed| {
        // The chips stay those of seed 1: other chips have other means.
        let text = job(&format!("{READS} randrepeat=1 randseed={}", 1_000 + seed));
        let result = until("converged:error=2%,of=mean").go(&text);
        let mean = figure(&result.precision[0], "mean");
        (mean.value - truth).abs() <= mean.half_width.unwrap()
    });
    held.count() as u64
}

#[test]
fn intervals_of_a_real_drive_hold() {
    // 23 of 24, and four deviations of 1.1.
    let held = held(24, "converged:error=0.3%,of=mean");
    assert!(held >= 18, "{held} of 24");
}

#[test]
#[ignore = "takes minutes: cargo test --release -p firmament-host --test whole -- --ignored --nocapture held"]
fn of_a_thousand_runs_of_a_real_drive_95_percent_are_held() {
    let held = held(1_000, "converged:error=0.1%,of=mean");
    println!("{held} of 1000");
    assert!((930..=970).contains(&held), "{held} of 1,000");
}
