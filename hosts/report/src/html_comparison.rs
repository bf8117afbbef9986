//! Reports beside each other as a page.

use crate::chart_latency::{cumulative, shares, Curve};
use crate::chart_time::History;
use crate::comparison::{change_text, seed_told, Compared, Comparison, Load, Row};
use crate::html::{write_page, Heading};
use crate::html_multiples::multiples;
use crate::html_section::{plots, Section};
use crate::letters::letter;
use crate::paired::paired_tables;
use crate::quantity::things;
use chart::palette::SERIES;
use chart::{Axis, Line, Plot};
use maud::{html, Markup};
use std::io::{self, Write};

/// Most positions of a plot over time, and values of all its lines.
const MOST_POSITIONS: usize = 1_000;
const MOST_VALUES: usize = 40_000;

/// Writes the comparison as a self-contained HTML page.
///
/// # Errors
/// The errors of `out`.
pub fn write_comparison_html(comparison: &Comparison<'_>, out: &mut impl Write) -> io::Result<()> {
    let loads = comparison.loads();
    let names: Vec<_> = comparison.reports.iter().map(|report| report.name).collect();
    let heading = Heading {
        title: &format!("Comparison: {}", names.join(", ")),
        name: "Comparison",
        facts: &[things(names.len() as u64, "report")],
    };
    let sections = [
        Section {
            heading: "Latency distribution",
            note: "Completion latency of the job that is chosen.",
            body: distribution(&loads)?,
        },
        Section {
            heading: "Throughput over time",
            note: "All jobs together, from the start of each run.",
            body: over_time(comparison, History::bandwidth)?,
        },
        Section {
            heading: "Latency over time",
            note: "Completion latency of the requests that completed at the time.",
            body: over_time(comparison, History::latency)?,
        },
    ];
    let body = html! {
        (reports(comparison))
        (settings(comparison))
        h2 { "Jobs" } "\n"
        @for load in &loads { (table(load, names.len())) }
        (paired_tables(&comparison.paired))
        (multiples(comparison, &loads)?)
        (choice(&loads))
        @for section in sections { (section.html()) }
    };
    write_page(&heading, &body, out)
}

fn reports(comparison: &Comparison<'_>) -> Markup {
    let heads = html! {
        th {}
        @for head in ["Report", "Board", "Jobs", "Shown"] { th.word { (head) } }
    };
    let rows = html! {
        @for (nth, Compared { name, run }) in comparison.reports.iter().enumerate() {
            tr {
                td { span class={ "swatch swatch-series-" (nth % SERIES.len()) } {} (letter(nth)) }
                @for cell in [name, run.board.as_str(), &run.job_file, &seed_told(run)] { td.word { (cell) } }
            }
            "\n"
        }
    };
    table_of(&heads, &rows)
}

fn settings(comparison: &Comparison<'_>) -> Markup {
    let heads = html! {
        th { "Key" }
        @for nth in 0..comparison.reports.len() { th.word { (letter(nth)) } }
    };
    let rows = html! {
        @for setting in &comparison.settings {
            tr { td { (setting.name) } @for value in &setting.values { td.word { (value) } } }
            "\n"
        }
    };
    html! {
        h2 { "What was not the same" } "\n"
        @if comparison.settings.is_empty() {
            p.note { "Nothing: all that decides a report is equal." } "\n"
        } @else {
            (table_of(&heads, &rows))
        }
    }
}

fn table(load: &Load<'_>, reports: usize) -> Markup {
    let heads = html! {
        th { (load.name) }
        @for nth in 0..reports { th { (letter(nth)) } }
    };
    let rows = html! {
        @for Row { name, values, changes } in load.rows() {
            tr {
                td { (name) }
                @for (value, change) in values.iter().zip(&changes) {
                    td { (value) @if let Some(change) = change { " " span.note { (change_text(*change)) } } }
                }
            }
            "\n"
        }
    };
    table_of(&heads, &rows)
}

fn table_of(heads: &Markup, rows: &Markup) -> Markup {
    html! {
        div.scroll { table { thead { tr { (heads) } } "\n" tbody { (rows) } } } "\n"
    }
}

/// A choice of the job whose latencies are drawn.
fn choice(loads: &[Load<'_>]) -> Markup {
    html! {
        p.choice {
            label {
                "Draw "
                select data-jobs { @for (nth, load) in loads.iter().enumerate() { option value=(nth) { (load.name) } } }
            }
        }
        "\n"
    }
}

fn distribution(loads: &[Load<'_>]) -> io::Result<Option<Markup>> {
    let mut curves = Vec::new();
    for (job, load) in loads.iter().enumerate() {
        for (nth, done) in load.results.iter().enumerate() {
            let Some(done) = done else { continue };
            let name = format!("{}: {}", letter(nth), load.name);
            curves.push(Curve { name, job, color: nth, latency: &done.result.clat });
        }
    }
    match curves.as_slice() {
        [] => Ok(None),
        curves => plots(&[cumulative(curves), shares(curves)]).map(Some),
    }
}

/// The same plot of each report, laid over one another.
fn over_time(
    comparison: &Comparison<'_>,
    plot: fn(&History) -> Plot,
) -> io::Result<Option<Markup>> {
    let drawn = |report: &Compared<'_>| Some(plot(&History::of(report.run)?));
    let charts: Vec<_> = comparison.reports.iter().map(drawn).collect();
    let all = || charts.iter().flatten();
    let Some(y) = all().map(|chart| chart.y).next() else { return Ok(None) };
    let lines: usize = all().map(|chart| chart.lines.len()).sum();
    let end = all().filter_map(|chart| chart.at.last().copied()).fold(0.0, f64::max);
    let positions = (MOST_VALUES / lines.max(1)).clamp(2, MOST_POSITIONS);
    let at: Vec<f64> =
        (0..positions).map(|nth| end * nth as f64 / (positions - 1) as f64).collect();
    let mut laid = Vec::new();
    for (nth, chart) in charts.iter().enumerate() {
        let Some(Plot { at: own, lines, .. }) = chart else { continue };
        laid.extend(lines.iter().map(|line| Line {
            name: format!("{}: {}", letter(nth), line.name),
            color: nth,
            stroke: line.stroke,
            job: None,
            values: at.iter().map(|at| held(own, &line.values, *at)).collect(),
        }));
    }
    let laid = Plot::of([Axis::TIME, y], at, laid);
    laid.with_fitting_scale().markup().map(Some)
}

/// The value that a stepped line has at a position; none beyond its end.
fn held(positions: &[f64], values: &[Option<f64>], at: f64) -> Option<f64> {
    match positions.partition_point(|position| *position <= at) {
        0 => None,
        past if past == positions.len() && positions[past - 1] < at => None,
        past => values[past - 1],
    }
}
