//! Timelines: recorded by `run`, drawn by `timeline`.

use std::fs;

use serde_json::Value;

use crate::program::{firmament, names, short_run};

#[test]
fn a_run_writes_a_timeline_and_it_can_be_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    let run = |more: &[&str]| short_run(more).current_dir(&directory).assert().success().stderr("");
    run(&["--timeline=whole.json", "--json=with.json"]);
    run(&["--timeline=part.json", "--timeline-window=0..100us"]);
    run(&["--json=without.json"]);

    let [whole, part, mut with, mut without] =
        ["whole.json", "part.json", "with.json", "without.json"]
            .map(|name| serde_json::from_str::<Value>(&read(name)).unwrap());
    for report in [&mut with, &mut without] {
        for key in ["wall_s", "cpu_s", "requests_per_cpu_second"] {
            report["firmament"][key].take();
        }
    }
    assert_eq!(with, without);
    let slices = |trace: &Value| {
        let events = trace["traceEvents"].as_array().unwrap();
        events.iter().filter(|event| event["ph"] == "X").count()
    };
    assert!(0 < slices(&part) && slices(&part) < slices(&whole));

    let draw = |more: &[&str]| {
        let mut command = firmament(["timeline", "whole.json", "--svg", "picture.svg"]);
        command.args(more).current_dir(&directory).assert()
    };
    draw(&[]).success().stdout("").stderr("");
    let picture = read("picture.svg");
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    for part in ["channel 0", "way 0", "tR", "read transfer", "(ms)"] {
        assert!(picture.contains(part), "no {part}");
    }
    draw(&["--window", "0..300us"]).success();
    assert!(read("picture.svg").contains("(µs)"));
    let told = draw(&["--window", "5..6s"]).code(2).get_output().stderr.clone();
    let told = String::from_utf8(told).unwrap();
    assert!(told.starts_with("firmament: whole.json: found no operation"), "{told}");
    assert_eq!(told.lines().count(), 1);
    let files = ["part.json", "picture.svg", "whole.json", "with.json", "without.json"];
    assert_eq!(names(directory.path()), files);
}

/// A drive that collects: the tutorial's.
fn with_a_tail(more: &[&str]) -> assert_cmd::Command {
    let jobs = "run small --rw=randrw --rwmixread=90 --bs=4k --iodepth=4 --size=16m \
                --number_ios=4000 --output=text";
    firmament(jobs.split(' ').chain(more.iter().copied()))
}

/// Microseconds and the words of each leg of the critical path that a trace has.
fn legs(trace: &Value) -> Vec<(f64, String)> {
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |name: &str| {
        let named = |event: &&Value| event["ph"] == "M" && event["args"]["name"] == name;
        events.iter().find(named).map(|event| event["pid"].clone())
    };
    let Some(pid) = of("critical path") else { return vec![] };
    let on_it = events.iter().filter(|event| event["ph"] == "X" && event["pid"] == pid);
    on_it
        .map(|leg| (leg["dur"].as_f64().unwrap(), leg["name"].as_str().unwrap().to_owned()))
        .collect()
}

/// The second run is the first one again: the request that is marked took as long as the report's slowest, its legs have no
/// gap, and what it waited for is the erase.
#[test]
fn a_timeline_around_the_slowest_request_shows_what_it_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str| {
        let text = fs::read_to_string(directory.path().join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let run = |around: &str| {
        let around = format!("--timeline-around={around}");
        let mut command = with_a_tail(&["--timeline=t.json", "--json=r.json", &around]);
        let assert = command.current_dir(&directory).assert().success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let told = run("slowest");
    assert!(told.starts_with("firmament: timeline around slowest: "), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    let report = read("r.json");
    let slowest = ["read", "write"]
        .map(|way| report["jobs"][0][way]["clat_ns"]["max"].as_f64().unwrap())
        .into_iter()
        .fold(0.0, f64::max);
    let of_path = legs(&read("t.json"));
    let whole: f64 = of_path.iter().map(|(us, _)| us).sum();
    // The host's part of the way stands outside the controller.
    assert!((0.0..20.0).contains(&(slowest / 1e3 - whole)), "{slowest} ns, {whole} us");
    let arrows =
        read("t.json")["traceEvents"].to_string().matches(r#""cat":"critical path""#).count();
    assert!(arrows > 3, "{arrows} arrows");

    for around in ["p99.9", "collection"] {
        let told = run(around);
        let longest = legs(&read("t.json")).into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(longest.1, "behind tBERS", "{around}: {told}");
        assert!(longest.0 > 2_000.0 && told.contains("behind tBERS of the drive's own"), "{told}");
    }
    run("9ms");
    assert!(!legs(&read("t.json")).is_empty());
    let told = run("900s");
    assert!(told.ends_with("and no request to mark\n"), "{told}");

    let picture = &["timeline", "t.json", "--svg", "t.svg"];
    run("p99.9");
    firmament(picture).current_dir(&directory).assert().success().stderr("");
    let picture = fs::read_to_string(directory.path().join("t.svg")).unwrap();
    assert!(picture.contains("the line is the critical path") && picture.contains("behind tBERS"));
}

#[test]
fn a_timeline_around_what_did_not_happen_is_told_behind_the_reports() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--timeline=t.json", "--timeline-around=collection", "--json=r.json"];
    let reads = ["run", "small", "--rw=randread", "--bs=4k", "--size=4m", "--number_ios=40"];
    let mut command = firmament(reads.iter().chain(&more));
    let assert = command.current_dir(&directory).assert().code(2);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let expected = "firmament: --timeline-around: found collection, expected slowest, as this run erased nothing";
    assert!(told.starts_with(expected) && told.lines().count() == 1, "{told}");
    assert_eq!(names(directory.path()), ["r.json"]);
}

/// A replay is run twice as a job is.
#[test]
fn a_replay_has_a_timeline_around_its_slowest_request() {
    let directory = tempfile::tempdir().unwrap();
    let log = "fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x write 0 16384\n/dev/x read 0 4096\n/dev/x close\n";
    fs::write(directory.path().join("a.log"), log).unwrap();
    let mut command = firmament(["replay", "small", "a.log", "--depth=4", "--timeline=t.json"]);
    command.args(["--timeline-around=slowest", "--output=text"]);
    command.current_dir(&directory).assert().success();
    let text = fs::read_to_string(directory.path().join("t.json")).unwrap();
    assert!(!legs(&serde_json::from_str(&text).unwrap()).is_empty());
}
