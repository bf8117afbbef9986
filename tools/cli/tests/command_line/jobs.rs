//! Where jobs come from: files, and fio's options in place of one.

use std::fs;

use predicates::str::{contains, starts_with};
use serde_json::Value;

use crate::program::{firmament, json, short_run};

/// Names of the jobs in a report.
fn job_names(report: &Value) -> Vec<&str> {
    let jobs = report["jobs"].as_array().unwrap();
    jobs.iter().map(|job| job["jobname"].as_str().unwrap()).collect()
}

#[test]
fn a_job_file_and_the_same_options_give_the_same_jobs() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("jobs.fio");
    let text = "[global]\nbs=4k\nsize=1m\n[a]\nrw=randwrite\n[b]\nstonewall\nrw=read\niodepth=4\n";
    fs::write(&file, text).unwrap();
    let from_file = json(firmament(["run", "small", "--output-format=json"]).arg(&file));
    let options = "--name=global --bs=4k --size 1m --name=a --rw=randwrite \
                   --name=b --stonewall --rw=read --iodepth 4";
    let mut from_options = firmament(["run", "--output-format=json"]);
    let from_options = json(from_options.args(options.split(' ')).arg("small"));
    assert_eq!(job_names(&from_file), ["a", "b"]);
    assert_eq!(job_names(&from_options), ["a", "b"]);
    for index in 0..2 {
        let [file, options] = [&from_file, &from_options].map(|report| &report["jobs"][index]);
        for direction in ["read", "write"] {
            assert_eq!(file[direction], options[direction], "job {index}, {direction}");
        }
    }
    assert_eq!(from_file["jobs"][1]["read"]["total_ios"], 256);
    assert_eq!(from_file["firmament"]["job_file"], file.to_str().unwrap());
}

#[test]
fn cosmos_plus_is_the_board_when_none_is_named() {
    let mut command = firmament(["run", "--rw=randread", "--bs=4k", "--number_ios=64"]);
    let report = json(command.arg("--output-format=json"));
    assert_eq!(report["firmament"]["board"], "cosmos-plus");
    assert_eq!(report["firmament"]["channel_utilization"].as_array().unwrap().len(), 8);
}

#[test]
fn a_job_takes_variables_of_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("jobs.fio");
    fs::write(&file, "[a]\nrw=randread\nsize=1m\nbs=${BLOCK}k\n").unwrap();
    let run = |block: Option<&str>| {
        let mut command = firmament(["run", "small", "--output-format=json"]);
        command.arg(&file).env_remove("BLOCK");
        block.into_iter().for_each(|block| {
            command.env("BLOCK", block);
        });
        command
    };
    assert_eq!(json(&mut run(Some("16")))["jobs"][0]["read"]["total_ios"], 64);
    let line = "bs: found \"${BLOCK}k\", expected BLOCK to be set in the environment";
    run(None).assert().code(2).stdout("").stderr(contains(line));
    let mut command = firmament(["run", "small", "--rw=read", "--size=${SIZE}"]);
    let report = json(command.arg("--output-format=json").env("SIZE", "64k"));
    assert_eq!(report["jobs"][0]["read"]["total_ios"], 16);
}

#[test]
fn a_value_of_the_board_that_is_set_changes_the_run() {
    let time = |more: &[&str]| {
        let report = json(short_run(more).arg("--output-format=json"));
        report["firmament"]["simulated_s"].as_f64().unwrap()
    };
    let slow = time(&["--set", "flash.t_read_slc_us=990"]);
    assert!(slow > time(&[]) * 1.5, "ten times the read latency gave {slow} s");
}

#[test]
fn every_precondition_can_be_run() {
    for state in ["none", "sequential", "random", "steady", "steady-run"] {
        let option = format!("--precondition={state}");
        let ran = short_run(&[&option]).assert().success().stdout(contains("READ: bw="));
        // A run in the steady state that begins with an empty buffer may be told to leave its beginning out.
        let warned = String::from_utf8_lossy(&ran.get_output().stderr).into_owned();
        let is_steady = state.starts_with("steady");
        assert!(
            warned.is_empty() || is_steady && warned.contains("ramp_time="),
            "{state}: {warned}"
        );
    }
}

#[test]
fn real_bytes_are_checked_as_stamps_are() {
    let more = ["--payload=full", "--verify=crc32c"];
    short_run(&more).assert().success().stderr("").stdout(contains("READ: bw="));
}

#[test]
fn a_job_that_ends_with_an_error_is_reported_and_fails_the_command() {
    let worn = ["--set", "errors.raw_bits_per_terabit=50000000000"];
    let hopeless = ["--set", "errors.retry_percent=100"];
    let mut command = short_run(&["--output-format=json"]);
    let assert = command.args(worn).args(hopeless).assert().code(1);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.starts_with("firmament: job job1: ") && told.contains("Unrecovered Read Error"));
    assert_eq!(told.matches('\n').count(), 1, "{told}");
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(report["jobs"][0]["error"], 61, "ENODATA, as Linux makes of an unrecovered read");
    assert!(report["firmament"]["uncorrectable_reads"].as_u64().unwrap() > 0);
}

#[test]
fn a_job_file_may_come_from_standard_input() {
    let text = "[piped]\nrw=write\nbs=4k\nsize=1m\n";
    let mut command = firmament(["run", "small", "-", "--json=-"]);
    let report = json(command.write_stdin(text));
    assert_eq!(job_names(&report), ["piped"]);
    let file = &report["firmament"]["provenance"]["jobs"]["file"];
    assert_eq!(
        (&file["name"], &file["text"]),
        (&Value::from("standard input"), &Value::from(text))
    );
    let mut command = firmament(["run", "small", "-"]);
    let faulty = "firmament: standard input:2: rw: found";
    command.write_stdin("[a]\nrw=up\n").assert().code(2).stderr(starts_with(faulty));
}
