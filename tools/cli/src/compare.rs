//! The commands `compare` and `report`: reports that were written earlier, beside each other or drawn.

use std::path::Path;

use report::{read_json, write_comparison, write_comparison_html, Compared, Comparison, RunResult};

use crate::arguments::{CompareArguments, DrawArguments};
use crate::fail_if;
use crate::output::{print, Destination};
use crate::report_file;
use recipe::Failure;

/// Prints reports beside each other.
///
/// # Errors
/// When a file is no report of this version, or the page cannot be written.
pub fn compare(arguments: &CompareArguments) -> Result<(), Failure> {
    let page = arguments.html.as_deref().map(Destination::new).transpose()?;
    let names: Vec<_> = arguments.reports.iter().map(|path| path.display().to_string()).collect();
    let runs =
        arguments.reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, Failure>>()?;
    let compared = names.iter().zip(&runs).map(|(name, run)| Compared { name, run });
    let (settings, paired) = (recipe::settings(&runs), recipe::paired(&runs));
    let comparison = Comparison { reports: compared.collect(), settings, paired };
    print(|out| write_comparison(&comparison, out))?;
    if let Some(page) = page {
        page.write(|out| write_comparison_html(&comparison, out))?;
    }
    fail_if::check(&arguments.fail_if, &names, &comparison.paired)
}

/// Prints a report again as text, or draws its page.
///
/// # Errors
/// When the file is no report of this version, or the page cannot be written.
pub fn draw(arguments: &DrawArguments) -> Result<(), Failure> {
    let page = arguments.html.as_deref().map(Destination::new).transpose()?;
    let run = read(&arguments.report)?;
    match page {
        Some(page) => page.write(|out| report::write_html(&run, out)),
        None => print(|out| report::write_normal(&run, out)),
    }
}

fn read(path: &Path) -> Result<RunResult, Failure> {
    let unfit = |error| Failure::Input(format!("{}: {error}", path.display()));
    read_json(&report_file::read(path)?).map_err(unfit)
}
