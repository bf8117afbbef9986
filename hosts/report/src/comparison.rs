//! Reports beside each other: what is compared, and the comparison as text.

use crate::direction::Direction;
use crate::letters::letter;
use crate::paired::{write_paired, Paired};
use crate::quantity::{count, rate, time};
use crate::result::{DirectionResult, JobResult, RunResult};
use contract::Cause;
use std::io::{self, Write};

/// Width of a column of values.
const COLUMN: usize = 12;
/// Width of the names left of them.
const NAMES: usize = 30;

/// Reports to compare, the first of which the others are held against.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// In the order in which they were given.
    pub reports: Vec<Compared<'a>>,
    /// What was not the same in all of them.
    pub settings: Vec<Setting>,
    /// What seeds tell, of each report but the first.
    pub paired: Vec<Paired>,
}

/// A report to compare.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// What the report is called, such as the name of its file.
    pub name: &'a str,
    /// What the report tells.
    pub run: &'a RunResult,
}

/// Something that decides a run, and what it was in each report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `seed` or a key of the board.
    pub name: String,
    /// Its values, in the order of the reports.
    pub values: Vec<String>,
}

/// A job in a direction, in all reports that have it.
pub(crate) struct Load<'a> {
    /// Job and direction in words.
    pub(crate) name: String,
    /// What the job did in this direction in each report.
    pub(crate) results: Vec<Option<Done<'a>>>,
}

/// What a job did in a direction in one report.
#[derive(Clone, Copy)]
pub(crate) struct Done<'a> {
    run: &'a RunResult,
    job: &'a JobResult,
    /// The counters.
    pub(crate) result: &'a DirectionResult,
}

/// A figure of a job in a direction.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) value: fn(Done<'_>) -> Option<f64>,
    pub(crate) text: fn(f64) -> String,
}

/// The figures that do not depend on how a latency is divided.
pub(crate) const FIGURES: [Figure; 7] = [
    Figure { name: "IOPS", value: |done| Some(done.result.iops()), text: count },
    Figure { name: "bandwidth", value: |done| Some(done.result.bandwidth()), text: rate },
    Figure { name: "clat mean", value: |done| Some(done.result.clat.mean_ns()), text: time },
    Figure { name: "clat p50", value: |done| percentile(done, 50.0), text: time },
    Figure { name: "clat p99", value: |done| percentile(done, 99.0), text: time },
    Figure { name: "clat p99.9", value: |done| percentile(done, 99.9), text: time },
    Figure {
        name: "write amplification",
        value: amplification,
        text: |factor| format!("{factor:.3}"),
    },
];

fn percentile(done: Done<'_>, percentile: f64) -> Option<f64> {
    Some(done.result.clat.percentile_ns(percentile) as f64)
}

fn amplification(done: Done<'_>) -> Option<f64> {
    done.job.writes?.write_amplification(done.run.page_bytes)
}

impl RunResult {
    /// What each job is called where jobs are told apart: by its name, and by its number among jobs of this name behind the first.
    pub fn labels(&self) -> Vec<String> {
        let label = |(index, job): (usize, &JobResult)| {
            let same = |other: &&JobResult| other.name == job.name;
            match self.jobs[..index].iter().filter(same).count() {
                0 => job.name.clone(),
                before => format!("{} ({})", job.name, before + 1),
            }
        };
        self.jobs.iter().enumerate().map(label).collect()
    }
}

/// A row of the comparison: a name, the values, and by how much each differs from the first.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
    /// In percent; nothing for the first, and where there is nothing to divide by.
    pub(crate) changes: Vec<Option<f64>>,
}

impl<'a> Comparison<'a> {
    /// All jobs and directions of the reports, in the order in which they come up. Jobs of one name are
    /// told apart by their order.
    pub(crate) fn loads(&self) -> Vec<Load<'a>> {
        let mut loads: Vec<Load<'a>> = Vec::new();
        for (nth, Compared { run, .. }) in self.reports.iter().enumerate() {
            for (label, job) in run.labels().iter().zip(&run.jobs) {
                for direction in Direction::ALL {
                    let Some(result) = job.active(direction) else { continue };
                    let name = format!("{label} {}", direction.name());
                    let place = loads.iter().position(|load| load.name == name);
                    let place = place.unwrap_or_else(|| {
                        loads.push(Load { name, results: vec![None; self.reports.len()] });
                        loads.len() - 1
                    });
                    loads[place].results[nth] = Some(Done { run, job, result });
                }
            }
        }
        loads
    }
}

impl Load<'_> {
    /// All figures of the load, and the mean time of each cause.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let figures = FIGURES.iter().map(|figure| {
            let values = self.results.iter().map(|done| (figure.value)((*done)?));
            row(figure.name.to_string(), values.collect(), figure.text)
        });
        let causes = Cause::ALL.iter().filter_map(|&cause| {
            let mean = |done: &Done<'_>| {
                done.result.cause_shares()[cause as usize] * done.result.clat.mean_ns()
            };
            let values = self.results.iter().map(|done| done.as_ref().map(mean));
            let values: Vec<Option<f64>> = values.collect();
            let passes = values.iter().flatten().any(|mean_ns| *mean_ns > 0.0);
            passes.then(|| row(cause.name().to_string(), values, time))
        });
        figures
            .chain(causes)
            .filter(|row| row.values.iter().any(|value| value != NOTHING))
            .collect()
    }
}

/// The seed that a report's own tables and curves are of.
pub(crate) fn seed_told(run: &RunResult) -> String {
    match &run.over_seeds {
        None => format!("seed {}", run.seed),
        Some(over) => format!("seed {}, the first of {}", run.seed, over.seeds.len()),
    }
}

/// What stands for a value that is not there.
const NOTHING: &str = "–";

fn row(name: String, values: Vec<Option<f64>>, text: fn(f64) -> String) -> Row {
    let first = values.first().copied().flatten();
    let change = |value: &Option<f64>| {
        let (value, first) = ((*value)?, first.filter(|first| *first != 0.0)?);
        Some(100.0 * (value / first - 1.0))
    };
    Row {
        name,
        changes: [None].into_iter().chain(values.iter().skip(1).map(change)).collect(),
        values: values.iter().map(|v| v.map_or_else(|| NOTHING.to_string(), text)).collect(),
    }
}

/// A change in percent, as `+1.2 %`.
pub(crate) fn change_text(change: f64) -> String {
    format!("{change:+.1} %")
}

/// Writes the comparison as text.
///
/// # Errors
/// The errors of `out`.
pub fn write_comparison(comparison: &Comparison<'_>, out: &mut impl Write) -> io::Result<()> {
    for (nth, Compared { name, run }) in comparison.reports.iter().enumerate() {
        let RunResult { board, job_file, .. } = run;
        writeln!(out, "{}: {name} ({board}, {job_file}, {})", letter(nth), seed_told(run))?;
    }
    write_settings(comparison, out)?;
    for load in comparison.loads() {
        writeln!(out, "\n{}:", load.name)?;
        let letters: Vec<_> = (0..comparison.reports.len()).map(letter).collect();
        write_row(("", &letters, &vec![None; letters.len()]), out)?;
        for Row { name, values, changes } in load.rows() {
            write_row((&name, &values, &changes), out)?;
        }
    }
    write_paired(&comparison.paired, out)
}

fn write_settings(comparison: &Comparison<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nWhat was not the same:")?;
    if comparison.settings.is_empty() {
        return writeln!(out, "  nothing");
    }
    for Setting { name, values } in &comparison.settings {
        let named =
            values.iter().enumerate().map(|(nth, value)| format!("{} {value}", letter(nth)));
        writeln!(out, "  {name}: {}", named.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

fn write_row(
    (name, values, changes): (&str, &[String], &[Option<f64>]),
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "  {name:NAMES$}")?;
    for (value, change) in values.iter().zip(changes) {
        write!(out, " {value:>COLUMN$}")?;
        if let Some(change) = change {
            write!(out, " {:>9}", change_text(*change))?;
        } else if !std::ptr::eq(value, &values[0]) {
            write!(out, " {:>9}", "")?;
        }
    }
    writeln!(out)
}
