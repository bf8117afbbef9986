//! The commands `replay` and `trace`.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, ends_with, is_empty, starts_with};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{firmament, json, stdout};

/// A folder with two traces: a log of fio's with a line that cannot be read, and one of MQSim's.
fn folder() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut log = "fio version 3 iolog\n0 /dev/a add\nnonsense\n".to_owned();
    let mut other = String::new();
    for nth in 0..300 {
        let action = if nth % 3 == 0 { "write" } else { "read" };
        log.push_str(&format!("{} /dev/a {action} {} 4096\n", nth * 50, nth * 37 % 200 * 4096));
        other.push_str(&format!("{} 0 {} 8 {}\n", nth * 60_000, nth * 31 % 100 * 8, nth % 2));
    }
    fs::write(directory.path().join("a.log"), log).unwrap();
    fs::write(directory.path().join("b.txt"), other).unwrap();
    directory
}

fn replay(directory: &TempDir, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = firmament([&["replay", "small"], arguments].concat());
    command.current_dir(directory);
    command
}

#[test]
fn a_trace_gives_all_the_reports_that_a_job_gives() {
    let directory = folder();
    let files = ["r.html", "r.json", "m.jsonl", "t.json"];
    replay(
        &directory,
        &["a.log", "--html=r.html", "--json=r.json", "--monitor=m.jsonl", "--timeline=t.json"],
    )
    .assert()
    .success()
    .stdout(contains("a.log: (g=0): rw=replay (iolog)").and(contains("Where the time went")))
    .stdout(contains(
        "  trace a.log, iolog (detected: it reads 199 of the first 200 lines or records)",
    ))
    .stdout(contains("    300 requests, 1 unreadable, sha256 "))
    .stderr(contains("a.log: line 3: timestamp: found \"nonsense\", expected a whole number"));
    for file in files {
        assert!(fs::metadata(directory.path().join(file)).unwrap().len() > 1000, "{file}");
    }
    let report: Value =
        serde_json::from_str(&fs::read_to_string(directory.path().join("r.json")).unwrap())
            .unwrap();
    let job = &report["jobs"][0];
    assert_eq!(
        (job["read"]["total_ios"].as_u64(), job["write"]["total_ios"].as_u64()),
        (Some(200), Some(100))
    );
}

#[test]
fn a_replay_is_run_again_from_its_report_while_the_trace_is_the_same() {
    let directory = folder();
    for options in [
        &["a.log", "--speed=4x"][..],
        &["a.log", "b.txt", "--depth=3", "--remap=modulo"],
        &[
            "b.txt",
            "--dependency",
            "--assumed-latency=50us",
            "--in-flight=9",
            "--format=mqsim",
            "--strict",
        ],
    ] {
        replay(&directory, &[options, &["--json=r.json"]].concat()).assert().success();
        let rerun = || {
            let mut rerun = firmament(["rerun", "r.json"]);
            rerun.current_dir(&directory);
            rerun
        };
        rerun().assert().success().stdout("r.json: the same again\n");
        let path = directory.path().join("b.txt");
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{before}1 0 0 8 1\n")).unwrap();
        let is_used = options.contains(&"b.txt");
        let stderr = contains("b.txt: sha256: found ").or(is_empty());
        rerun().assert().code(if is_used { 2 } else { 0 }).stderr(stderr);
        fs::write(&path, before).unwrap();
    }
}

#[test]
fn several_traces_are_tenants_with_parts_and_weights() {
    let directory = folder();
    let weighted = ["--set", "host.arbitration=weighted", "--weights=4,1"];
    let report = json(&mut replay(
        &directory,
        &[&["a.log", "b.txt", "--output-format=json"], &weighted[..]].concat(),
    ));
    let names: Vec<_> =
        report["jobs"].as_array().unwrap().iter().map(|job| &job["jobname"]).collect();
    assert_eq!(names, ["a.log", "b.txt"]);
    let refusals: [(&[&str], &str); 4] = [
        (&["--weights=4,1"], "--weights: found a drive with plain round robin, expected --set host.arbitration=weighted"),
        (&["--weights=4"], "--weights: found 1 for 2 traces, expected one for each trace"),
        (&["--weights=256,256"], "--weights: found [256, 256], expected at most three different"),
        (&["--weights=0,1"], "0"),
    ];
    for (more, line) in refusals {
        replay(&directory, &[&["a.log", "b.txt"], more].concat())
            .assert()
            .code(2)
            .stdout("")
            .stderr(
                contains(line).and(predicate::function(|text: &str| text.lines().count() <= 2)),
            );
    }
}

#[test]
fn what_cannot_be_replayed_is_one_line_and_exit_code_2() {
    let directory = folder();
    fs::write(directory.path().join("far.txt"), "0 0 99999999999 8 1\n").unwrap();
    fs::write(directory.path().join("empty.txt"), "").unwrap();
    let rows: [(&[&str], &str); 14] = [
        (&["a.log", "--readonly"], "firmament: --readonly: found it beside traces, expected firmament run with it"),
        (&["a.log", "--section=a"], "firmament: --section: found it beside traces, expected firmament run with it"),
        (&["a.log", "--showcmd"], "firmament: --showcmd: found it beside traces, expected firmament run with it"),
        (&["a.log", "--cmdhelp"], "firmament: --cmdhelp: found it beside traces, expected firmament run with it"),
        (&["a.log", "--member=x"], "firmament: --member: found \"x\", expected an archive that has members\n"),
        (&["a.log", "--strict"], "firmament: a.log: line 3: timestamp: found \"nonsense\", expected a whole number below 2^64\n"),
        (&["none.log"], "firmament: none.log: found No such file or directory (os error 2), expected a trace\n"),
        (&["empty.txt"], "firmament: empty.txt: format: found nothing, expected one of iolog"),
        (&["far.txt"], "firmament: far.txt: addresses: found requests up to byte 51200000003584, expected at most "),
        (&["a.log", "--speed=0"], "firmament: --speed: found \"0\", expected a factor such as 2x or 0.5x\n"),
        (&["a.log", "--format=cvs"], "firmament: --format: found \"cvs\", expected one of iolog, blkparse"),
        (&["a.log", "--depth=0"], "firmament: --depth"),
        (&["a.log", "--depth=2", "--dependency"], "firmament: "),
        (&[], "firmament: command line: found no trace, expected a trace such as hm_0.csv.gz\n"),
    ];
    for (arguments, line) in rows {
        replay(&directory, arguments).assert().code(2).stdout("").stderr(
            starts_with(line).and(predicate::function(|text: &str| text.lines().count() == 1)),
        );
    }
}

#[test]
fn traces_that_are_read_alone_change_no_image() {
    let directory = folder();
    let new = ["image", "new", "d.img", "small", "--set", "recovery.log_entries=64"];
    firmament(new).current_dir(&directory).assert().success();
    let before = fs::read(directory.path().join("d.img")).unwrap();
    for option in ["--parse-only", "--readonly"] {
        let mut read = firmament(["replay", "--image", "d.img", "b.txt", option]);
        let ended = read.current_dir(&directory).assert();
        let code = if option == "--readonly" { 2 } else { 0 };
        ended.code(code).stdout("");
        assert!(fs::read(directory.path().join("d.img")).unwrap() == before, "{option}");
    }
}

#[test]
fn trace_info_tells_what_is_in_a_trace() {
    let directory = folder();
    let info = |arguments: &[&str]| {
        let mut command = firmament([&["trace", "info"], arguments].concat());
        command.current_dir(&directory);
        command
    };
    let text = stdout(&mut info(&["a.log", "--html=i.html"]));
    for part in [
        "  records        300 in 303 lines or binary records\n  unreadable     1\n    line 3: timestamp",
        "  reads          200 (66.7%), 800 KiB\n",
        "  writes         100 (33.3%), 400 KiB\n",
        "  footprint      800 KiB: ",
        "  arrival        20000.0 a second, at most 300 in one\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let page = fs::read_to_string(directory.path().join("i.html")).unwrap();
    // The plots of reports, each with the names of its axes.
    let plots: Vec<_> = page.split("<script type=\"application/json\">").skip(1).collect();
    assert!(page.starts_with("<!DOCTYPE html>") && plots.len() == 5, "{page}");
    let axes = [
        "requests / s",
        "share of arrivals",
        "share of the reads",
        "requests",
        "share of the requests",
    ];
    for (plot, axis) in plots.iter().zip(axes) {
        let (data, _) = plot.split_once("</script>").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert!(data["y"]["name"].as_str().unwrap().starts_with(axis), "{axis}");
        let count = data["at"].as_array().unwrap().len();
        for line in data["lines"].as_array().unwrap() {
            assert_eq!(line["values"].as_array().unwrap().len(), count, "{axis}");
        }
    }
    assert!(page.contains("prefers-color-scheme:dark"));
    assert!(!page.contains("src=") && !page.contains("<link"), "a page needs no network");
    info(&["a.log", "--strict"]).assert().code(2).stdout("").stderr(contains("a.log: line 3: "));
    info(&["none"]).assert().code(2).stderr(ends_with("expected a trace\n"));
}

#[test]
fn trace_generate_writes_what_can_be_replayed() {
    let directory = folder();
    for (name, format) in
        [("g.csv.gz", "msr"), ("g.csv.zst", "alibaba"), ("g.log.xz", "iolog"), ("g.txt", "mqsim")]
    {
        firmament([
            "trace",
            "generate",
            "a.log",
            "--output",
            name,
            "--as",
            format,
            "--records=150",
            "--seed=5",
        ])
        .current_dir(&directory)
        .assert()
        .success()
        .stdout("");
        let mut info = firmament(["trace", "info", "--strict", name]);
        let text = stdout(info.current_dir(&directory));
        assert!(text.contains(&format!("  format         {format} (detected")), "{text}");
        assert!(text.contains("  records        150 in 15"), "{text}");
        replay(&directory, &[name, "--depth=8"]).assert().success();
    }
}

#[test]
fn the_samples_can_be_read_and_replayed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces");
    for (name, format) in [("office.csv.xz", "msr"), ("cloud.csv.zst", "alibaba")] {
        let path = format!("{folder}/{name}");
        let text = stdout(&mut firmament(["trace", "info", "--strict", &path]));
        assert!(text.contains(&format!("  format         {format} (detected")), "{text}");
        assert!(text.contains("  records        12000 in 12000 lines"), "{text}");
        firmament(["replay", "small", &path, "--remap=modulo", "--speed=1000x"]).assert().success();
    }
}
