//! Reports beside each other as a page.

use crate::chart::{Axis, Chart, Line};
use crate::chart_latency::{cumulative, shares, Curve};
use crate::chart_time::History;
use crate::comparison::{change_text, letter, Compared, Comparison, Load, Row};
use crate::html::{embedded, write_page, Heading, Section};
use crate::template::escaped;
use std::io::{self, Write};

/// Most positions of a plot over time, and values of all its lines.
const MOST_POSITIONS: usize = 1_000;
const MOST_VALUES: usize = 40_000;

/// Writes the comparison as a self-contained HTML page.
///
/// # Errors
/// Those of `out`.
pub fn write_comparison_html(comparison: &Comparison<'_>, out: &mut impl Write) -> io::Result<()> {
    let loads = comparison.loads();
    let names: Vec<_> = comparison.reports.iter().map(|report| report.name).collect();
    let heading = Heading {
        title: &format!("Comparison: {}", names.join(", ")),
        name: "Comparison",
        facts: &format!("<span>{} reports</span>", names.len()),
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
    let body = [
        reports(comparison),
        settings(comparison),
        "<h2>Jobs</h2>\n".to_string(),
        loads.iter().map(|load| table(load, names.len())).collect(),
        choice(&loads),
        sections.iter().map(Section::html).collect(),
    ];
    write_page(&heading, &body.concat(), out)
}

fn reports(comparison: &Comparison<'_>) -> String {
    let row = |(nth, Compared { name, run }): (usize, &Compared<'_>)| {
        let cells = [name, run.board.as_str(), &run.job_file, &run.seed.to_string()]
            .map(|cell| format!("<td class=\"word\">{}</td>", escaped(cell)));
        format!(
            "<tr><td><span class=\"swatch s{}\"></span>{}</td>{}</tr>\n",
            nth % 8,
            letter(nth),
            cells.concat()
        )
    };
    let rows: String = comparison.reports.iter().enumerate().map(row).collect();
    let heads = ["Report", "Board", "Jobs", "Seed"].map(|h| format!("<th class=\"word\">{h}</th>"));
    table_of(&format!("<th></th>{}", heads.concat()), &rows)
}

fn settings(comparison: &Comparison<'_>) -> String {
    let heading = "<h2>What was not the same</h2>\n".to_string();
    if comparison.settings.is_empty() {
        return heading + "<p class=\"note\">Nothing: all that decides a report is equal.</p>\n";
    }
    let rows = comparison.settings.iter().map(|setting| {
        let cell = |value: &String| format!("<td class=\"word\">{}</td>", escaped(value));
        let cells: String = setting.values.iter().map(cell).collect();
        format!("<tr><td>{}</td>{cells}</tr>\n", escaped(&setting.name))
    });
    let letters =
        (0..comparison.reports.len()).map(|nth| format!("<th class=\"word\">{}</th>", letter(nth)));
    heading
        + &table_of(
            &format!("<th>Key</th>{}", letters.collect::<String>()),
            &rows.collect::<String>(),
        )
}

fn table(load: &Load<'_>, reports: usize) -> String {
    let row = |Row { name, values, changes }: Row| {
        let cell = |(value, change): (&String, &Option<f64>)| {
            let change = change.map_or_else(String::new, |change| {
                format!(" <span class=\"note\">{}</span>", change_text(change))
            });
            format!("<td>{}{change}</td>", escaped(value))
        };
        let cells: String = values.iter().zip(&changes).map(cell).collect();
        format!("<tr><td>{name}</td>{cells}</tr>\n")
    };
    let rows: String = load.rows().into_iter().map(row).collect();
    let letters: String = (0..reports).map(|nth| format!("<th>{}</th>", letter(nth))).collect();
    let heads = format!("<th>{}</th>{letters}", escaped(&load.name));
    table_of(&heads, &rows)
}

fn table_of(heads: &str, rows: &str) -> String {
    format!(
        "<div class=\"scroll\"><table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    )
}

/// A choice of the job whose latencies are drawn.
fn choice(loads: &[Load<'_>]) -> String {
    let option = |(nth, load): (usize, &Load<'_>)| {
        format!("<option value=\"{nth}\">{}</option>", escaped(&load.name))
    };
    let options: String = loads.iter().enumerate().map(option).collect();
    format!("<p class=\"choice\"><label>Draw <select data-jobs>{options}</select></label></p>\n")
}

fn distribution(loads: &[Load<'_>]) -> io::Result<Option<String>> {
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
        curves => Ok(Some(embedded(&cumulative(curves))? + &embedded(&shares(curves))?)),
    }
}

/// The same plot of each report, laid over one another.
fn over_time(
    comparison: &Comparison<'_>,
    plot: fn(&History) -> Chart,
) -> io::Result<Option<String>> {
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
        let Some(Chart { at: own, lines, .. }) = chart else { continue };
        laid.extend(lines.iter().map(|line| Line {
            name: format!("{}: {}", letter(nth), line.name),
            color: nth,
            stroke: line.stroke,
            job: None,
            values: at.iter().map(|at| held(own, &line.values, *at)).collect(),
        }));
    }
    let chart = Chart { x: Axis::TIME, y, at, lines: laid, marks: Vec::new() };
    embedded(&chart.with_fitting_scale()).map(Some)
}

/// The value that a stepped line has at a position; none beyond its end.
fn held(positions: &[f64], values: &[Option<f64>], at: f64) -> Option<f64> {
    match positions.partition_point(|position| *position <= at) {
        0 => None,
        past if past == positions.len() && positions[past - 1] < at => None,
        past => values[past - 1],
    }
}
