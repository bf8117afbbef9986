//! The operation monitor: what `run` writes and what `monitor` shows.

use std::fs;

use serde_json::Value;

use crate::program::{firmament, names, short_run, stdout};

/// The text report without the line that tells what simulating took.
fn steady_text(text: &str) -> String {
    // What was run tells of the monitor too.
    let steady =
        |line: &&str| !["  Speed:", "  monitor every"].iter().any(|own| line.starts_with(own));
    text.lines().filter(steady).collect()
}

#[test]
fn a_run_writes_a_line_an_interval_and_reports_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let with = |file: &str| {
        let file = format!("--monitor={file}");
        let options = [&file, "--monitor-interval", "500us", "--html=page.html"];
        stdout(short_run(&options).current_dir(&directory))
    };
    let plain = steady_text(&stdout(&mut short_run(&[])));
    assert_eq!(steady_text(&with("a.jsonl")), plain);
    assert_eq!(steady_text(&with("b.jsonl")), plain);
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(read("a.jsonl"), read("b.jsonl"));
    assert_eq!(names(directory.path()), ["a.jsonl", "b.jsonl", "page.html"]);
    assert!(read("page.html").contains("<h2>Monitor: channel utilisation</h2>"));

    let text = read("a.jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = &lines[0];
    assert_eq!((&header["version"], &header["board"]), (&Value::from(2), &Value::from("small")));
    assert_eq!((&header["seed"], &header["channels"]), (&Value::from(1), &Value::from(2)));
    assert_eq!(header["interval_ps"], 500_000_000);
    assert!(lines.len() > 3);
    for (nth, line) in lines[1..].iter().enumerate() {
        assert_eq!(line["from_ps"], nth as u64 * 500_000_000);
    }
    let requests: u64 = lines[1..].iter().map(|line| line["requests"].as_u64().unwrap()).sum();
    assert_eq!(requests, 2048);
    let rates = &lines[2]["rates"];
    assert!(rates["read_iops"].as_u64().unwrap() > 0, "{rates}");
    assert_eq!(rates["way_utilization"].as_array().unwrap().len(), 2);
}

#[test]
fn totals_and_the_last_interval_are_tables_in_a_pipe() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["--monitor", "m.jsonl"];
    short_run(&run).current_dir(&directory).assert().success();
    for arguments in [&["monitor", "m.jsonl"][..], &["monitor", "m.jsonl", "--follow"]] {
        let told = stdout(firmament(arguments).current_dir(&directory));
        for text in [
            "small: command line (seed 1)\n",
            "\nWhole file:\n",
            "\nLast interval, from ",
            "\noutstanding          0 (0 in the drive)\n",
            "\nchannel ",
            "\nissuer ",
        ] {
            assert!(told.contains(text), "{text:?} is not in\n{told}");
        }
        // Totals count every interrupt, the last interval only its own.
        let interrupts = |line: &str| line.strip_prefix("interrupts ")?.trim().parse::<u64>().ok();
        let counts: Vec<_> = told.lines().filter_map(interrupts).collect();
        let text = fs::read_to_string(directory.path().join("m.jsonl")).unwrap();
        let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        let each: Vec<_> = lines.map(|line| line["interrupts"].as_u64().unwrap()).collect();
        assert_eq!(counts, [each.iter().sum::<u64>(), each[each.len() - 1]]);
    }
    // A run that is still under way may have written half a line.
    let path = directory.path().join("m.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 10]).unwrap();
    firmament(["monitor", "m.jsonl"]).current_dir(&directory).assert().success();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told() {
    let assert = short_run(&["--monitor=/dev/full"]).assert().code(2);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.starts_with("firmament: /dev/full: found No space left on device"), "{told}");
}

/// Boards on which turns of a bus wait for one another, and chips are seen to be ready later than they are.
#[test]
fn what_is_in_use_is_told_of_any_board() {
    for set in [
        "channel.turn_gap_us=1000",
        "channel.request_latency_us=1000",
        "channel.mode_turn_us=1000000",
        "channel.status_poll_us=5000",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let job = ["--rw=randrw", "--bs=4k", "--iodepth=8", "--size=4m", "--number_ios=60"];
        let monitor = ["--monitor=m.jsonl", "--monitor-interval=10us", "--json=r.json"];
        let mut run = firmament([&["run", "small", "--set", set][..], &job, &monitor].concat());
        run.current_dir(&directory).assert().success();
        let text = std::fs::read_to_string(directory.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let busy = report["firmament"]["channel_utilization"].as_array().unwrap();
        let is_share = |share: &serde_json::Value| (0.0..=1.0).contains(&share.as_f64().unwrap());
        assert!(!busy.is_empty() && busy.iter().all(is_share), "{set}: {busy:?}");
    }
}

/// What a file holds is gone once there is something to write, and not before.
#[test]
fn a_job_that_is_refused_leaves_the_file_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.jsonl");
    std::fs::write(&path, "kept").unwrap();
    let run = |block: &str| {
        let job = ["run", "small", "--rw=read", "--size=1m", "--monitor=m.jsonl", block];
        let mut run = firmament(job);
        run.current_dir(&directory).assert()
    };
    run("--bs=5k").code(2);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    run("--bs=4k").success();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('{'));
}
