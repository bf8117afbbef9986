//! The report as one HTML file that needs nothing beside itself.

use crate::html_monitor::monitored;
use crate::html_tables::{drive_table, job_table};
use crate::palette::run_style_sheet;
use crate::plot_flash::utilization;
use crate::plot_latency::{curves, distribution};
use crate::plot_parts::{breakdown, modules};
use crate::plot_throughput::{directions, throughput};
use crate::quantity::{count, share, time};
use crate::result::RunResult;
use crate::template::{escaped, filled};
use contract::{Cause, Split};
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
    pub(crate) legend: Vec<Key>,
    pub(crate) left_out: usize,
}

/// An entry of a legend.
pub(crate) struct Key {
    name: String,
    /// Variable of the style sheet.
    color: String,
    /// What it means, where the name does not tell.
    meaning: &'static str,
}

impl Key {
    /// A line or bar in a colour of [`SERIES`](crate::palette::SERIES).
    pub(crate) fn series((name, color): (String, usize)) -> Self {
        Key { name, color: format!("series-{color}"), meaning: "" }
    }

    fn cause(cause: Cause) -> Self {
        let (name, meaning) = (cause.name().to_string(), cause.definition());
        Key { name, color: format!("cause-{}", cause as usize), meaning }
    }
}

impl Section<'_> {
    fn html(&self) -> String {
        let heading = format!("<h2>{}</h2>\n", self.heading);
        let Some(plot) = &self.plot else {
            return format!("{heading}<p class=\"note\">Nothing was recorded.</p>\n");
        };
        let keys = self.legend.iter().map(|Key { name, color, meaning }| {
            let swatch = format!("<span class=\"swatch\" style=\"background:var(--{color})\">");
            format!("<li title=\"{meaning}\">{swatch}</span>{}</li>", escaped(name))
        });
        let legend = match self.legend.is_empty() {
            true => String::new(),
            false => format!("<ul class=\"legend\">{}</ul>\n", keys.collect::<String>()),
        };
        let meanings = self.meanings();
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("<p class=\"note\">{more} more are not drawn.</p>\n"),
        };
        format!(
            "{heading}<p class=\"note\">{}</p>\n{legend}\
             <figure class=\"plot\" role=\"img\" aria-label=\"{}\">\n{plot}</figure>\n{left_out}{meanings}",
            self.note, self.heading
        )
    }

    /// What the names of the legend mean, where they have to be explained.
    fn meanings(&self) -> String {
        let explained = self.legend.iter().filter(|key| !key.meaning.is_empty());
        let rows: String =
            explained.map(|key| format!("<dt>{}</dt><dd>{}</dd>", key.name, key.meaning)).collect();
        match rows.is_empty() {
            true => rows,
            false => format!(
                "<details class=\"meanings\"><summary>What these names mean</summary>\
                 <dl>{rows}</dl></details>\n"
            ),
        }
    }
}

/// The causes that took time in any request.
fn causes(run: &RunResult) -> impl Iterator<Item = Cause> {
    let results = run.jobs.iter().flat_map(|job| job.directions.iter().flatten());
    let mut all = Split::default();
    results.for_each(|result| all.merge(&result.split));
    let times = all.by_cause();
    Cause::ALL.into_iter().filter(move |cause| times[*cause as usize] > 0)
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
                .map(|(direction, color)| Key::series((direction.name().to_string(), color)))
                .collect(),
            left_out: 0,
        },
        Section {
            heading: "Latency distribution",
            note: "Completion latency of each job and direction.",
            plot: distribution(&curves)?,
            legend: curves
                .iter()
                .enumerate()
                .map(|(i, curve)| Key::series((curve.name.clone(), i)))
                .collect(),
            left_out: more_curves,
        },
        Section {
            heading: "Where the time went",
            note: "Causes of the mean completion latency, by the operations that each command waited for.",
            plot: bars,
            legend: causes(run).map(Key::cause).collect(),
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
            note: "Processor time of each module, idle polls not counted, and its share of all firmware time.",
            plot: modules(&run.drive)?,
            legend: Vec::new(),
            left_out: 0,
        },
    ];
    let monitored = monitored(run)?;
    Ok(sections.iter().chain(&monitored).map(Section::html).collect())
}
