//! Figures of the flash channel and of the host interface against those of the papers that they unite.
//!
//! `rtl-bench [--quick] [--out <directory>]` prints tables and writes `report.json`. Every figure is
//! counted in cycles of the Verilated hardware: the channel with the checking model of the chips on its
//! pins, the host interface behind a model of its link. Each stands beside a bound that was worked out by
//! hand. Exit codes: 1 if a figure passes its bound or a run fails, 2 for arguments that cannot be used.

mod bounds;
mod cosmos;
mod host;
mod jobs;
mod mix;
mod ocowfc;
mod ozone;
mod pages;
mod rig;
mod set_up;
mod table;

use serde_json::{Map, Value};
use set_up::Effort;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Table;

/// What the arguments ask for.
struct Arguments {
    effort: Effort,
    directory: PathBuf,
}

fn main() -> ExitCode {
    let arguments = match arguments(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(line) => {
            eprintln!("rtl-bench: {line}");
            return ExitCode::from(2);
        }
    };
    match bench(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(lines) => {
            lines.iter().for_each(|line| eprintln!("rtl-bench: {line}"));
            ExitCode::FAILURE
        }
    }
}

fn arguments(words: impl Iterator<Item = OsString>) -> Result<Arguments, String> {
    let mut arguments =
        Arguments { effort: Effort::FULL, directory: PathBuf::from("target/rtl-bench") };
    let mut words = words;
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--quick") => arguments.effort = Effort::QUICK,
            Some("--out") => {
                let directory = words.next();
                let missing = "--out: found nothing, expected a directory";
                arguments.directory = directory.ok_or(missing)?.into();
            }
            _ => return Err(format!("found {word:?}, expected --quick or --out <directory>")),
        }
    }
    Ok(arguments)
}

/// Measures, prints, writes. What is wrong, a line each.
fn bench(arguments: &Arguments) -> Result<(), Vec<String>> {
    let effort = arguments.effort;
    let all = [ocowfc::jobs(effort), cosmos::jobs(effort), ozone::jobs(effort)];
    let results = jobs::run(all.into_iter().flatten().collect()).map_err(|line| vec![line])?;
    let tables = [
        ocowfc::tables(effort, &results),
        cosmos::tables(effort, &results),
        ozone::tables(effort, &results),
    ];
    let links = jobs::run(host::jobs(effort)).map_err(|line| vec![line])?;
    let host = host::tables(effort, &links);
    let tables: Vec<Table> = tables.into_iter().flatten().chain(host).collect();
    tables.iter().for_each(|table| println!("{}", table.markdown()));
    let impossible: Vec<String> = tables.iter().flat_map(Table::impossible).collect();
    if !impossible.is_empty() {
        return Err(impossible);
    }
    write(&arguments.directory, &report(&tables)).map_err(|line| vec![line])
}

/// The figures with keys of their own, then everything.
fn report(tables: &[Table]) -> Value {
    let mut report = Map::new();
    for (key, value) in tables.iter().flat_map(Table::keyed) {
        report.insert(key.to_owned(), value.into());
    }
    let all = tables.iter().map(|table| (table.title.clone(), table.json()));
    report.insert("tables".to_owned(), Value::Object(all.collect()));
    Value::Object(report)
}

fn write(directory: &Path, report: &Value) -> Result<(), String> {
    let file = directory.join("report.json");
    let text = format!("{report:#}\n");
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(&file, text))
        .map_err(|error| format!("{}: found {error}, expected to write there", file.display()))
}
