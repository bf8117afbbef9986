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
