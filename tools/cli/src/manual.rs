//! The command `man`: a page for the program, and one for each of its commands.

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::{Arguments, ManArguments};
use crate::program::VERSION;
use recipe::Failure;

/// Writes all pages into the directory, which is made if it is not there.
pub fn write(arguments: &ManArguments) -> Result<(), Failure> {
    let directory = &arguments.directory;
    fs::create_dir_all(directory)
        .map_err(|error| Failure::file(directory, &error, "a directory that can be made"))?;
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    write_pages(program, "firmament", directory)
}

/// Writes the page of a command, and those of the commands below it. `name` is that of the page.
fn write_pages(command: Command, name: &str, directory: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below.clone(), &format!("{name}-{}", below.get_name()), directory)?;
    }
    // Each command's own display name is the program's, for `--version`.
    let page = Man::new(command.display_name(name.to_owned()).version(VERSION))
        .source(format!("firmament {VERSION}"))
        .manual("Firmament");
    let mut text = Vec::new();
    page.render(&mut text).expect("memory takes all that is written");
    let file = directory.join(page.get_filename());
    fs::write(&file, text)
        .map_err(|error| Failure::file(&file, &error, "a file that can be written"))
}
