//! A program whose drives have a firmware of one's own: it runs fio jobs on one, or serves one to a virtual machine.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::{env, fs, io};

use board::Board;
use host::RunError;
use machine::{Unobserved, Watched};
use report::RunResult;
use sim::Software;

use crate::serve;

/// What the command line has to be.
const USAGE: &str = "[serve] BOARD JOBS.fio-OR-SOCKET [KEY=VALUE ...]";

/// The exit code of a mistake in board, jobs or arguments, and that of a drive that failed.
const MISTAKE: u8 = 2;
const FAILURE: u8 = 1;

/// Does what the command line says on drives with the firmware `F`. `name` is that of the program.
pub fn program<F: Software<Unobserved> + Software<Watched<'static>>>(name: &str) -> ExitCode {
    match start::<F>(name) {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, line)) => {
            eprintln!("{name}: {line}");
            ExitCode::from(code)
        }
    }
}

fn start<F: Software<Unobserved> + Software<Watched<'static>>>(
    program: &str,
) -> Result<(), (u8, String)> {
    let usage = format!("expected {program} {USAGE}");
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match &arguments[..] {
        [serve, name, socket, set @ ..] if serve == "serve" => {
            let board = resolve(name, set, &usage)?;
            let result = serve::serve::<F>(&board, socket, program);
            result.map_err(|error| mistake(&error))?
        }
        [name, path, set @ ..] if name != "serve" => run::<F>(&resolve(name, set, &usage)?, path)?,
        _ => return Err(mistake(&format!("found {} arguments, {usage}", arguments.len()))),
    };
    let mut out = Vec::new();
    report::write_normal(&result, &mut out).map_err(|error| mistake(&error))?;
    // A reader that goes away has what it wanted.
    let _ = io::stdout().write_all(&out);
    match result.jobs.iter().find_map(|job| job.error.as_ref().map(|error| (&job.name, error))) {
        None => Ok(()),
        Some((job, _)) => Err((FAILURE, format!("job {job}: a command ended with an error"))),
    }
}

/// A board with values replaced, which this firmware can run.
fn resolve(name: &str, set: &[String], usage: &str) -> Result<Board, (u8, String)> {
    let split = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| mistake(&format!("argument {text}: found no =, {usage}")))
    };
    let set: Vec<_> = set.iter().map(split).collect::<Result<_, _>>()?;
    let board = Board::resolve(name, &set).map_err(|error| mistake(&error))?;
    crate::check(&board).map_err(|error| mistake(&error))?;
    Ok(board)
}

fn run<F: Software<Unobserved>>(board: &Board, path: &str) -> Result<RunResult, (u8, String)> {
    let text = fs::read_to_string(path).map_err(|error| mistake(&format!("{path}: {error}")))?;
    let jobs = host::job::parse_file(path, &text).map_err(|error| mistake(&error))?;
    crate::run::<F>(board, &jobs, path).map_err(|error| match error {
        RunError::Board(_) | RunError::Job(_) | RunError::Memory { .. } => mistake(&error),
        error => (FAILURE, error.to_string()),
    })
}

fn mistake(what: &dyn Display) -> (u8, String) {
    (MISTAKE, what.to_string())
}
