//! `tiny-drive run [BOARD] JOBS` runs a fio job file on a drive with the tiny firmware and prints the report;
//! `tiny-drive serve [BOARD] SOCKET` serves such a drive to a virtual machine until it is interrupted.

use std::io;
use std::process::ExitCode;

use tiny_drive::{board, run, Body};

const USAGE: &str =
    "usage: tiny-drive run|serve [--body=sim|rtl] [--set=KEY=VALUE]... [BOARD] JOBS|SOCKET";

fn main() -> ExitCode {
    match act(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("tiny-drive: {line}");
            ExitCode::from(2)
        }
    }
}

fn act(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut body, mut overrides, mut words) = (Body::Sim, Vec::new(), Vec::new());
    for argument in arguments {
        if let Some(value) = argument.strip_prefix("--body=") {
            body = match value {
                "sim" => Body::Sim,
                "rtl" => Body::Rtl,
                _ => return Err(format!("--body: found {value}, expected sim or rtl")),
            };
        } else if let Some(set) = argument.strip_prefix("--set=") {
            let (key, value) = set
                .split_once('=')
                .ok_or_else(|| format!("--set: found {set}, expected KEY=VALUE"))?;
            overrides.push((key.to_owned(), value.to_owned()));
        } else if argument.starts_with('-') {
            return Err(format!("found {argument}, expected another option; {USAGE}"));
        } else {
            words.push(argument);
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (command, name, path) = match words[..] {
        [command, path] => (command, "small", path),
        [command, name, path] => (command, name, path),
        _ => return Err(USAGE.to_owned()),
    };
    let board = board(name, &overrides)?;
    match command {
        "run" => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("{path}: found {error}, expected a fio job file"))?;
            let result = run((body, &board), (path, &text), 1)?;
            let printed = report::write_normal(&result, &mut io::stdout().lock());
            printed.map_err(|error| format!("standard output: found {error}, expected room"))?;
            match result.jobs.iter().find_map(|job| job.error.as_ref()) {
                None => Ok(()),
                Some(error) => Err(format!("a job ended with {}", error.message)),
            }
        }
        #[cfg(target_os = "linux")]
        "serve" => tiny_drive::serve((body, &board), path),
        _ => Err(format!("found {command}, expected run or serve; {USAGE}")),
    }
}
