//! Jobs that people have, and command lines that they type: each does what fio 3.33 does with it.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use predicates::str::contains;
use serde_json::Value;

use crate::program::{firmament, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line/fio-jobs")
}

/// What a job file says of its result in comments such as `; want read 440-500`.
fn wanted(text: &str) -> Vec<(String, RangeInclusive<u64>)> {
    let want = |line: &str| {
        let (direction, count) = line.strip_prefix("; want ")?.split_once(' ')?;
        let (low, high) = count.split_once('-').unwrap_or((count, count));
        Some((direction.to_owned(), low.parse().ok()?..=high.parse().ok()?))
    };
    text.lines().filter_map(want).collect()
}

#[test]
fn each_job_of_the_folder_does_what_its_comment_says() {
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "fio") {
            continue;
        }
        let wanted = wanted(&fs::read_to_string(&path).unwrap());
        assert!(!wanted.is_empty(), "{path:?} says what is right");
        let mut command = firmament(["run", "small", "--output-format=json"]);
        let report = json(command.arg(&path));
        for (direction, range) in wanted {
            let ios = report["jobs"][0][&direction]["total_ios"].as_u64().unwrap();
            assert!(range.contains(&ios), "{path:?}: {ios} of {direction}, expected {range:?}");
        }
        count += 1;
    }
    assert!(count > 10, "{count} jobs");
}

/// A command line behind `run small`, the jobs that it runs, and the requests of each.
const LINES: &[(&str, &[(&str, u64)])] = &[
    // Options before the first name are no job of their own.
    ("--rw=randread --bs=4k --size=1m --ioengine=libaio --name=cbt", &[("cbt", 256)]),
    ("--bs=8k --iodepth=4 --name=test --size=1m --rw=randread", &[("test", 128)]),
    ("--rw=read --size=1m --name=a --bs=4k --name=b --bs=8k", &[("a", 256), ("b", 128)]),
    // One dash is as good as two.
    ("-rw=randread -bs=4k -size=1m -thread -group_reporting -name=x", &[("x", 256)]),
    ("-rw randread -bs 4k -size 64k", &[("job1", 16)]),
    // Options are defaults for the jobs of files.
    ("--size=64k jobs.fio", &[("j1", 16), ("j2", 8)]),
    ("--size=64k jobs.fio --section=j2", &[("j2", 8)]),
    ("--size=64k jobs.fio --section j1 --section=j2", &[("j1", 16), ("j2", 8)]),
    ("--size=64k --readonly --alloc-size=9 --debug=io jobs.fio", &[("j1", 16), ("j2", 8)]),
    ("--size=64k jobs.fio more", &[("j1", 16), ("j2", 8), ("k1", 16)]),
    ("--name=own --rw=read --size=4k ./more", &[("own", 1), ("k1", 16)]),
];

/// A directory with `jobs.fio`, and `more`, a job file whose name does not end in .fio.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let jobs = "[global]\nrw=randread\nbs=4k\n[j1]\n[j2]\nbs=8k\n";
    fs::write(directory.path().join("jobs.fio"), jobs).unwrap();
    fs::write(directory.path().join("more"), "[k1]\nrw=read\nsize=64k\n").unwrap();
    directory
}

#[test]
fn each_command_line_has_the_scope_that_fio_gives_it() {
    let directory = directory();
    for (line, expected) in LINES {
        let mut command = firmament(["run", "small", "--output-format=json"]);
        let report = json(command.args(line.split(' ')).current_dir(directory.path()));
        let jobs = report["jobs"].as_array().unwrap();
        let found: Vec<_> = jobs
            .iter()
            .map(|job| {
                (job["jobname"].as_str().unwrap(), job["read"]["total_ios"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(found, *expected, "{line}");
    }
}

#[test]
fn files_follow_each_other_and_a_report_runs_again() {
    let directory = directory();
    let mut command = firmament(["run", "small", "--output-format=json", "--size=64k"]);
    command.args(["jobs.fio", "more"]).current_dir(directory.path());
    let report: Value = json(&mut command);
    let groups: Vec<_> = (0..3).map(|nth| report["jobs"][nth]["groupid"].clone()).collect();
    assert_eq!(groups, [0, 0, 1]);
    assert_eq!(report["global options"]["size"], "64k");
    let file = directory.path().join("report.json");
    fs::write(&file, report.to_string()).unwrap();
    // Without the files that it was made of.
    firmament(["rerun"]).arg(&file).assert().success();
}

#[test]
fn a_name_of_a_board_and_of_a_file_is_asked_about() {
    let directory = directory();
    fs::write(directory.path().join("small"), "[s]\nrw=read\nsize=4k\n").unwrap();
    let run = |line: &str| {
        let mut command = firmament(["run"]);
        command.args(line.split(' ')).current_dir(directory.path());
        command
    };
    let told = "small, which is a board and a file, expected ./small for the job file";
    run("small --bs=4k").assert().code(2).stdout("").stderr(contains(told));
    run("small ./small").assert().success().stdout(contains("s: (groupid=0"));
}

#[test]
fn readonly_and_parse_only_run_nothing_that_they_should_not() {
    let directory = directory();
    let run = |line: &str| {
        let mut command = firmament(["run", "small"]);
        command.args(line.split(' ')).current_dir(directory.path());
        command
    };
    let told = "rw: found \"randtrim\", expected a job that only reads, as --readonly is given";
    run("--readonly jobs.fio --name=t --rw=randtrim").assert().code(2).stderr(contains(told));
    run("--parse-only --size=4k jobs.fio").assert().success().stdout("").stderr("");
    run("--parse-only --rw=up").assert().code(2).stderr(contains("rw: found \"up\""));
    run("--cmdhelp=blocksize").assert().success().stdout(contains("bs: acted on"));
    run("--cmdhelp").assert().success().stdout(contains("zonemode"));
    run("--enghelp")
        .assert()
        .success()
        .stdout(contains("null                 refused: it moves no data\n"));
    run("--enghelp=libaio").assert().success().stdout(contains("cmdprio_percentage"));
    run("--enghelp=libaio,cmdprio")
        .assert()
        .success()
        .stdout(contains("only with ioengine=libaio"));
    run("--enghelp=libaio,stream_id").assert().code(2).stderr(contains("expected cmdprio"));
    run("--enghelp=nonsense").assert().code(2).stderr(contains("found \"nonsense\""));
    run("--showcmd --rw=read --name=a --size=1m --name=b --description=it")
        .assert()
        .success()
        .stdout("firmament run small --rw=read --name=a --size=1m --name=b --description=it\n");
    run("--showcmd --rw=up").assert().code(2).stderr(contains("rw: found \"up\""));
}

#[test]
fn data_that_nobody_wrote_fail_a_job_that_verifies_them() {
    let read = ["--name=v", "--rw=read", "--bs=4k", "--size=1m", "--verify=md5"];
    let run = |more: &[&str]| {
        let mut command = firmament(["run", "small", "--output-format=json"]);
        command.args(more).args(read);
        command
    };
    let told = "firmament: job v: verify: bad magic header at LBA 0 (error 84)\n";
    let assert = run(&["--precondition=none"]).assert().code(1).stderr(told);
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(report["jobs"][0]["error"], 84);
    // What the preconditioning wrote is as good as what a job wrote, as the oracle knows every byte.
    assert_eq!(json(&mut run(&["--precondition=sequential"]))["jobs"][0]["error"], 0);
}

#[test]
fn a_job_ends_where_a_request_takes_longer_than_it_may() {
    let run = |more: &[&str]| {
        let mut command = firmament(["run", "small", "--rw=read", "--bs=4k", "--size=1m"]);
        command.args(more);
        command
    };
    let told = "exceeds max_latency of 1000 nsec (error 110)";
    run(&["--max_latency=1us"]).assert().code(1).stderr(contains(told));
    let told = "the job ends there, as going on after it (continue_on_error) is not modelled";
    let wanted = ["--max_latency=1us", "--continue_on_error=all"];
    run(&wanted).assert().code(1).stderr(contains(told));
    run(&["--max_latency=8s", "--continue_on_error=all"]).assert().success().stderr("");
}

#[test]
fn the_line_of_write_amplification_counts_what_waits_in_the_buffer() {
    let mut command = firmament(["run", "cosmos-plus", "--rw=randwrite", "--bs=16k", "--size=8m"]);
    let line = "Write amplification: 1.000 (host 8388608 bytes, flash 0 bytes in 0 pages, +8388608 bytes in the buffer)";
    command.assert().success().stdout(contains(line));
}
