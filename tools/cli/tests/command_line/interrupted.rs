//! Signals that end a run.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{firmament, names};

/// A run that does not end of its own accord in the time that a test has.
const ENDLESS: [&str; 7] =
    ["run", "small", "--rw=randrw", "--bs=4k", "--iodepth=8", "--time_based", "--runtime=1000000"];
/// How long the program may take to come to a point.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(directory: &Path, arguments: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("firmament"))
        .args(arguments)
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "{what} took too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the program has a handler for SIGTERM, which it has before it makes a drive.
fn wait_for_handlers(child: &Child) {
    wait_until("to catch signals", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() >> 14 & 1 != 0
    });
}

/// Waits until jobs run: the monitor has written an interval.
fn wait_for_jobs(directory: &Path) {
    let monitor = directory.join("monitor");
    wait_until("to run", || {
        fs::read_to_string(&monitor).is_ok_and(|text| text.lines().count() > 3)
    });
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
    (status.code(), stdout, stderr)
}

#[test]
fn a_run_that_is_ended_reports_what_was_done() {
    for (name, number) in [("-INT", 2), ("-TERM", 15)] {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let reports = ["--json=json", "--html=html", "--timeline=timeline", "--monitor=monitor"];
        let child = start(directory, &[&ENDLESS[..], &reports].concat());
        wait_for_jobs(directory);
        signal(&child, name);
        let (code, text, said) = end(child);
        assert_eq!(code, Some(128), "{said}");
        let line = format!("firmament: terminating on signal {number}: ");
        assert!(said.lines().last().is_some_and(|last| last.starts_with(&line)), "{said}");
        assert!(text.contains(&format!("\nfio: terminating on signal {number}\n")), "{text}");
        assert!(text.contains(&format!("cut short by signal {number} at ")), "{text}");
        assert!(text.contains("  read: IOPS="), "{text}");
        let read = |file: &str| fs::read_to_string(directory.join(file)).unwrap();
        let report: Value = serde_json::from_str(&read("json")).unwrap();
        let cut = &report["firmament"]["cut"];
        assert_eq!(cut["signal"], number);
        assert!(cut["at_s"].as_f64().unwrap() > 0.0, "{cut}");
        assert!(report["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 0);
        assert!(read("html").contains(&format!("This run was cut short by signal {number}")));
        let trace: Value = serde_json::from_str(&read("timeline")).unwrap();
        assert!(trace.is_object() || trace.is_array());
        let monitor = read("monitor");
        assert!(monitor.ends_with('\n'));
        assert!(monitor.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        firmament(["monitor", "monitor"]).current_dir(directory).assert().success();
    }
}

#[test]
fn a_whole_run_is_not_marked() {
    let report =
        crate::program::json(crate::program::short_run(&["--output-format=json"]).arg("--seed=3"));
    assert_eq!(report["firmament"].get("cut"), Some(&Value::Null));
}

#[test]
fn nothing_was_run_while_a_drive_is_preconditioned() {
    let directory = tempfile::tempdir().unwrap();
    let more =
        ["--precondition=steady-run", "--set", "geometry.blocks_per_way=100000", "--json=json"];
    let child = start(directory.path(), &[&ENDLESS[..], &more].concat());
    wait_for_handlers(&child);
    signal(&child, "-INT");
    let (code, text, said) = end(child);
    assert_eq!((code, text.as_str()), (Some(128), ""));
    // It was told before how long that would take.
    let [long, ended] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said:?}") };
    assert!(long.starts_with("firmament: preconditioning writes up to "), "{long}");
    let line =
        "firmament: terminating on signal 2: the drive was being preconditioned, and no job ran";
    assert_eq!(ended, line);
    assert!(names(directory.path()).is_empty(), "no report of a run that was none");
}

#[test]
fn the_second_signal_ends_the_program_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let child = start(directory, &[&ENDLESS[..], &["--json=json", "--monitor=monitor"]].concat());
    wait_for_jobs(directory);
    // Both wait for the program when it goes on, so that it has no time to end between them.
    for name in ["-STOP", "-INT", "-TERM", "-CONT"] {
        signal(&child, name);
    }
    let (code, text, said) = end(child);
    assert_eq!((code, text.as_str(), said.as_str()), (Some(128), "", ""));
    assert!(!directory.join("json").exists());
}
