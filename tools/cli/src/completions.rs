//! The command `completions`.

use std::io::Write;

use clap::{Command, CommandFactory};
use recipe::Failure;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::output;
use crate::program::VERSION;

/// What is completed.
const NAME: &str = "firmament";

/// Prints the file by which a shell completes the program's commands and options.
pub fn print(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut program = shown();
    let mut file = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, NAME, &mut file);
    output::print(|out| out.write_all(&file))
}

/// The program without the commands that are hidden, which the generator would offer.
fn shown() -> Command {
    let whole = Arguments::command();
    let commands = whole.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new(NAME)
        .version(VERSION)
        .propagate_version(true)
        .args(whole.get_arguments())
        .subcommands(commands)
}
