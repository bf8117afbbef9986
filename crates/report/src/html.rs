//! The report as one HTML file that needs nothing beside itself.

use crate::direction::Part;
use crate::html_monitor::monitored;
use crate::html_tables::{drive_table, job_table};
use crate::palette::run_style_sheet;
use crate::plot_flash::utilization;
use crate::plot_latency::{curves, distribution};
use crate::plot_parts::{breakdown, modules, part_color};
use crate::plot_throughput::{directions, throughput};
use crate::quantity::{count, share, time};
use crate::result::RunResult;
use crate::template::{escaped, filled};
use std::io::{self, Write};

/// Most job names in the heading.
const MOST_NAMES: usize = 8;

/// Writes the report of `run` as a self-contained HTML page.
///
/// # Errors
/// Those of `out`.
pub fn write_html(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let title = format!("{}: {}", run.board, run.job_file);
    let page = filled(
        include_str!("page.html"),
        &[
            ("title", &escaped(&title)),
            ("colors", &run_style_sheet()),
            ("css", include_str!("page.css")),
            ("board", &escaped(&run.board)),
            ("facts", &facts(run)),
            ("cut", &cut(run)),
            ("warnings", &warnings(run)),
            ("tiles", &tiles(run)),
            ("jobs", &job_table(run)),
            ("sections", &sections(run)?),
            ("drive", &drive_table(&run.drive)),
        ],
    );
    out.write_all(page.as_bytes())
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

/// A heading, a sentence, a plot and its legend.
pub(crate) struct Section<'a> {
    pub(crate) heading: &'a str,
    pub(crate) note: &'a str,
    pub(crate) plot: Option<String>,
    pub(crate) legend: Vec<(String, usize)>,
    pub(crate) left_out: usize,
}

impl Section<'_> {
    fn html(&self) -> String {
        let heading = format!("<h2>{}</h2>\n", self.heading);
        let Some(plot) = &self.plot else {
            return format!("{heading}<p class=\"note\">Nothing was recorded.</p>\n");
        };
        let keys = self.legend.iter().map(|(name, color)| {
            let swatch =
                format!("<span class=\"swatch\" style=\"background:var(--series-{color})\">");
            format!("<li>{swatch}</span>{}</li>", escaped(name))
        });
        let legend = match self.legend.is_empty() {
            true => String::new(),
            false => format!("<ul class=\"legend\">{}</ul>\n", keys.collect::<String>()),
        };
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("<p class=\"note\">{more} more are not drawn.</p>\n"),
        };
        format!(
            "{heading}<p class=\"note\">{}</p>\n{legend}\
             <figure class=\"plot\" role=\"img\" aria-label=\"{}\">\n{plot}</figure>\n{left_out}",
            self.note, self.heading
        )
    }
}

fn sections(run: &RunResult) -> io::Result<String> {
    let (curves, more_curves) = curves(run);
    let (bars, more_bars) = breakdown(run)?.map_or((None, 0), |(plot, more)| (Some(plot), more));
    let direction_keys = directions(run);
    let sections = [
        Section {
            heading: "Throughput over time",
            note: "All jobs together. A vertical line marks the start of a job.",
            plot: throughput(run)?,
            legend: direction_keys
                .into_iter()
                .map(|(direction, color)| (direction.name().to_string(), color))
                .collect(),
            left_out: 0,
        },
        Section {
            heading: "Latency distribution",
            note: "Completion latency of each job and direction.",
            plot: distribution(&curves)?,
            legend: curves.iter().enumerate().map(|(i, curve)| (curve.name.clone(), i)).collect(),
            left_out: more_curves,
        },
        Section {
            heading: "Latency by part",
            note: "Where the mean request spent its time in the drive.",
            plot: bars,
            legend: Part::ALL.map(|part| (part.name().to_string(), part_color(part))).into(),
            left_out: more_bars,
        },
        Section {
            heading: "Channel and way utilisation",
            note: "Share of time that each channel's bus and each chip was busy.",
            plot: utilization(&run.drive)?,
            legend: Vec::new(),
            left_out: 0,
        },
        Section {
            heading: "Firmware time by module",
            note: "Processor time of each module, idle polls included, and its share of all firmware time.",
            plot: modules(&run.drive)?,
            legend: Vec::new(),
            left_out: 0,
        },
    ];
    let monitored = monitored(run)?;
    Ok(sections.iter().chain(&monitored).map(Section::html).collect())
}
