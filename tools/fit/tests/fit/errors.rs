//! Fits that cannot be done.

use std::sync::atomic::Ordering;

use fit::FitError;
use host::Stop;

use crate::drive::{fitted, measured, How, SEED};

const JOBS: &str = "[one]\nrw=randread\nbs=4k\nsize=8m\nnumber_ios=200\n";

#[test]
fn what_does_not_go_together_is_told_in_one_line() {
    let report = measured(&[], JOBS, SEED);
    let large = report.replace("\"size\": \"8m\"", "\"size\": \"8t\"");
    let zoned = report.replace("\"size\": \"8m\"", "\"zonemode\": \"zbd\"");
    let twice: &[&str] = &["flash.t_read_slc_us", "flash.t_read_slc_us"];
    let read: &[&str] = &["flash.t_read_slc_us"];
    for (report, how, line) in [
        (
            &report,
            How { runs: 6, wanted: read, ..How::default() },
            "--runs: found 6, expected at least 9, for 1 key and 1 file",
        ),
        (
            &report,
            How { wanted: twice, ..How::default() },
            "--fit: flash.t_read_slc_us: found it twice, expected it once",
        ),
        (
            &report,
            How { wanted: &["flash.t_raed_us"], ..How::default() },
            "--fit: flash.t_raed_us: found an unknown key",
        ),
        (
            &report,
            How { set: &[("geometry.ways", "0")], ..How::default() },
            "--set: geometry.ways: found 0",
        ),
        (
            &large,
            How { wanted: read, ..How::default() },
            "drive.json: jobs[0] (one): size: found \"8t\", expected at most",
        ),
        (
            &zoned,
            How { wanted: read, ..How::default() },
            "drive.json: jobs[0] (one): zonemode: found \"zbd\"",
        ),
    ] {
        let Err(FitError::Input(told)) = fitted(report, &how) else { panic!("{line}") };
        assert!(told.starts_with(line), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn used_up_runs_end_a_fit_with_what_was_found_until_then() {
    let report = measured(&[("flash.t_read_slc_us", "40")], JOBS, SEED);
    let how = How { runs: 12, wanted: &["flash.t_read_slc_us"], ..How::default() };
    let outcome = fitted(&report, &how).unwrap();
    assert!(!outcome.converged && outcome.runs <= 12, "{outcome}");
    assert!(outcome.to_string().contains("more --runs may lead further"), "{outcome}");
}

#[test]
fn a_signal_ends_it() {
    let report = measured(&[], JOBS, SEED);
    let stop = Stop::default();
    stop.flag().store(2, Ordering::Relaxed);
    let told = fitted(&report, &How { stop, ..How::default() });
    assert!(matches!(told, Err(FitError::Stopped(line)) if line.contains("signal 2")));
}
