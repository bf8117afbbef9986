//! The command `completions`.

use std::io::Write;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::output;
use recipe::Failure;

/// Prints the file by which a shell completes the program's commands and options.
pub fn print(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut program = Arguments::command();
    let name = program.get_name().to_owned();
    let mut file = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, name, &mut file);
    output::print(|out| out.write_all(&file))
}
