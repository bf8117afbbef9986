//! Jobs on an open-channel drive, below the FTL in the host: all that a run writes.

use std::fs;

use serde_json::Value;

use crate::program::{firmament, json, names, stdout};

/// A run of writes on the board, with further arguments.
const RUN: [&str; 8] = [
    "run",
    "cosmos-plus-ocssd",
    "--set=geometry.channels=2",
    "--set=geometry.ways=4",
    "--rw=write",
    "--bs=16k",
    "--iodepth=64",
    "--size=8m",
];

#[test]
fn the_timeline_names_its_commands_and_is_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let run = RUN.into_iter().chain(["--timeline=t.json", "--json=out.json"]);
    firmament(run).current_dir(&directory).assert().success().stderr("");
    let text = fs::read_to_string(directory.path().join("t.json")).unwrap();
    let trace: Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| {
        let is_it = |event: &&Value| event["name"].as_str().is_some_and(|own| own.contains(name));
        events.iter().filter(is_it).count()
    };
    assert!(named("vector chunk write") > 8, "{}", named("vector chunk write"));
    assert_eq!(named("I/O command"), 0, "every command has its name");
    assert!(named("tPROG") > 16);
    let draw = firmament(["timeline", "t.json", "--svg", "t.svg"]).current_dir(&directory).ok();
    assert!(draw.is_ok());
    let picture = fs::read_to_string(directory.path().join("t.svg")).unwrap();
    assert!(picture.contains("tPROG") && picture.contains("way 3"));
    // Who looks on changes nothing.
    let plain = json(&mut firmament(RUN.into_iter().chain(["--output-format=json"])));
    let text = fs::read_to_string(directory.path().join("out.json")).unwrap();
    let mut both = [serde_json::from_str::<Value>(&text).unwrap(), plain];
    for report in &mut both {
        for key in ["wall_s", "cpu_s", "requests_per_cpu_second"] {
            report["firmament"][key].take();
        }
    }
    assert_eq!(both[0], both[1]);
}

#[test]
fn the_monitor_tells_what_the_job_has_outstanding_from_what_the_drive_has() {
    let directory = tempfile::tempdir().unwrap();
    let run = RUN.into_iter().chain(["--monitor=m.jsonl", "--monitor-interval=50us"]);
    stdout(firmament(run).current_dir(&directory));
    let text = fs::read_to_string(directory.path().join("m.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let most = |who: &str| {
        let of = |line: &Value| line["outstanding"][who].as_u64().unwrap();
        lines[1..].iter().map(of).max().unwrap()
    };
    assert_eq!((most("host"), most("drive")), (64, 8), "a write for each of eight ways");
    assert_eq!(names(directory.path()), ["m.jsonl"]);
}
