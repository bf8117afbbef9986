//! The report as one HTML file that needs nothing beside itself.

use crate::chart::Chart;
use crate::chart_latency::{cumulative, shares, Curve};
use crate::chart_time::History;
use crate::html_bars::{breakdown, cores, modules};
use crate::html_monitor::monitored;
use crate::html_run::what_was_run;
use crate::html_tables::{drive_table, job_table, rows, Row};
use crate::palette::run_style_sheet;
use crate::plot_flash::utilization;
use crate::precision::precision_section;
use crate::quantity::{count, share, time};
use crate::result::{JobResult, RunResult};
use crate::template::{escaped, filled};
use std::io::{self, Write};

/// Most job names in the heading.
const MOST_NAMES: usize = 8;
const PS_PER_NS: u64 = 1_000;

/// Writes the report of `run` as a self-contained HTML page.
///
/// # Errors
/// Those of `out`.
pub fn write_html(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let heading = Heading {
        title: &format!("{}: {}", run.board, run.job_file),
        name: &run.board,
        facts: &facts(run),
    };
    let body = [
        cut(run),
        warnings(run),
        tiles(run),
        "<h2>Jobs</h2>\n".to_string(),
        job_choice(run),
        job_table(run),
        precision_section(run),
        sections(run)?,
        "<h2>Drive</h2>\n".to_string(),
        drive_table(run),
        run.provenance.as_ref().map_or_else(String::new, what_was_run),
    ];
    write_page(&heading, &body.concat(), out)
}

/// What stands at the top of a page, as text; facts are HTML.
pub(crate) struct Heading<'a> {
    pub(crate) title: &'a str,
    pub(crate) name: &'a str,
    pub(crate) facts: &'a str,
}

/// Writes a page: the skeleton with style, library and script, and `body` in it.
pub(crate) fn write_page(
    heading: &Heading<'_>,
    body: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let page = filled(
        include_str!("page.html"),
        &[
            ("title", &escaped(heading.title)),
            ("colors", &run_style_sheet()),
            ("plot_css", include_str!("../assets/uPlot.min.css")),
            ("css", include_str!("page.css")),
            ("name", &escaped(heading.name)),
            ("facts", heading.facts),
            ("body", body),
            ("plot_licence", include_str!("../assets/uPlot.LICENSE")),
            ("plot_script", include_str!("../assets/uPlot.iife.min.js")),
            ("script", include_str!("page.js")),
        ],
    );
    out.write_all(page.as_bytes())
}

/// A choice of one job, or all; nothing where there is one.
fn job_choice(run: &RunResult) -> String {
    if run.jobs.len() < 2 {
        return String::new();
    }
    let option = |(nth, job): (usize, &JobResult)| {
        let [from_ns, to_ns] = [job.start_ps, job.end_ps].map(|ps| ps / PS_PER_NS);
        let (name, value) = (escaped(&job.name), format!("value=\"{nth}\""));
        format!("<option {value} data-from=\"{from_ns}\" data-to=\"{to_ns}\">{name}</option>")
    };
    let options: String = run.jobs.iter().enumerate().map(option).collect();
    format!(
        "<p class=\"choice\"><label>Show <select data-jobs><option value=\"\">all {} jobs</option>\
         {options}</select></label></p>\n",
        run.jobs.len()
    )
}

fn facts(run: &RunResult) -> String {
    let mut names = run.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let mut names = names.join(", ");
    if more > 0 {
        names += &format!(" and {more} more");
    }
    let seed = format!("seed {}", run.seed);
    [run.job_file.as_str(), &names, &seed, &run.version]
        .iter()
        .filter(|fact| !fact.is_empty())
        .map(|fact| format!("<span>{}</span>", escaped(fact)))
        .collect()
}

fn cut(run: &RunResult) -> String {
    run.cut.map_or_else(String::new, |cut| {
        format!("<p class=\"cut\"><strong>This run was {cut}.</strong></p>\n")
    })
}

fn warnings(run: &RunResult) -> String {
    if run.warnings.is_empty() {
        return String::new();
    }
    let items: String =
        run.warnings.iter().map(|warning| format!("<li>{}</li>", escaped(warning))).collect();
    format!("<ul class=\"warnings\">{items}</ul>\n")
}

fn tiles(run: &RunResult) -> String {
    let amplification = run.drive.write_amplification();
    let tiles = [
        ("Virtual time", time(1e9 * run.speed.simulated_s)),
        ("Requests", count(run.speed.requests as f64)),
        ("Write amplification", amplification.map_or("–".into(), |factor| format!("{factor:.3}"))),
        ("Processor busy", share(run.drive.processor_busy)),
        ("Real time", time(1e9 * run.speed.wall_s)),
        ("Requests a CPU second", count(run.speed.requests_per_cpu_second())),
    ];
    let tiles = tiles.map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"));
    format!("<dl class=\"tiles\">{}</dl>\n", tiles.concat())
}

/// A heading, a sentence, and what is below it.
pub(crate) struct Section<'a> {
    pub(crate) heading: &'a str,
    pub(crate) note: &'a str,
    /// HTML; nothing if nothing was recorded.
    pub(crate) body: Option<String>,
}

impl Section<'_> {
    /// The section as HTML.
    pub(crate) fn html(&self) -> String {
        let heading = format!("<h2>{}</h2>\n", self.heading);
        match &self.body {
            None => format!("{heading}<p class=\"note\">Nothing was recorded.</p>\n"),
            Some(body) => format!("{heading}<p class=\"note\">{}</p>\n{body}", self.note),
        }
    }
}

/// A plot for the page's script, as HTML.
pub(crate) fn embedded(chart: &Chart) -> io::Result<String> {
    // What could end the element only stands within texts, where it may be written so.
    let data = serde_json::to_string(chart)?.replace('<', "\\u003c");
    Ok(format!(
        "<div class=\"chart\" role=\"img\" aria-label=\"{}\">\
         <script type=\"application/json\">{data}</script></div>\n",
        chart.y.name
    ))
}

/// An SVG, as HTML that scrolls where it is too wide.
pub(crate) fn drawn(svg: &str, name: &str) -> String {
    format!("<figure class=\"plot\" role=\"img\" aria-label=\"{name}\">\n{svg}</figure>\n")
}

fn sections(run: &RunResult) -> io::Result<String> {
    let history = History::of(run);
    let over_time = |charts: fn(&History) -> Vec<Chart>| {
        let html = |history| charts(history).iter().map(embedded).collect::<io::Result<String>>();
        history.as_ref().map(html).transpose()
    };
    let curves = curves(run);
    let distribution = match curves.as_slice() {
        [] => None,
        curves => Some(embedded(&shares(curves))? + &embedded(&cumulative(curves))?),
    };
    let sections = [
        Section {
            heading: "Throughput over time",
            note: "All jobs together; a vertical line marks the start of a job. Drag to zoom, \
                   double-click for all.",
            body: over_time(|history| vec![history.bandwidth(), history.iops()])?,
        },
        Section {
            heading: "Latency over time",
            note: "Completion latency of the requests that completed at the time.",
            body: over_time(|history| vec![history.latency()])?,
        },
        Section {
            heading: "Latency distribution",
            note: "Completion latency of each job and direction.",
            body: distribution,
        },
        Section {
            heading: "Where the time went",
            note: "Causes of the mean completion latency, by the operations that each command waited for.",
            body: breakdown(run),
        },
        Section {
            heading: "Channel and way utilisation",
            note: "Share of time that each channel's bus and each chip was busy.",
            body: utilization(&run.drive)?.map(|svg| drawn(&svg, "utilisation")),
        },
        Section {
            heading: "Firmware time by module",
            note: "Processor time of each module, idle polls not counted, and its share of all firmware time.",
            body: modules(&run.drive),
        },
    ];
    let several_cores = cores(&run.drive).map(|body| Section {
        heading: "Cores of the processor",
        note: "What each core does, and the share of time that it worked: all but idle polls.",
        body: Some(body),
    });
    let monitored = monitored(run)?;
    Ok(sections.iter().chain(&several_cores).chain(&monitored).map(Section::html).collect())
}

/// The latencies of all jobs and directions.
fn curves(run: &RunResult) -> Vec<Curve<'_>> {
    fn curve((color, row): (usize, Row<'_>)) -> Curve<'_> {
        Curve { name: row.name(), job: row.nth, color, latency: &row.result.clat }
    }
    rows(run).enumerate().map(curve).collect()
}
