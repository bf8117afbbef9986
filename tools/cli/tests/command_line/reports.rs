//! What a run prints.

use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::{json, Value};

use crate::program::{firmament, json, short_run, stdout};

/// Keys of the `firmament` object that differ between equal runs.
const SPEED: [&str; 3] = ["wall_s", "cpu_s", "requests_per_cpu_second"];

/// The report of [`short_run`] as JSON, without what differs between equal runs.
fn steady_json(more: &[&str]) -> Value {
    let mut report = json(short_run(more).arg("--output-format=json+"));
    let own = report["firmament"].as_object_mut().expect("the report has Firmament's object");
    for key in SPEED {
        let speed = own.remove(key).unwrap_or_else(|| panic!("the report has {key}"));
        assert!(speed.is_number(), "{key} is {speed}");
    }
    report
}

#[test]
fn the_text_is_fios_and_goes_to_standard_output() {
    let lines = starts_with("job1: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B")
        .and(contains("job1: (groupid=0, jobs=1): err= 0: pid=1:"))
        .and(contains("  read: IOPS="))
        .and(contains(" clat percentiles (usec):"))
        .and(contains("     issued rwts: total="))
        .and(contains("Run status group 0 (all jobs):"))
        .and(contains("   READ: bw="))
        .and(contains("  WRITE: bw="));
    short_run(&[]).assert().success().stdout(lines);
}

#[test]
fn no_progress_bar_is_drawn_in_a_pipe() {
    short_run(&[]).assert().success().stderr("");
}

#[test]
fn json_holds_what_tools_made_for_fio_read() {
    let report = json(short_run(&[]).arg("--output-format=json"));
    assert!(report["fio version"].as_str().unwrap().starts_with("fio-3."));
    let job = &report["jobs"][0];
    assert_eq!((&job["jobname"], &job["error"]), (&Value::from("job1"), &Value::from(0)));
    let requests = |direction: &str| job[direction]["total_ios"].as_u64().unwrap();
    assert_eq!(requests("read") + requests("write"), 2048);
    for direction in ["read", "write"] {
        let object = &job[direction];
        assert_eq!(object["io_bytes"].as_u64().unwrap(), requests(direction) * 4096);
        let iops = object["iops"].as_f64().unwrap();
        let bandwidth = object["bw_bytes"].as_f64().unwrap();
        assert!(iops > 0.0 && (bandwidth / (iops * 4096.0) - 1.0).abs() < 1e-3, "{object}");
        let latency = &object["clat_ns"];
        let mean = latency["mean"].as_f64().unwrap();
        assert!(latency["min"].as_f64().unwrap() < mean && mean < latency["max"].as_f64().unwrap());
        let percentile = |name: &str| latency["percentile"][name].as_u64().unwrap();
        assert!(percentile("50.000000") <= percentile("99.000000"));
        assert!(latency.get("bins").is_none());
    }
}

#[test]
fn json_plus_adds_the_bins_of_each_latency() {
    let report = json(short_run(&[]).arg("--output-format=json+"));
    let read = &report["jobs"][0]["read"];
    let bins = read["clat_ns"]["bins"].as_object().unwrap();
    let counted: u64 = bins.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(counted, read["total_ios"].as_u64().unwrap());
}

#[test]
fn json_tells_where_the_time_went() {
    let report = json(short_run(&[]).arg("--output-format=json"));
    let own = &report["firmament"];
    assert_eq!((&own["board"], &own["seed"]), (&Value::from("small"), &Value::from(1)));
    assert_eq!(own["channel_utilization"].as_array().unwrap().len(), 2);
    assert_eq!(own["way_utilization"][1].as_array().unwrap().len(), 2);
    for part in ["host_interface_ns", "firmware_ns", "storage_ns"] {
        let time = &own["jobs"][0]["read"][part];
        assert!(time["mean"].as_f64().unwrap() > 0.0, "{part}: {time}");
        assert!(time["percentile"]["99.000000"].as_f64().unwrap() > 0.0, "{part}: {time}");
    }
    for number in [
        "write_amplification",
        "garbage_collections",
        "erases",
        "read_retries",
        "corrected_bits",
        "simulated_s",
        "wall_s",
        "requests_per_cpu_second",
    ] {
        assert!(own[number].is_number(), "{number}: {}", own[number]);
    }
    assert!(own["processor"]["busy"].as_f64().unwrap() > 0.0);
    assert_eq!(own["requests"], 2048);
}

#[test]
fn equal_runs_print_equal_reports() {
    let report = steady_json(&[]);
    assert_eq!(report, steady_json(&[]));
    assert_ne!(report["jobs"], steady_json(&["--seed=2"])["jobs"]);
}

#[test]
fn skipped_polls_change_nothing() {
    let [skipped, exact] = ["skip", "exact"].map(|polling| {
        let mut report = steady_json(&[&format!("--polling={polling}")]);
        let told = report["firmament"]["provenance"]["polling"].take();
        assert_eq!(told, polling);
        report
    });
    assert_eq!(skipped, exact);
}

/// Whoever does not ask where the time of requests went gets all other figures as they are.
#[test]
fn causes_that_nobody_asks_for_change_nothing_else() {
    let [mut all, mut none] =
        ["all", "none"].map(|causes| steady_json(&[&format!("--causes={causes}")]));
    assert_eq!(none["firmament"]["provenance"]["causes"], "none");
    for (report, asked) in [(&mut all, true), (&mut none, false)] {
        report["firmament"]["provenance"]["causes"].take();
        let own = report["firmament"].as_object_mut().unwrap();
        assert_eq!(own.remove("buffer_entry_waits").is_some(), asked);
        assert_eq!(own.remove("channels").is_some(), asked);
        for key in ["entry_waits", "channels"] {
            own["data"]["drive"].as_object_mut().unwrap().remove(key);
        }
        let job = report["firmament"]["jobs"][0].as_object_mut().unwrap();
        let told = ["read", "write"].map(|direction| job.remove(direction).is_some());
        assert_eq!(told.contains(&true), asked);
        for direction in
            report["firmament"]["data"]["jobs"][0]["directions"].as_array_mut().unwrap()
        {
            let Some(direction) = direction.as_object_mut() else { continue };
            let split = direction.remove("split").expect("the sums of times");
            assert_eq!(!split.as_array().unwrap().is_empty(), asked);
            direction.retain(|key, _| key != "parts" && key != "causes");
        }
    }
    assert_eq!(all, none);
    let text = stdout(short_run(&[]).arg("--causes=none"));
    assert!(text.contains("Where the time went: not asked (--causes=none)"), "{text}");
}

#[test]
fn the_options_of_jobs_are_those_that_were_written() {
    let options = [
        "--name=global",
        "--blocksize=4k",
        "--group_reporting",
        "--name=one",
        "--readwrite=randread",
        "--timeout=1ms",
        "--iodepth=4",
        "--iodepth=2",
    ];
    let mut command = firmament(["run", "small", "--output-format=json"]);
    let report = json(command.args(options));
    assert_eq!(report["global options"], json!({ "bs": "4k", "group_reporting": "" }));
    let job = json!({ "name": "one", "rw": "randread", "runtime": "1ms", "iodepth": "2" });
    assert_eq!(report["jobs"][0]["job options"], job);
}

#[test]
fn terse_lines_are_what_minimal_prints() {
    let terse = stdout(&mut short_run(&["--output-format=terse"]));
    assert_eq!(terse, stdout(&mut short_run(&["--minimal"])));
    assert!(terse.starts_with("3;fio-3.33;job1;0;0;") && terse.lines().count() == 1, "{terse}");
    let fifth = stdout(&mut short_run(&["--minimal", "--terse-version=5"]));
    assert!(fifth.starts_with("5;fio-3.33;job1;0;0;"), "{fifth}");
    assert_eq!((terse.split(';').count(), fifth.split(';').count()), (121, 180));
}

#[test]
fn a_status_is_printed_at_each_interval_of_virtual_time() {
    let job = ["--rw=randread", "--bs=4k", "--time_based", "--runtime=10ms"];
    let directory = tempfile::tempdir().unwrap();
    for (to_file, interval, count) in [(false, "3ms", 4), (true, "3ms", 4), (false, "1", 1)] {
        let mut command = firmament(["run", "small", "--minimal"]);
        command.args(job).arg(format!("--status-interval={interval}")).current_dir(&directory);
        let text = match to_file {
            false => stdout(&mut command),
            true => {
                assert_eq!(stdout(command.arg("--output=report")), "");
                std::fs::read_to_string(directory.path().join("report")).unwrap()
            }
        };
        let times: Vec<_> = text.lines().map(|line| line.split(';').nth(8).unwrap()).collect();
        assert_eq!(times.len(), count, "{text}");
        assert_eq!(times.last(), Some(&"10"), "{text}");
        assert!(count == 1 || times[..3] == ["3", "6", "9"], "{text}");
    }
}

#[test]
fn progress_is_told_in_lines_if_it_is_always_wanted() {
    let long = ["--rw=randread", "--bs=4k", "--iodepth=8", "--time_based", "--runtime=30s"];
    let told = |more: &[&str]| {
        let mut command = firmament(["run", "small", "--minimal", "--eta-interval=250ms"]);
        let assert = command.args(long).args(more).assert().success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    assert_eq!(told(&["--eta=never"]), "");
    let lines = told(&["--eta=always"]);
    let line = lines.lines().next().expect("30 seconds take more than 250 ms");
    for part in [" %, ", " ms of virtual time, ", " IOPS, ", " s left"] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn several_formats_are_printed_in_the_order_given() {
    let text = stdout(&mut short_run(&["--output-format=normal,json"]));
    let start = text.find("\n{\n").expect("JSON follows the text") + 1;
    assert!(text[..start].contains("   READ: bw="), "{text}");
    let report: Value = serde_json::from_str(&text[start..]).unwrap();
    assert_eq!(report["jobs"][0]["jobname"], "job1");
}
