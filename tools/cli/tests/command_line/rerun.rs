//! The command `rerun`: what a report tells of is run again.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, ends_with};
use serde_json::{json, Value};
use tempfile::TempDir;

use crate::program::{firmament, short_run, stdout};

/// Runs with a report in `report.json` of a new folder.
fn reported(more: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    short_run(more).arg("--json=report.json").current_dir(&directory).assert().success();
    directory
}

fn rerun(directory: &Path) -> assert_cmd::assert::Assert {
    firmament(["rerun", "report.json"]).current_dir(directory).assert()
}

/// Replaces the report by what `change` makes of it.
fn change(directory: &Path, change: impl FnOnce(&mut Value)) {
    let path = directory.join("report.json");
    let mut report = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut report);
    fs::write(&path, report.to_string()).unwrap();
}

#[test]
fn whatever_decides_the_bytes_is_in_the_report() {
    let cases: [&[&str]; 8] = [
        &[],
        &["--seed=18446744073709551615", "--precondition=steady"],
        &["--set", "processor.clock_mhz=250", "--set", "processor.clock_mhz=500"],
        &["--payload=full", "--verify=crc32c", "--precondition=none"],
        &["--polling=exact", "--monitor=m.jsonl", "--monitor-interval=200us"],
        &["--ramp_time=1s", "--fsync=32"],
        &["--causes=none"],
        &["--until=converged:error=20%,of=mean", "--loops=50", "--seeds=2", "--seed=7"],
    ];
    for more in cases {
        let directory = reported(more);
        rerun(directory.path()).success().stdout("report.json: the same again\n").stderr("");
    }
}

/// Where the first seed does not come to its end, no other is run, and none is run again.
#[test]
fn a_run_that_ended_with_an_error_is_the_same_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut run = short_run(&["--max_latency=1us", "--seeds=2", "--json=report.json"]);
    run.current_dir(&directory).assert().code(1).stderr(contains("max_latency"));
    rerun(directory.path()).success().stdout("report.json: the same again\n").stderr("");
    let text = fs::read_to_string(directory.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["firmament"].get("over_seeds"), None);
}

#[test]
fn a_report_of_all_bins_is_compared_whole() {
    let directory = tempfile::tempdir().unwrap();
    let text = stdout(short_run(&[]).arg("--output-format=json+"));
    fs::write(directory.path().join("report.json"), &text).unwrap();
    rerun(directory.path()).success();
    change(directory.path(), |report| {
        let bins = report["jobs"][0]["read"]["clat_ns"]["bins"].as_object_mut().unwrap();
        *bins.values_mut().next().unwrap() = json!(0);
    });
    rerun(directory.path()).code(1).stderr(contains("$.jobs[0].read.clat_ns.bins."));
}

#[test]
fn board_and_job_files_are_not_needed_again() {
    let directory = tempfile::tempdir().unwrap();
    let board = "inherits = \"small\"\ndescription = \"mine\"\n[ftl]\nplacement = \"random\"\n";
    fs::write(directory.path().join("mine.toml"), board).unwrap();
    fs::write(directory.path().join("a.fio"), "[a]\nrw=randwrite\nbs=4k\nsize=1m\n").unwrap();
    let run = ["run", "mine.toml", "a.fio", "--set=ecc.scrambler=off", "--json=report.json"];
    firmament(run).current_dir(&directory).assert().success();
    fs::remove_file(directory.path().join("mine.toml")).unwrap();
    fs::remove_file(directory.path().join("a.fio")).unwrap();
    rerun(directory.path()).success();
    let text = fs::read_to_string(directory.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let provenance = &report["firmament"]["provenance"];
    let changed = json!([{ "key": "ecc.scrambler", "value": "off", "before": "\"on\"" }]);
    assert_eq!(provenance["board"]["overrides"], changed);
    assert_eq!(provenance["jobs"]["file"]["text"], "[a]\nrw=randwrite\nbs=4k\nsize=1m\n");
    assert_eq!(provenance["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn text_and_page_tell_what_was_run() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--set", "processor.clock_mhz=500", "--html=page.html"];
    let text = stdout(short_run(&more).current_dir(&directory));
    for line in [
        "What was run:",
        "    --set processor.clock_mhz=500 (board: 1000)",
        "  seed 1, precondition sequential, payload stamp, polling skip",
        "  options in place of a job file:",
        "    --rw=randrw",
        "    --loops=2",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }
    assert!(text.contains("  board small, values sha256 "));
}

#[test]
fn the_first_difference_is_told() {
    let directory = reported(&[]);
    change(directory.path(), |report| report["jobs"][0]["read"]["total_ios"] = json!(7));
    let told = contains("report.json: $.jobs[0].read.total_ios: found ")
        .and(ends_with(" in this run, expected 7\n"));
    rerun(directory.path()).code(1).stdout("").stderr(told);
}

#[test]
fn another_seed_is_another_report() {
    let directory = reported(&[]);
    change(directory.path(), |report| report["firmament"]["provenance"]["seed"] = json!(2));
    rerun(directory.path()).code(1).stderr(contains("in this run, expected"));
}

#[test]
fn a_report_of_another_version_is_run_and_said_to_be_one() {
    let directory = reported(&[]);
    change(directory.path(), |report| {
        let provenance = &mut report["firmament"]["provenance"];
        (provenance["version"], provenance["commit"]) = (json!("0.0.9"), json!("abc"));
    });
    let told = contains("report.json was written by version 0.0.9, commit abc; this is version");
    rerun(directory.path()).success().stderr(told);
}

/// What is done to a report, and what is then said of it.
type Case = (&'static str, fn(&mut Value), &'static str);

#[test]
fn what_cannot_be_run_again_is_refused_in_one_line() {
    let cases: [Case; 8] = [
        (
            "nothing of ours",
            |r| drop(r.as_object_mut().unwrap().remove("firmament")),
            "firmament: found nothing, expected a JSON report of firmament run",
        ),
        ("no object", |r| *r = json!([1]), "firmament: found nothing"),
        (
            "no provenance",
            |r| drop(r["firmament"].as_object_mut().unwrap().remove("provenance")),
            "provenance: found nothing",
        ),
        (
            "served",
            |r| r["firmament"]["provenance"]["jobs"] = json!("guest"),
            "jobs: found a report of serve, expected one of run",
        ),
        ("cut", |r| r["firmament"]["cut"] = json!(true), "found a run that was cut"),
        (
            "another kind",
            |r| r["firmament"]["provenance"]["payload"] = json!("half"),
            "payload: found \"half\", expected one of stamp, full",
        ),
        (
            "another board",
            |r| r["firmament"]["provenance"]["board"]["sha256"] = json!("00"),
            "expected sha256 00, as the report says",
        ),
        (
            "no jobs",
            |r| r["firmament"]["provenance"]["jobs"] = json!({ "options": [["rw", "sideways"]] }),
            "rw: found",
        ),
    ];
    let directory = reported(&[]);
    let path = directory.path().join("report.json");
    let whole = fs::read_to_string(&path).unwrap();
    for (name, damage, said) in cases {
        fs::write(&path, &whole).unwrap();
        change(directory.path(), damage);
        let one_line = |text: &str| text.matches('\n').count() == 1;
        let told = contains(said).and(predicate::function(one_line));
        let assert = rerun(directory.path()).stdout("");
        assert.code(2).stderr(told.name(name));
    }
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    rerun(directory.path()).code(2).stderr(contains("EOF while parsing"));
}
