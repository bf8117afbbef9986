//! The commands `compare` and `report`: reports that were written earlier, beside each other or drawn.

use std::path::Path;

use board::Board;
use foreign::one_line;
use report::{
    read_json, write_comparison, write_comparison_html, Compared, Comparison, JobSource,
    Provenance, RunResult, Setting, TraceOrigin,
};

use crate::arguments::{CompareArguments, DrawArguments};
use crate::output::{print, Destination};
use crate::paired;
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
    let (settings, paired) = (settings(&runs), paired::paired(&runs));
    let comparison = Comparison { reports: compared.collect(), settings, paired };
    print(|out| write_comparison(&comparison, out))?;
    if let Some(page) = page {
        page.write(|out| write_comparison_html(&comparison, out))?;
    }
    paired::check(&arguments.fail_if, (&names, &comparison.paired))
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

/// What was not the same in all runs.
fn settings(runs: &[RunResult]) -> Vec<Setting> {
    let each: Vec<_> = runs.iter().map(|run| decisive(run.provenance.as_ref())).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in each.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let setting = |name: &String| {
        let value = |of: &Vec<(String, String)>| {
            let found = of.iter().find(|(known, _)| known == name);
            found.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
        };
        Setting { name: name.clone(), values: each.iter().map(value).collect() }
    };
    let differs = |setting: &Setting| setting.values.iter().any(|v| *v != setting.values[0]);
    names.into_iter().map(setting).filter(differs).collect()
}

/// All that decides a run, by name.
fn decisive(provenance: Option<&Provenance>) -> Vec<(String, String)> {
    let Some(run) = provenance else { return Vec::new() };
    let jobs = match &run.jobs {
        JobSource::File { text, .. } => text.trim().replace('\n', " ⏎ "),
        JobSource::Options(options) => {
            let option = |(key, value): &(String, String)| format!("--{key}={value}");
            options.iter().map(option).collect::<Vec<_>>().join(" ")
        }
        JobSource::Traces { files, options } => {
            let file = |file: &TraceOrigin| format!("{} ({})", file.name, file.sha256);
            let option = |(key, value): &(String, String)| format!("--{key}={value}");
            let words = files.iter().map(file).chain(options.iter().map(option));
            words.collect::<Vec<_>>().join(" ")
        }
        JobSource::Program { name, text, options } => {
            let option = |(key, value): &(String, String)| format!("{key}={value}");
            let options: Vec<String> = options.iter().map(option).collect();
            format!("{name}, {}: {}", options.join(", "), text.trim().replace('\n', " ⏎ "))
        }
        JobSource::Guest => "a guest".to_owned(),
    };
    let mut all = vec![
        ("version", run.version.clone()),
        ("commit", run.commit.clone()),
        ("board", run.board.name.clone()),
        ("jobs", jobs),
        ("seed", run.seed.to_string()),
        ("precondition", run.precondition.clone()),
        ("payload", run.payload.clone()),
        ("polling", run.polling.clone()),
    ];
    let board = Board::parse(&format!("{}.toml", run.board.name), &run.board.toml);
    if let Ok(board) = &board {
        all.extend(board.values().map(|(key, value)| (key, value.to_owned())));
    }
    all.into_iter().map(|(name, value)| (name.to_owned(), one_line(&value))).collect()
}
