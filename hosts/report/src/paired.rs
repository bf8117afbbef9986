//! Two runs with the same seeds: by how much their figures differ, and whether chance explains it.

use std::io::{self, Write};

use maud::{html, Markup};

use crate::letters::letter;
use crate::precision::Unit;

/// A report that is held against the first one of a comparison, seed by seed.
#[derive(Clone, Debug)]
pub struct Paired {
    /// Number of the report, from 1: the first one is 0.
    pub report: usize,
    /// Seeds that both have; with fewer than two no interval is known.
    pub seeds: usize,
    /// The figures that both have.
    pub rows: Vec<PairedRow>,
}

/// A figure of both reports.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRow {
    /// Job, direction and figure in words.
    pub name: String,
    /// What it is counted in.
    pub unit: Unit,
    /// Its means over the seeds, of the first report and of the other one.
    pub means: [f64; 2],
    /// The mean difference in percent of the first report's mean; `None` where that is zero.
    pub change: Option<f64>,
    /// Half of the interval of the difference, in the same percent; `None` if it is not known.
    pub half_width: Option<f64>,
}

impl PairedRow {
    /// Whether the interval leaves out zero: that such a difference comes by chance is unlikely.
    pub fn is_shown(&self) -> bool {
        matches!((self.change, self.half_width), (Some(change), Some(width)) if change.abs() > width)
    }

    /// The difference with its interval.
    pub fn difference(&self) -> String {
        match (self.change, self.half_width) {
            (Some(change), Some(width)) => format!("{change:+.2} ± {width:.2} %"),
            (Some(change), None) => format!("{change:+.2} %"),
            (None, _) => String::new(),
        }
    }

    fn verdict(&self) -> &'static str {
        match (self.change, self.half_width) {
            (Some(_), Some(_)) if !self.is_shown() => "no difference shown",
            _ => "",
        }
    }
}

impl Paired {
    /// In one line: how many seeds, and what the intervals are.
    fn summary(&self) -> String {
        let (first, other) = (letter(0), letter(self.report));
        format!(
            "{other} against {first} with the same {} seeds; a difference with the interval that holds the mean of 95 % of such comparisons",
            self.seeds
        )
    }

    fn has_intervals(&self) -> bool {
        self.rows.iter().any(|row| row.half_width.is_some())
    }
}

/// Writes what seeds tell, of reports that have several in common with the first.
pub(crate) fn write_paired(all: &[Paired], out: &mut impl Write) -> io::Result<()> {
    for paired in all.iter().filter(|paired| paired.has_intervals()) {
        writeln!(out, "\n{}:", paired.summary())?;
        let (first, other) = (letter(0), letter(paired.report));
        writeln!(out, "  {:<40} {first:>14} {other:>14} {:>18}", "", "difference")?;
        for row in &paired.rows {
            let [first, other] = row.means.map(|mean| row.unit.shown(mean));
            let (name, difference) = (&row.name, row.difference());
            let line =
                format!("  {name:<40} {first:>14} {other:>14} {difference:>18}  {}", row.verdict());
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

/// The same as tables.
pub(crate) fn paired_tables(all: &[Paired]) -> Markup {
    html! {
        @for paired in all.iter().filter(|paired| paired.has_intervals()) {
            h3 { (letter(paired.report)) " against " (letter(0)) ", seed by seed" } "\n"
            p.note { (paired.summary()) "." } "\n"
            div.scroll { table {
                thead { tr {
                    th { "Figure" } th { (letter(0)) } th { (letter(paired.report)) } th { "Difference" } th {}
                } } "\n"
                tbody {
                    @for row in &paired.rows {
                        tr {
                            td { (row.name) }
                            @for mean in row.means { td { (row.unit.shown(mean)) } }
                            td { (row.difference()) }
                            td.word { (row.verdict()) }
                        } "\n"
                    }
                }
            } } "\n"
        }
    }
}
