//! Which files the commands `replay` and `trace` take, and as what.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;

use crate::program::{firmament, json, stdout};

/// Traces in the layouts of real ones.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ground/trace/tests/cases");

fn inside(arguments: &[&str]) -> assert_cmd::Command {
    let mut command = firmament(arguments.iter().copied());
    command.current_dir(CASES);
    command
}

/// Names of the jobs of a report, with their requests.
fn jobs(report: &Value) -> Vec<(String, u64)> {
    let ios = |job: &Value, way: &str| job[way]["total_ios"].as_u64().unwrap();
    let sums = |job: &Value| {
        (job["jobname"].as_str().unwrap().to_owned(), ios(job, "read") + ios(job, "write"))
    };
    report["jobs"].as_array().unwrap().iter().map(sums).collect()
}

#[test]
fn files_and_members_are_the_traces_that_they_should_be() {
    /// Options, and figures of the report.
    type Row<'a> = (&'a [&'a str], &'a [(&'a str, u64)]);
    let rows: [Row<'_>; 5] = [
        (
            &["three-members.tar.gz", "--remap=volume"],
            &[("hm_0.csv", 400), ("hm_1.csv", 400), ("hm_2.csv", 400)],
        ),
        (
            &["three-members.tar.gz", "--one-clock", "--remap=volume"],
            &[("hm_0.csv and 2 more", 1200)],
        ),
        (&["three-members.tar.gz", "--volume=1", "--remap=modulo"], &[("hm_1.csv", 400)]),
        (&["bt.blktrace.0", "bt.blktrace.1", "--remap=modulo"], &[("bt", 400)]),
        (
            &["two-devices.blkparse", "--volume=253,0", "--remap=modulo"],
            &[("two-devices.blkparse", 40)],
        ),
    ];
    for (arguments, expected) in rows {
        let replay = [&["replay", "small", "--output-format=json"], arguments].concat();
        let found = jobs(&json(&mut inside(&replay)));
        let expected: Vec<_> =
            expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        assert_eq!(found, expected, "{arguments:?}");
    }
}

#[test]
fn a_replay_of_parts_is_run_again_from_its_report() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["bt.blktrace.0", "bt.blktrace.1", "umass.spc", "three-members.tar.gz"] {
        fs::copy(Path::new(CASES).join(name), directory.path().join(name)).unwrap();
    }
    let run = |arguments: &[&str]| {
        let mut command = firmament(arguments.iter().copied());
        command.current_dir(&directory);
        command
    };
    let rows: [&[&str]; 3] = [
        &["bt", "--remap=modulo", "--volume=8,16"],
        &[
            "three-members.tar.gz",
            "--one-clock",
            "--remap=volume",
            "--member=hm_0.csv",
            "--member=hm_2.csv",
        ],
        &["umass.spc", "--remap=volume", "--format=csv:volume=1,lba=2,bytes=3,op=4,time=5s"],
    ];
    for arguments in rows {
        let replay = [&["replay", "small", "--json=r.json"], arguments].concat();
        run(&replay).assert().success();
        run(&["rerun", "r.json"]).assert().success().stdout("r.json: the same again\n");
    }
    let report: Value =
        serde_json::from_slice(&fs::read(directory.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(jobs(&report), [("umass.spc".to_owned(), 20)]);
}

#[test]
fn what_a_user_has_to_know_of_files_is_told() {
    let rows: [(&[&str], &str); 3] = [
        (
            &["replay", "small", "milliseconds.mqsim", "--remap=modulo"],
            "warning: milliseconds.mqsim: 393491124 arrivals a second, with times in ns: --time-unit gives",
        ),
        (
            &["replay", "small", "bt.blktrace.0", "--remap=modulo"],
            "warning: bt.blktrace.0: bt.blktrace.1 of the same device is not read: name all files, or bt,",
        ),
        (&["trace", "info", "bt.blktrace.0"], "warning: bt.blktrace.0: bt.blktrace.1 of the same device"),
    ];
    for (arguments, line) in rows {
        inside(arguments).assert().success().stderr(contains(line));
    }
    inside(&["replay", "small", "milliseconds.mqsim", "--remap=modulo", "--time-unit=ms"])
        .assert()
        .success()
        .stderr(contains("arrivals a second").not());
    let text = stdout(&mut inside(&["trace", "info", "three-members.tar.gz"]));
    assert_eq!(text.matches("  records        400 in 400 lines").count(), 3, "{text}");
}

#[test]
fn what_cannot_be_had_of_files_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let packed = directory.path().join("a.7z");
    fs::write(&packed, b"7z\xbc\xaf\x27\x1c\0\x04").unwrap();
    let packed = packed.to_str().unwrap();
    let rows: [(&[&str], &str); 8] = [
        (
            &["two-devices.blkparse", "--volume=9,9"],
            "firmament: --volume: found \"9,9\", expected one of 253,0, 8,16\n",
        ),
        (
            &["three-members.tar.gz", "--member=x"],
            "firmament: --member: found \"x\", expected hm_0.csv, hm_1.csv, hm_2.csv\n",
        ),
        (
            &["umass.spc", "fiu.blkparse", "--one-clock"],
            "firmament: --one-clock: found spc and fiu, expected files of one format\n",
        ),
        (
            &["umass.spc", "--time-unit=min"],
            "firmament: --time-unit: found \"min\", expected ps, ns, us, ms or s",
        ),
        (
            &["umass.spc", "--format=csv:time=1,op=2"],
            "firmament: --format: found \"csv:time=1,op=2\", expected a column and the unit",
        ),
        (
            &["umass.spc", "--format=csv:time=5s,op=4,lba=2,bytes=3", "--time-unit=ms"],
            "firmament: --time-unit: found ms beside a layout",
        ),
        (
            &["three-members.tar.gz", "--weights=1,2"],
            "firmament: --weights: found 2 for 3 traces, expected one for each trace\n",
        ),
        (&[packed], "firmament: "),
    ];
    for (arguments, line) in rows {
        inside(&[&["replay", "small"], arguments].concat()).assert().code(2).stdout("").stderr(
            starts_with(line).and(predicate::function(|text: &str| text.lines().count() == 1)),
        );
    }
    inside(&["replay", "small", packed]).assert().stderr(contains("found a 7z archive, expected"));
    inside(&["trace", "info", "three-members.tar.gz", "--html=-"])
        .assert()
        .code(2)
        .stderr("firmament: --html: found 3 traces for one page, expected one trace: --member chooses one of an archive, --one-clock makes them one\n");
}
