//! Files that somebody made to do harm: without an end, with what moves a terminal, in place of what is written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::firmament;

fn case(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line/hostile");
    folder.join(name).display().to_string()
}

/// Exit code 2 and one line, which holds this.
fn refused(arguments: &[&str], folder: &Path, said: &str) {
    let assert = firmament(arguments.iter().copied()).current_dir(folder).assert().code(2);
    let told = String::from_utf8(assert.get_output().stderr.clone()).expect("text");
    assert!(told.contains(said) && told.matches('\n').count() == 1, "{arguments:?}: {told}");
}

const JOB: &str = "[a]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=10\n";

/// A folder with a job, two other names of it, and a report.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    fs::write(path.join("my.fio"), JOB).expect("a job");
    fs::hard_link(path.join("my.fio"), path.join("hard")).expect("a link");
    let run = ["run", "small", "my.fio", "--json=report.json", "--output=text"];
    firmament(run).current_dir(&path).assert().success();
    (folder, path)
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_an_end_is_refused_at_its_limit() {
    let (_kept, at) = folder();
    let rows: [&[&str]; 8] = [
        &["sweep", "/dev/zero"],
        &["torture", "--replay=/dev/zero"],
        &["timeline", "/dev/zero", "--svg=x.svg"],
        &["report", "/dev/zero"],
        &["monitor", "/dev/zero"],
        &["run", "--from=/dev/zero", "my.fio"],
        &["run", "--image=/dev/zero", "small", "my.fio"],
        &["board", "fit", "/dev/zero"],
    ];
    for arguments in rows {
        refused(arguments, &at, "firmament: ");
    }
    refused(
        &["sweep", "/dev/zero"],
        &at,
        "/dev/zero: found more than 1 MiB, expected a sweep's TOML file",
    );
}

#[test]
fn a_history_of_what_there_is_not_is_one_line() {
    let file = case("history-queue.json");
    let said = "steps[0].delete-queue.queue: found 65535, expected a queue from 2 to 3";
    refused(&["torture", "--replay", &file], Path::new("."), said);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_over_what_is_read() {
    let (_kept, at) = folder();
    fs::write(at.join("my.toml"), "inherits = \"small\"\n").expect("a board");
    fs::write(at.join("sweep.toml"), "job = \"my.fio\"\nboard = \"small\"\n").expect("a sweep");
    fs::write(at.join("trace.csv"), "128166372003061629,h,0,Read,0,4096,100\n").expect("a trace");
    let read = "found a file that this command reads, expected another one to write to";
    let rows: [&[&str]; 12] = [
        &["run", "small", "my.fio", "--json=my.fio"],
        &["run", "small", "my.fio", "--html=hard"],
        &["run", "small", "my.fio", "--output=hard"],
        &["run", "small", "my.fio", "--timeline=hard"],
        &["run", "small", "my.fio", "--monitor=hard"],
        &["run", "small", "my.fio", "--save=hard"],
        &["run", "./my.toml", "my.fio", "--json=my.toml"],
        &["replay", "trace.csv", "--html=trace.csv"],
        &["report", "report.json", "--html=report.json"],
        &["compare", "report.json", "report.json", "--html=report.json"],
        &["trace", "info", "trace.csv", "--html=trace.csv"],
        &["trace", "generate", "trace.csv", "--output=trace.csv"],
    ];
    for arguments in rows {
        let before = fs::read(at.join("my.fio")).expect("the job");
        refused(arguments, &at, read);
        assert_eq!(fs::read(at.join("my.fio")).expect("the job"), before, "{arguments:?}");
    }
    refused(&["run", "small", "my.fio", "--json=new", "--html=new"], &at, "it for two reports");
    fs::hard_link(at.join("text"), at.join("same")).expect("a link");
    refused(&["run", "small", "my.fio", "--json=text", "--html=same"], &at, "it for two reports");
    let image = ["run", "small", "my.fio", "--image=drive.img", "--json=drive.img"];
    refused(&image, &at, read);
    assert!(!at.join("new").exists() && !at.join("drive.img").exists());
}

/// The report of a run whose names are these.
fn named(at: &Path, name: &str) -> String {
    let report = fs::read_to_string(at.join("report.json")).expect("a report");
    let quoted = serde_json::to_string(name).expect("a string");
    let changed = report.replace("\"a\"", &quoted);
    assert_ne!(changed, report, "the job has a name");
    fs::write(at.join("named.json"), changed).expect("a report");
    "named.json".to_owned()
}

#[test]
fn no_name_moves_a_terminal_or_looks_like_another_line() {
    let (_kept, at) = folder();
    let evil = "\u{1b}[2J\u{9b}31m\u{7}\rx\ny\u{202e}z\u{2066}";
    let file = named(&at, evil);
    let active =
        |c: char| c.is_control() && c != '\n' && c != '\t' || "\u{202e}\u{2066}".contains(c);
    for arguments in [&["report", &file][..], &["compare", &file, "report.json"]] {
        let assert = firmament(arguments.iter().copied()).current_dir(&at).assert().success();
        let text = String::from_utf8(assert.get_output().stdout.clone()).expect("text");
        assert!(!text.contains(active), "{arguments:?}: {text:?}");
        assert!(text.contains(r"\u{1b}[2J\u{9b}31m\u{7}\rx\ny\u{202e}z\u{2066}"), "{text}");
    }
    let job =
        format!("[{evil}]\nrw=sideways\n").replace(['\n', '\r'], " ") + "\nrw=\u{9b}1m\u{202e}\n";
    fs::write(at.join("evil.fio"), job).expect("a job");
    let assert = firmament(["run", "small", "evil.fio"]).current_dir(&at).assert().code(2);
    let told = String::from_utf8(assert.get_output().stderr.clone()).expect("text");
    assert!(!told.contains(active) && told.matches('\n').count() == 1, "{told:?}");
}

#[test]
fn values_in_errors_are_cut() {
    let (_kept, at) = folder();
    fs::write(at.join("long.fio"), format!("[a]\nrw={}\n", "y".repeat(10_000))).expect("a job");
    let cut = format!("rw: found \"{}…, expected read, write", "y".repeat(199));
    refused(&["run", "small", "long.fio"], &at, &cut);
}

#[test]
fn what_is_no_markup_in_a_report_is_none_on_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let place = format!("--html={}", page.display());
    firmament(["report", &case("report-escape.json"), &place]).assert().success();
    let page = fs::read_to_string(page).expect("a page");
    assert!(!page.contains("<script>alert(1)") && !page.contains("<img src=x"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

/// A board whose tables need more memory than there is.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_there_is_not_is_one_line() {
    let program = assert_cmd::cargo::cargo_bin("firmament");
    let set = "--set geometry.ways=8 --set geometry.channels=8 --rw=read --bs=4k --size=1m";
    let line = format!(
        "ulimit -v 150000; exec {} run cosmos-plus --payload=full {set}",
        program.display()
    );
    let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("a shell");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.starts_with("firmament: memory: found no ") && told.matches('\n').count() == 1,
        "{told}"
    );
}
