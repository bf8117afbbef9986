//! `firmament board fit`: a board out of what the program itself measured.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{firmament, json, stdout};

/// A folder with `drive.json`, what the board `small` with slower reads measured.
fn measured() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let job = ["--rw=randread", "--bs=4k", "--size=16m", "--number_ios=200", "--direct=1"];
    let mut run = firmament(["run", "small", "--set", "flash.t_read_slc_us=150"]);
    run.args(job).args(["--output-format=json", "--output", "drive.json"]);
    run.current_dir(folder.path()).assert().success();
    folder
}

/// Arguments of a fit that takes next to no time.
const FIT: [&str; 9] = [
    "board",
    "fit",
    "drive.json",
    "--base",
    "small",
    "--fit",
    "flash.t_read_slc_us",
    "--fit",
    "flash.t_erase_us",
];

#[test]
fn a_board_is_written_that_gives_what_was_measured() {
    let folder = measured();
    let mut fit = firmament(FIT);
    fit.args(["--output", "mine.toml", "--json", "fit.json"]).current_dir(folder.path());
    let told = stdout(&mut fit);
    assert!(told.starts_with("small fitted to drive.json: "), "{told}");
    let resolved = stdout(firmament(["board", "mine.toml"]).current_dir(folder.path()));
    let read = resolved.lines().find(|line| line.starts_with("t_read_slc_us")).unwrap();
    assert!(read.contains("source = \"fitted to drive.json by firmament board fit"), "{read}");
    assert!(resolved.contains("t_erase_us = { value = 5000, source = \"Cosmos+ Table 5\""));

    let found: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("fit.json")).unwrap()).unwrap();
    let [read, erase] = &found["keys"].as_array().unwrap()[..] else { panic!("two keys") };
    assert_eq!(
        (&read["verdict"], &erase["verdict"]),
        (&"determined".into(), &"not determined".into())
    );
    assert!((145.0..155.0).contains(&read["fitted"][0].as_f64().unwrap()), "{read}");
    assert_eq!((&erase["fitted"], &erase["moves_most"]), (&erase["base"], &Value::Null));

    let mut again = firmament(["run", "mine.toml", "--rw=randread", "--bs=4k", "--size=16m"]);
    again.args(["--number_ios=200", "--output-format=json"]).current_dir(folder.path());
    let iops = |report: &Value| report["jobs"][0]["read"]["iops"].as_f64().unwrap();
    let measured = fs::read_to_string(folder.path().join("drive.json")).unwrap();
    let measured = iops(&serde_json::from_str(&measured).unwrap());
    assert!((iops(&json(&mut again)) / measured - 1.0).abs() < 0.01, "{told}");
}

#[test]
fn a_board_beside_its_base_and_one_elsewhere_inherit_from_it() {
    let folder = measured();
    let base = "inherits = \"small\"\ndescription = \"mine\"\n[flash]\nt_read_slc_us = 120\n";
    fs::write(folder.path().join("base.toml"), base).unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    let boards = ["fitted.toml", "below/fitted.toml"].map(|output| {
        let mut fit = firmament(["board", "fit", "drive.json", "--base", "base.toml"]);
        fit.args(["--fit", "flash.t_read_slc_us", "--output", output]).current_dir(folder.path());
        fit.assert().success();
        stdout(firmament(["board", output]).current_dir(folder.path()))
    });
    assert_eq!(boards[0], boards[1]);
    let beside = fs::read_to_string(folder.path().join("fitted.toml")).unwrap();
    assert!(beside.contains("inherits = \"base.toml\"\n"), "{beside}");
}

/// fio measures the page cache without it.
#[test]
fn a_job_without_direct_is_warned_of() {
    let folder = measured();
    let path = folder.path().join("drive.json");
    let report = fs::read_to_string(&path).unwrap();
    let fios = report
        .replace("\"direct\": \"1\"", "\"direct\": \"0\"")
        .replace("\"firmament\"", "\"other\"");
    fs::write(&path, fios).unwrap();
    let output = firmament(FIT).current_dir(folder.path()).output().unwrap();
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{warned}");
    let start = "firmament: warning: drive.json: jobs[0] (job1): direct: found no direct=1";
    assert!(warned.starts_with(start) && warned.lines().count() == 1, "{warned}");
}
