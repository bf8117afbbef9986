//! The command `serve`, up to the point where a virtual machine would come.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use crate::program::{firmament, names};

/// A program that serves and has said so.
struct Served {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Served {
    fn start(directory: &Path, more: &[&str]) -> Self {
        Self::start_board(directory, "small", more)
    }

    fn start_board(directory: &Path, board: &str, more: &[&str]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("firmament"))
            .args(["serve", board, "--vfio-user", "drive.sock"])
            .args(more)
            .current_dir(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        assert_eq!(line(&mut said), format!("firmament: serving {board} at drive.sock"));
        Served { child, said }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends the program; what it printed to standard output.
    fn end(mut self, signal: &str) -> String {
        self.signal(signal);
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        printed
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    line.trim_end().to_string()
}

#[test]
fn reports_come_at_the_end_and_when_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("drive.sock");
    let reports = ["--json", "out.json", "--html", "out.html", "--output-format=json"];
    let monitor = ["--monitor", "out.jsonl", "--monitor-interval=1ms", "--pace=fast"];
    let mut served = Served::start(directory.path(), &[&reports[..], &monitor].concat());
    assert!(socket.metadata().unwrap().file_type().is_socket());
    let client = UnixStream::connect(&socket).unwrap();
    assert_eq!(line(&mut served.said), "firmament: a client is connected");
    drop(client);
    assert_eq!(line(&mut served.said), "firmament: the client is gone: it closed the connection");
    served.signal("-USR1");
    while !directory.path().join("out.html").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::fs::remove_file(directory.path().join("out.html")).unwrap();
    let printed = served.end("-TERM");
    let reports: Vec<Value> =
        serde_json::Deserializer::from_str(&printed).into_iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(reports.len(), 2);
    for report in &reports {
        assert_eq!(report["firmament"]["board"], "small");
        assert_eq!(report["jobs"][0]["jobname"], "guest");
        assert_eq!(report["firmament"]["drift_ns"], Value::Null);
    }
    assert_eq!(names(directory.path()), ["out.html", "out.json", "out.jsonl"]);
}

#[test]
fn an_open_channel_drive_is_served_and_watched() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--monitor", "out.jsonl", "--monitor-interval=1ms", "--output-format=json"];
    let mut served = Served::start_board(directory.path(), "cosmos-plus-ocssd", &more);
    let client = UnixStream::connect(directory.path().join("drive.sock")).unwrap();
    assert_eq!(line(&mut served.said), "firmament: a client is connected");
    drop(client);
    let printed = served.end("-TERM");
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["firmament"]["board"], "cosmos-plus-ocssd");
    let text = std::fs::read_to_string(directory.path().join("out.jsonl")).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&header["channels"], &header["ways"]), (&Value::from(8), &Value::from(8)));
}

#[test]
fn a_drive_in_real_time_reports_its_drift() {
    let directory = tempfile::tempdir().unwrap();
    let printed = Served::start(directory.path(), &[]).end("-INT");
    assert!(printed.contains("  Drift: 0 interrupts later than in virtual time by"), "{printed}");
}

#[test]
fn what_cannot_be_served_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    let served = Served::start(directory.path(), &[]);
    for (arguments, expected) in [
        (&["--vfio-user", "drive.sock"][..], "drive.sock: found a server that listens, expected"),
        (&["--vfio-user", "file"], "file: found something that is no socket, expected"),
        (&["--vfio-user", "a/b"], "a/b: found No such file or directory"),
        (&["--vfio-user", ""], "--vfio-user: found nothing, expected a value"),
        (&["none", "--vfio-user", "x"], "none"),
        (&["--vfio-user", "x", "--pace", "slow"], "--pace: found \"slow\", expected real or fast"),
        (&["--vfio-user", "x", "--serial=-1"], "--serial: found \"-1\""),
        (&["--vfio-user", "x", "--json", "r", "--html", "r"], "r: found it for two reports"),
        (&[], "too few arguments"),
    ] {
        let one_line = predicate::function(|text: &str| text.lines().count() == 1);
        let mut command = firmament(["serve"]);
        let assert = command.args(arguments).current_dir(&directory).assert();
        assert.code(2).stdout("").stderr(contains(expected).and(one_line));
    }
    served.end("-TERM");
    assert_eq!(names(directory.path()), ["file"]);
}

#[test]
fn help_prints_the_line_for_qemu() {
    let line = r#"-device '{"driver":"vfio-user-pci","socket":{"type":"unix","path":"SOCKET"}}'"#;
    let told = contains(line).and(contains("memory-backend-memfd,id=mem0,size=2G,share=on"));
    firmament(["serve", "--help"]).assert().success().stdout(told).stderr("");
}
