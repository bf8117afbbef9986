//! `tiny-drive BOARD JOBS.fio [KEY=VALUE ...]` runs fio jobs on a drive whose firmware is that of `examples/tiny-firmware`.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::{env, fs, io};

use board::Board;
use host::RunError;
use tiny_firmware::TinyFirmware;

/// What the command line has to be.
const USAGE: &str = "expected tiny-drive BOARD JOBS.fio [KEY=VALUE ...]";

/// The exit code of a mistake in board, jobs or arguments, and that of a drive that failed.
const MISTAKE: u8 = 2;
const FAILURE: u8 = 1;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, line)) => {
            eprintln!("tiny-drive: {line}");
            ExitCode::from(code)
        }
    }
}

fn start() -> Result<(), (u8, String)> {
    let mistake = |what: &dyn Display| (MISTAKE, what.to_string());
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, path, set @ ..] = &arguments[..] else {
        return Err(mistake(&format!("found {} arguments, {USAGE}", arguments.len())));
    };
    let split = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| mistake(&format!("argument {text}: found no =, {USAGE}")))
    };
    let set: Vec<_> = set.iter().map(split).collect::<Result<_, _>>()?;
    let board = Board::resolve(name, &set).map_err(|error| mistake(&error))?;
    tiny_drive::check(&board).map_err(|error| mistake(&error))?;
    let text = fs::read_to_string(path).map_err(|error| mistake(&format!("{path}: {error}")))?;
    let jobs = host::job::parse_file(path, &text).map_err(|error| mistake(&error))?;
    let result =
        tiny_drive::run::<TinyFirmware>(&board, &jobs, path).map_err(|error| match error {
            RunError::Board(_) | RunError::Job(_) | RunError::Memory { .. } => mistake(&error),
            error => (FAILURE, error.to_string()),
        })?;
    let mut out = Vec::new();
    report::write_normal(&result, &mut out).map_err(|error| mistake(&error))?;
    // A reader that goes away has what it wanted.
    let _ = io::stdout().write_all(&out);
    match result.jobs.iter().find_map(|job| job.error.as_ref().map(|error| (&job.name, error))) {
        None => Ok(()),
        Some((job, _)) => Err((FAILURE, format!("job {job}: a command ended with an error"))),
    }
}
