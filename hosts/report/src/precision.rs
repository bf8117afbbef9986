//! How well the figures of a run are known.

use maud::{html, Markup};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

use crate::quantity::time;
use crate::result::RunResult;

/// What `--until=converged` found in the jobs of a stage, which run together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Number of the stage, from 0.
    pub stage: u32,
    /// Half width that intervals were to have, by their figure.
    pub error: f64,
    /// How often intervals hold the true figure.
    pub level: f64,
    /// Whether all figures came to be known so well, which ended the jobs; else something else ended them.
    pub converged: bool,
    /// Requests that the figures are of.
    pub requests: u64,
    /// Requests before them that were taken for warm-up; `None` if the run had not settled.
    pub warm_up_requests: Option<u64>,
    /// Sections of the run that intervals are made of; 0 if the run was too short for any.
    pub sections: u32,
    /// The figures.
    pub figures: Vec<PreciseFigure>,
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreciseFigure {
    /// The job; `None` where all of a stage count together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Direction of the requests; `None` for figures of the drive.
    pub direction: Option<String>,
    /// Its name.
    pub figure: String,
    /// What it is counted in.
    pub unit: Unit,
    /// The figure.
    pub value: f64,
    /// Half of the interval; `None` if it is not known.
    pub half_width: Option<f64>,
    /// Whether it is known as well as was asked for; `None` where nothing was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
}

/// Units of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Requests a second.
    Iops,
    /// Bytes a second.
    BytesS,
    /// A ratio.
    Ratio,
}

/// What `--seeds` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverSeeds {
    /// The seeds, the first of which is that of the rest of the report.
    pub seeds: Vec<u64>,
    /// How often intervals hold the true figure.
    pub level: f64,
    /// Means over the seeds.
    pub figures: Vec<PreciseFigure>,
}

impl PreciseFigure {
    /// Job, direction and figure in words.
    fn name(&self) -> String {
        let parts = [self.job.as_deref(), self.direction.as_deref(), Some(&*self.figure)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn shown(&self, value: f64) -> String {
        match self.unit {
            Unit::Ns => time(value),
            Unit::Iops => format!("{value:.1}/s"),
            Unit::BytesS => format!("{:.2} MB/s", value / 1e6),
            Unit::Ratio => format!("{value:.4}"),
        }
    }

    fn value(&self) -> String {
        self.shown(self.value)
    }

    /// Half of the interval, as it is and by the figure.
    fn interval(&self) -> String {
        match self.half_width {
            None => "not known".to_owned(),
            Some(width) if self.value == 0.0 => format!("± {}", self.shown(width)),
            Some(width) => {
                format!("± {} ({:.2} %)", self.shown(width), 100.0 * width / self.value.abs())
            }
        }
    }
}

impl Precision {
    /// In one line: whether it converged, and of what the figures are.
    pub fn summary(&self) -> String {
        let (error, level) = (100.0 * self.error, 100.0 * self.level);
        let ended = match self.converged {
            true => "converged: known",
            false => "did not converge before the jobs came to their end: not all known",
        };
        let warm_up = match self.warm_up_requests {
            Some(requests) => format!("the {requests} before them were warm-up"),
            None => "the run had not settled, these are its second half".to_owned(),
        };
        format!(
            "stage {} {ended} to {error} % at {level} %, of {} requests in {} sections; {warm_up}",
            self.stage, self.requests, self.sections
        )
    }
}

impl OverSeeds {
    fn summary(&self) -> String {
        let (count, level) = (self.seeds.len(), 100.0 * self.level);
        format!("means over {count} seeds, intervals at {level} %")
    }
}

/// A heading, and the figures below it.
fn blocks(run: &RunResult) -> impl Iterator<Item = (String, &[PreciseFigure])> {
    let stages = run.precision.iter().map(|stage| (stage.summary(), &stage.figures[..]));
    let seeds = run.over_seeds.iter().map(|over| (over.summary(), &over.figures[..]));
    stages.chain(seeds)
}

/// Writes the section of the text report; nothing where nobody asked.
pub(crate) fn write_precision(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let mut begun = false;
    for (summary, figures) in blocks(run) {
        if !begun {
            writeln!(out, "\nHow well figures are known:")?;
            begun = true;
        }
        writeln!(out, "  {summary}")?;
        for figure in figures {
            let (name, value) = (figure.name(), figure.value());
            let line = format!("    {name:32} {value:>14} {:24}", figure.interval());
            let short = if figure.is_good == Some(false) { "  not enough" } else { "" };
            writeln!(out, "{}", format!("{line}{short}").trim_end())?;
        }
    }
    Ok(())
}

/// The section of the page; nothing where nobody asked.
pub(crate) fn precision_section(run: &RunResult) -> Markup {
    html! {
        @for (nth, (summary, figures)) in blocks(run).enumerate() {
            @if nth == 0 { h2 { "How well figures are known" } "\n" }
            p.note { (summary) } "\n"
            div.scroll {
                table {
                    thead { tr { th { "Figure" } th { "Value" } th { "Interval" } } }
                    tbody {
                        @for figure in figures {
                            tr { @for cell in [figure.name(), figure.value(), figure.interval()] { td { (cell) } } }
                        }
                    }
                }
            }
            "\n"
        }
    }
}
