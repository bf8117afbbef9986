//! Reports in files, and a reader that goes away.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{firmament, json, names, short_run, stdout};

#[test]
fn reports_go_to_the_files_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("report.txt"), "what was there before").unwrap();
    let files = ["--output=report.txt", "--json=report.json", "--html=report.html"];
    short_run(&files).current_dir(&directory).assert().success().stdout("").stderr("");
    assert_eq!(names(directory.path()), ["report.html", "report.json", "report.txt"]);
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert!(read("report.txt").starts_with("job1: (g=0): rw=randrw"));
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(report["firmament"]["requests"], 2048);
    let page = read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("<svg"));
    // One file with all that it needs.
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
}

#[cfg(unix)]
#[test]
fn a_new_report_is_as_readable_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let mode = |name: &str| {
        fs::metadata(directory.path().join(name)).unwrap().permissions().mode() & 0o777
    };
    fs::write(directory.path().join("plain"), "").unwrap();
    short_run(&["--output=report"]).current_dir(&directory).assert().success();
    assert_eq!(mode("report"), mode("plain"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_takes_any_number_of_reports() {
    let files = ["--output=/dev/null", "--html=/dev/null"];
    short_run(&files).assert().success().stdout("").stderr("");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told() {
    let assert = short_run(&["--output=/dev/full"]).assert().code(2).stdout("");
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.starts_with("firmament: /dev/full: found No space left on device"), "{told}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let long = stdout(&mut firmament(["board", "cosmos-plus"]));
    assert!(long.len() > 4096, "too short to fill more than what the reader takes");
    for arguments in [&["board", "cosmos-plus"][..], &["boards"], &["--help"]] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("firmament"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!((child.wait().unwrap().code(), told.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn json_goes_to_standard_output_in_place_of_the_text() {
    let report = json(short_run(&[]).arg("--json=-"));
    assert_eq!(report["firmament"]["requests"], 2048);
    let directory = tempfile::tempdir().unwrap();
    let files = ["--json", "-", "--output=report.txt"];
    json(short_run(&files).current_dir(&directory));
    assert_eq!(names(directory.path()), ["report.txt"]);
    let twice =
        "firmament: standard output: found it for two reports, expected one report there and \
                 files for the others\n";
    short_run(&["--json=-", "--html=-"]).assert().code(2).stdout("").stderr(twice);
}
