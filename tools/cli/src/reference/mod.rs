//! The command `reference`: tables of the documentation, made of what the program itself goes by.
//!
//! A page holds such a table between a line that names the command and a line that ends it. `reference into` writes all
//! of a page anew; a test fails where a page does not have what the command prints.

mod board_keys;
mod fio_options;
mod page;
mod report_fields;

use std::fs;
use std::io::Write;
use std::path::Path;

use foreign::input;

use crate::arguments::{ReferenceArguments, Subject};
use crate::output;
use recipe::Failure;

/// Prints a table, or writes pages.
pub fn reference(arguments: &ReferenceArguments) -> Result<(), Failure> {
    match &arguments.subject {
        Subject::Into { pages } => pages.iter().try_for_each(|page| write(page)),
        subject => {
            let text = table(subject)?;
            output::print(|out| out.write_all(text.as_bytes()))
        }
    }
}

/// What a command prints, as Markdown.
fn table(subject: &Subject) -> Result<String, Failure> {
    match subject {
        Subject::BoardKeys { section } => board_keys::table(section),
        Subject::FioOptions { state } => Ok(fio_options::table(*state)),
        Subject::ReportFields => Ok(report_fields::sections()),
        Subject::Into { .. } => {
            Err(Failure::unexpected("reference", "into", "a command that prints a table"))
        }
    }
}

fn write(page: &Path) -> Result<(), Failure> {
    let text = input::text(page, input::OF_PROGRAM)
        .map_err(|error| Failure::file(page, &error, "a page that can be read"))?;
    let anew = page::anew(&page.display().to_string(), &text)?;
    if anew == text {
        return Ok(());
    }
    fs::write(page, anew).map_err(|error| Failure::file(page, &error, "a page that can be written"))
}
