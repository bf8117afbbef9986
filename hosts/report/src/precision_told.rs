//! How well the figures of a run are known, in text and on the page.

use contract::Cause;
use maud::{html, Markup};
use std::io::{self, Write};

use crate::latency::PERCENTILE_ERROR;
use crate::precision::{OverSeeds, PreciseFigure, Precision, Unit};
use crate::quantity::{things, time};
use crate::result::RunResult;

impl PreciseFigure {
    /// Job, direction and figure in words.
    pub fn name(&self) -> String {
        let parts = [self.job.as_deref(), self.direction.as_deref(), Some(&*self.figure)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Whether it is the mean part of a cause in latency, and of which.
    pub fn cause(&self) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.name() == self.figure)
    }

    /// How far it may be from what it is, as a share of it, for the bins that it is counted in: percentiles are, and all else is exact.
    pub fn resolution(&self) -> f64 {
        let is_counted = self.figure.strip_prefix('p').is_some_and(|of| of.parse::<f64>().is_ok());
        if is_counted {
            PERCENTILE_ERROR
        } else {
            0.0
        }
    }

    /// Whether there is anything of it: a cause that no seed met is none of the run.
    pub fn took_part(&self) -> bool {
        self.cause().is_none() || self.values.iter().any(|value| *value > 0.0)
    }

    /// Whether it is worth a line: a cause is, from a hundredth of the mean latency on.
    pub fn is_large(&self, all: &[PreciseFigure]) -> bool {
        let whole = |other: &&PreciseFigure| {
            other.figure == "mean" && (&other.job, &other.direction) == (&self.job, &self.direction)
        };
        let mean = all.iter().find(whole).map_or(0.0, |mean| mean.value);
        self.cause().is_none() || self.value >= mean / 100.0
    }

    fn shown(&self, value: f64) -> String {
        self.unit.shown(value)
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

impl Unit {
    /// A value in this unit, as reports show it.
    pub(crate) fn shown(self, value: f64) -> String {
        match self {
            Unit::Ns => time(value),
            Unit::Iops => format!("{value:.1}/s"),
            Unit::BytesS => format!("{:.2} MB/s", value / 1e6),
            Unit::Ratio => format!("{value:.4}"),
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
        let (seeds, level) = (things(self.seeds.len() as u64, "seed"), 100.0 * self.level);
        format!("means over {seeds}, intervals at {level} %")
    }
}

/// A heading, and the figures below it that are worth a line.
fn blocks(run: &RunResult) -> impl Iterator<Item = (String, Vec<&PreciseFigure>)> {
    let stages = run.precision.iter().map(|stage| (stage.summary(), &stage.figures[..]));
    let seeds = run.over_seeds.iter().map(|over| (over.summary(), &over.figures[..]));
    stages
        .chain(seeds)
        .map(|(summary, all)| (summary, all.iter().filter(|own| own.is_large(all)).collect()))
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
            let line = format!("    {name:40} {value:>14} {:24}", figure.interval());
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
