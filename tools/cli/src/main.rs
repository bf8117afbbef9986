//! Firmament: the open SSD that anyone can boot.
//!
//! The program only reads arguments and places reports; what it does is in the crates `board`,
//! `fit`, `host`, `pci`, `sim`, `report`, `study`, `sweep`, `timeline`, `torture` and `trace`. Exit codes: 0 for success; 1 when the drive
//! failed (wrong data, or a job that ended with I/O errors) or a study measured something else than was
//! published, or a point of a sweep failed; 2 for input that cannot be used; 128, as fio's, when a signal ended a run; 101 for a panic, which is a
//! fault of Firmament. Each failure is one line on standard error.

mod arguments;
mod boards;
mod body;
mod command_line;
mod compare;
mod completions;
mod fail_if;
mod fio_help;
mod fio_program;
mod fio_showcmd;
mod fit;
mod image;
mod inputs;
#[cfg(target_os = "linux")]
mod linux_calibrate;
#[cfg(target_os = "linux")]
mod linux_guest;
mod manual;
mod memory;
mod new_policy;
mod output;
#[cfg(test)]
mod pages;

mod program;
mod progress;
mod reference;
mod replay;
mod report_file;
mod reports;
mod requests;
mod rerun;
mod run;
#[cfg(target_os = "linux")]
mod serve;
mod signals;
mod study;
mod sweep;
mod timeline;
mod timeline_around;
mod torture;
mod trace;
mod usage;
mod watch;

use std::io::{self, IsTerminal, Write};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::Parser;

#[cfg(target_os = "linux")]
use crate::arguments::LinuxAction;
use crate::arguments::{Arguments, BoardAction, Command, NewAction};
use crate::command_line::CommandLine;
use foreign::one_line;
use recipe::{Failure, INTERNAL_ERROR};

fn main() -> ExitCode {
    panic::set_hook(Box::new(tell_panic));
    match panic::catch_unwind(start) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            tell(&format!("firmament: {failure}"));
            failure.exit_code()
        }
        Err(_) => ExitCode::from(INTERNAL_ERROR),
    }
}

fn start() -> Result<(), Failure> {
    let arguments = std::env::args_os()
        .map(|argument| argument.into_string())
        .collect::<Result<Vec<String>, _>>()
        .map_err(|argument| {
            Failure::unexpected("command line", format!("{argument:?}"), "UTF-8 text")
        })?;
    let line = CommandLine::divide(arguments)?;
    match Arguments::try_parse_from(line.own) {
        Ok(Arguments { command: Command::Run(run) }) => run::run(&run, &line.fio),
        #[cfg(target_os = "linux")]
        Ok(Arguments { command: Command::Serve(serve) }) => serve::serve(&serve),
        #[cfg(target_os = "linux")]
        Ok(Arguments { command: Command::Linux(what) }) => match &what.action {
            Some(LinuxAction::Calibrate(what)) => linux_calibrate::calibrate(what),
            None => linux_guest::boot(&what),
        },
        Ok(Arguments { command: Command::Rerun(report) }) => rerun::rerun(&report),
        Ok(Arguments { command: Command::Compare(reports) }) => compare::compare(&reports),
        Ok(Arguments { command: Command::Report(report) }) => compare::draw(&report),
        Ok(Arguments { command: Command::Boards }) => boards::list(),
        Ok(Arguments { command: Command::Board(board) }) => match &board.action {
            Some(BoardAction::Fit(what)) => fit::fit(what),
            None => boards::show(&board),
        },
        Ok(Arguments { command: Command::Timeline(picture) }) => timeline::draw(&picture),
        Ok(Arguments { command: Command::Monitor(monitor) }) => watch::watch(&monitor),
        Ok(Arguments { command: Command::Image(image) }) => image::image(&image.action),
        Ok(Arguments { command: Command::Study(study) }) => study::study(&study),
        Ok(Arguments { command: Command::Sweep(points) }) => sweep::sweep(&points),
        Ok(Arguments { command: Command::Torture(rounds) }) => torture::torture(&rounds),
        Ok(Arguments { command: Command::Replay(traces) }) => replay::replay(&traces),
        Ok(Arguments { command: Command::Trace(what) }) => trace::trace(&what.action),
        Ok(Arguments { command: Command::New(what) }) => match &what.action {
            NewAction::Policy(policy) => new_policy::make(policy),
        },
        Ok(Arguments { command: Command::Completions(shell) }) => completions::print(&shell),
        Ok(Arguments { command: Command::Man(place) }) => manual::write(&place),
        Ok(Arguments { command: Command::Reference(what) }) => reference::reference(&what),
        Err(asked) if !asked.use_stderr() => {
            // Help and version; a reader that went away is no failure.
            let _ = asked.print();
            Ok(())
        }
        Err(error) => Err(usage::failure(&error)),
    }
}

/// Writes a line to standard error, if anybody listens. Names in it may be others'.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(line));
}

/// One line in place of the usual message.
fn tell_panic(info: &PanicHookInfo<'_>) {
    if host::panic_is_contained(info) {
        return;
    }
    let payload = info.payload();
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no message",
    };
    let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
    // A progress bar may stand in the line.
    let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    let _ = write!(io::stderr(), "{clear}");
    tell(&format!(
        "firmament: internal error: {message}{place}; please report it with the command line"
    ));
}
