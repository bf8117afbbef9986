//! Runs the program and takes what it prints.

use std::ffi::OsStr;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use assert_cmd::Command;
use serde_json::Value;

/// A short job for the board `small`, as options.
pub const SHORT_JOB: [&str; 5] =
    ["--rw=randrw", "--bs=4k", "--iodepth=8", "--size=4m", "--loops=2"];

/// The program with these arguments.
pub fn firmament<T: AsRef<OsStr>>(arguments: impl IntoIterator<Item = T>) -> Command {
    let mut command = cargo_bin_cmd!("firmament");
    command.args(arguments);
    command
}

/// The program with `run small`, [`SHORT_JOB`] and further arguments.
pub fn short_run(more: &[&str]) -> Command {
    let mut command = firmament(["run", "small"]);
    command.args(SHORT_JOB).args(more);
    command
}

/// What a program that succeeds prints to standard output.
pub fn stdout(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    String::from_utf8(output.stdout).expect("the program prints UTF-8")
}

/// The JSON that a program that succeeds prints.
pub fn json(command: &mut Command) -> Value {
    serde_json::from_str(&stdout(command)).expect("the program prints JSON")
}

/// Names of all files in a directory, hidden ones included, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = directory.read_dir().expect("the directory can be read");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
