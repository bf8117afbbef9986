//! Figures of the flash channel and of the host interface against those of the papers that they unite.
//!
//! `rtl-bench [--quick] [--only <part>] [--out <directory>]` prints the tables of each part as soon as they are measured, and
//! writes `report.json`, of one part `report-<part>.json`. Every figure is
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
    /// The part that is asked for, instead of all.
    only: Option<Part>,
    directory: PathBuf,
}

/// What is measured together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The flash channel as the papers that it unites measured theirs.
    Ocowfc,
    Cosmos,
    Ozone,
    /// The NVMe host interface.
    Host,
}

impl Part {
    const ALL: [Part; 4] = [Part::Ocowfc, Part::Cosmos, Part::Ozone, Part::Host];

    fn name(self) -> &'static str {
        match self {
            Part::Ocowfc => "ocowfc",
            Part::Cosmos => "cosmos",
            Part::Ozone => "ozone",
            Part::Host => "host",
        }
    }

    fn named(word: &OsString) -> Option<Self> {
        Self::ALL.into_iter().find(|part| word == part.name())
    }

    /// Measures, which takes minutes at full effort.
    fn tables(self, effort: Effort) -> Result<Vec<Table>, String> {
        Ok(match self {
            Part::Ocowfc => ocowfc::tables(effort, &jobs::run(ocowfc::jobs(effort))?),
            Part::Cosmos => cosmos::tables(effort, &jobs::run(cosmos::jobs(effort))?),
            Part::Ozone => ozone::tables(effort, &jobs::run(ozone::jobs(effort))?),
            Part::Host => host::tables(effort, &jobs::run(host::jobs(effort))?),
        })
    }
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
    let directory = PathBuf::from("target/rtl-bench");
    let mut arguments = Arguments { effort: Effort::FULL, only: None, directory };
    let mut words = words;
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--quick") => arguments.effort = Effort::QUICK,
            Some("--only") => {
                let word = words.next().unwrap_or_default();
                let names = Part::ALL.map(Part::name).join(", ");
                let refused = || format!("--only: found {word:?}, expected one of {names}");
                arguments.only = Some(Part::named(&word).ok_or_else(refused)?);
            }
            Some("--out") => {
                let directory = words.next();
                let missing = "--out: found nothing, expected a directory";
                arguments.directory = directory.ok_or(missing)?.into();
            }
            _ => {
                let expected = "--quick, --only <part> or --out <directory>";
                return Err(format!("found {word:?}, expected {expected}"));
            }
        }
    }
    Ok(arguments)
}

/// Measures and prints a part after the other, and writes. What is wrong, a line each.
fn bench(arguments: &Arguments) -> Result<(), Vec<String>> {
    let only = arguments.only;
    let mut tables = vec![];
    for part in Part::ALL.into_iter().filter(|part| only.is_none_or(|only| only == *part)) {
        let measured = part.tables(arguments.effort).map_err(|line| vec![line])?;
        measured.iter().for_each(|table| println!("{}", table.markdown()));
        tables.extend(measured);
    }
    let impossible: Vec<String> = tables.iter().flat_map(Table::impossible).collect();
    if !impossible.is_empty() {
        return Err(impossible);
    }
    let name = only.map_or("report.json".to_owned(), |part| format!("report-{}.json", part.name()));
    write(&arguments.directory.join(name), &report(&tables)).map_err(|line| vec![line])
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

fn write(file: &Path, report: &Value) -> Result<(), String> {
    let text = format!("{report:#}\n");
    fs::create_dir_all(file.parent().unwrap_or(Path::new("")))
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{}: found {error}, expected to write there", file.display()))
}
