//! `run --save` and `run --from`, and sweeps from a snapshot.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::str::{contains, ends_with};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{firmament, json, names, stdout};

const WRITES: [&str; 5] =
    ["--rw=randwrite", "--bs=4k", "--iodepth=8", "--size=4m", "--number_ios=400"];
const READS: [&str; 5] =
    ["--rw=randread", "--bs=4k", "--iodepth=8", "--size=8m", "--number_ios=300"];

fn run(folder: &Path, arguments: &[&str], job: &[&str]) -> Command {
    let mut command = firmament(["run"]);
    command.args(arguments).args(job).current_dir(folder);
    command
}

/// A folder with a snapshot of a small drive with four ways a channel, some of it written.
fn kept() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let save = ["small", "--set", "geometry.ways=4", "--save", "drive.snap"];
    run(folder.path(), &save, &WRITES).assert().success().stderr("");
    assert_eq!(names(folder.path()), ["drive.snap"]);
    folder
}

fn figures(report: &Value) -> &Value {
    &report["jobs"][0]
}

#[test]
fn a_drive_goes_on_where_it_was_left_and_keeps_its_board() {
    let folder = kept();
    let from = ["--from", "drive.snap", "--output-format=json"];
    let report = json(&mut run(folder.path(), &from, &READS));
    let run_with = &report["firmament"]["provenance"];
    assert_eq!(run_with["board"]["name"], "small");
    assert_eq!(run_with["from"]["name"], "drive.snap");
    assert_eq!(run_with["from"]["sha256"].as_str().map(str::len), Some(64));
    let again = json(&mut run(folder.path(), &from, &READS));
    assert_eq!(figures(&again), figures(&report));
    // Another seed is of the job, on the same drive.
    let other = [&from[..], &["--seed=2"]].concat();
    let other = json(&mut run(folder.path(), &other, &READS));
    assert_ne!(figures(&other)["read"]["clat_ns"], figures(&report)["read"]["clat_ns"]);
    // The board may be named, if it is the same.
    let named = [&from[..], &["small", "--set", "geometry.ways=4"]].concat();
    run(folder.path(), &named, &READS).assert().success();
    let text = stdout(&mut run(folder.path(), &from[..2], &READS));
    assert!(text.contains("\n  from snapshot drive.snap, sha256 "), "{text}");
}

/// What was written last to the second of three namespaces is in the buffer, and nothing of the first is.
#[test]
fn a_drive_goes_on_with_its_namespaces() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |namespace| format!("--filename=/dev/nvme0n{namespace}");
    let save = ["small", "--set", "namespace.count=3", "--save", "drive.snap"];
    let writes = ["--rw=randwrite", "--bs=4k", "--size=1m"];
    run(folder.path(), &[&save[..], &[&of(2)]].concat(), &writes).assert().success();
    for (namespace, expected) in [(2, "hits=256, misses=0"), (1, "hits=192, misses=64")] {
        let reads = ["--rw=randread", "--bs=4k", "--size=1m"];
        let text =
            stdout(&mut run(folder.path(), &["--from", "drive.snap", &of(namespace)], &reads));
        assert!(text.contains(expected), "{namespace}: {text}");
    }
    run(folder.path(), &["--from", "drive.snap", &of(4)], &["--rw=read", "--size=1m"])
        .assert()
        .code(2)
        .stderr(contains("expected a namespace from n1 to n3"));
}

#[test]
fn a_snapshot_is_replaced_by_that_of_a_later_run_and_left_alone_by_one_that_fails() {
    let folder = kept();
    let path = folder.path().join("drive.snap");
    let first = fs::read(&path).expect("a snapshot");
    let on = ["--from", "drive.snap", "--save", "drive.snap"];
    run(folder.path(), &on, &["--rw=banana"]).assert().code(2);
    assert_eq!(fs::read(&path).expect("a snapshot"), first);
    run(folder.path(), &on, &WRITES).assert().success();
    assert_ne!(fs::read(&path).expect("a snapshot"), first);
    run(folder.path(), &on[..2], &READS).assert().success();
    assert_eq!(names(folder.path()), ["drive.snap"]);
}

#[test]
fn a_report_from_a_snapshot_is_run_again_while_the_file_is_the_same() {
    let folder = kept();
    let from = ["--from", "drive.snap", "--json=report.json", "--seeds=2"];
    run(folder.path(), &from, &READS).assert().success();
    let rerun = || {
        let mut command = firmament(["rerun", "report.json"]);
        command.current_dir(&folder).assert()
    };
    rerun().success().stdout("report.json: the same again\n");
    let on = ["--from", "drive.snap", "--save", "drive.snap"];
    run(folder.path(), &on, &WRITES).assert().success();
    rerun().code(2).stderr(contains("drive.snap: sha256: found ")).stderr(contains("report says"));
}

#[test]
fn what_is_no_snapshot_of_the_drive_is_one_line() {
    let folder = kept();
    let path = folder.path().join("drive.snap");
    let sound = fs::read(&path).expect("a snapshot");
    fs::write(folder.path().join("short.snap"), &sound[..sound.len() - 100]).expect("a file");
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    fs::write(folder.path().join("damaged.snap"), damaged).expect("a file");
    fs::write(folder.path().join("text.snap"), "text").expect("a file");
    let mut version = sound;
    version[8] = 2;
    fs::write(folder.path().join("version.snap"), version).expect("a file");
    let cases: [(&[&str], &str); 12] = [
        (&["--from", "none.snap"], "none.snap: found No such file"),
        (&["--from", "text.snap"], "text.snap: found another file, expected a snapshot of a drive"),
        (&["--from", "short.snap"], "short.snap: found a wrong checksum"),
        (&["--from", "damaged.snap"], "damaged.snap: found a wrong checksum"),
        (&["--from", "version.snap"], "version.snap: version: found 2, expected 1"),
        (&["--from", "drive.snap", "small"], "geometry.ways: found 4, expected 2"),
        (
            &["--from", "drive.snap", "--set", "geometry.ways=8"],
            "--set: found geometry.ways=8, expected geometry.ways=4, as drive.snap has it",
        ),
        (&["--from", "drive.snap", "--payload=full"], "--payload: found full, expected stamp"),
        (&["--from", "drive.snap", "--precondition=none"], "--precondition: found none beside"),
        (
            &["--from", "drive.snap", "--image", "drive.img"],
            "--from: found drive.snap, expected none beside --image",
        ),
        (&["small", "--save", "-"], "--save: found standard output, expected a file"),
        (&["small", "--save", "a.json", "--json", "a.json"], "found it for two reports"),
    ];
    for (arguments, expected) in cases {
        let before = names(folder.path());
        let failed = run(folder.path(), arguments, &READS).assert().code(2).stdout("");
        let failed = failed.stderr(contains(expected)).stderr(ends_with("\n"));
        let lines = String::from_utf8_lossy(&failed.get_output().stderr).lines().count();
        assert_eq!(lines, 1, "{arguments:?}");
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
}

const SWEEP: &str = r#"
from = "drive.snap"
seeds = 2
[options]
rw = "randread"
bs = "4k"
size = "8m"
number_ios = 300
[grid]
iodepth = [1, 8]
"#;

#[test]
fn points_of_a_sweep_begin_from_a_snapshot() {
    let folder = kept();
    let sweep = |text: &str, out: &str| {
        fs::write(folder.path().join("s.toml"), text).expect("a file");
        let mut command = firmament(["sweep", "s.toml", "--out", out]);
        command.current_dir(&folder).assert()
    };
    sweep(SWEEP, "rows").success();
    let table = fs::read_to_string(folder.path().join("rows/results.csv")).expect("a table");
    let mut reader = table.lines();
    let head: Vec<_> = reader.next().expect("a head").split(',').collect();
    let column = |name: &str| head.iter().position(|own| *own == name).expect("a column");
    let (depth, seed, iops) = (column("iodepth"), column("seed"), column("read_iops"));
    let rows: Vec<Vec<_>> = reader.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4, "{table}");
    for row in rows {
        let (depth, seed) = (format!("--iodepth={}", row[depth]), format!("--seed={}", row[seed]));
        let from = ["--from", "drive.snap", "--output-format=json", &*depth, &*seed];
        let job = [READS[0], READS[1], READS[3], READS[4]];
        let report = json(&mut run(folder.path(), &from, &job));
        let expected = figures(&report)["read"]["iops"].as_f64().expect("a rate");
        let found: f64 = row[iops].parse().expect("a rate");
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    }
    for (more, expected) in [
        ("board = \"small\"\n", "board: found it beside from"),
        ("precondition = \"none\"\n", "precondition: found it beside from"),
    ] {
        sweep(&format!("{more}{SWEEP}"), "others").code(2).stderr(contains(expected));
    }
    let text = format!("{SWEEP}\"geometry.ways\" = [1, 2]\n");
    sweep(&text, "others").code(2).stderr(contains("a snapshot has its board"));
    let text = SWEEP.replace("drive.snap", "none.snap");
    sweep(&text, "others").code(2).stderr(contains("from: found "));
    // Rows of another snapshot are not mixed with those that are there.
    let on = ["--from", "drive.snap", "--save", "drive.snap"];
    run(folder.path(), &on, &WRITES).assert().success();
    sweep(SWEEP, "rows").code(2);
}
