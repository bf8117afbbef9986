//! The report as one HTML file that needs nothing beside itself.

use crate::chart_latency::{cumulative, shares, Curve};
use crate::chart_time::History;
use crate::html_bars::{breakdown, cores, modules};
use crate::html_channels::channels;
use crate::html_handles::handles;
use crate::html_monitor::monitored;
use crate::html_over_time::over_time;
use crate::html_queues::queues;
use crate::html_run::what_was_run;
use crate::html_section::{plots, Section};
use crate::html_tables::{drive_table, job_table, rows, Row};
use crate::html_waits::{waits, NOTE};
use crate::normal::further_name;
use crate::palette::inks;
use crate::plot_flash::utilization;
use crate::precision_told::precision_section;
use crate::quantity::{count, share, time};
use crate::result::{JobResult, RunResult};
use chart::{drawn, Page, Plot};
use maud::{html, Markup};
use std::io::{self, Write};

/// Most job names in the heading.
const MOST_NAMES: usize = 8;
const PS_PER_NS: u64 = 1_000;

/// Writes the report of `run` as a self-contained HTML page.
///
/// # Errors
/// The errors of `out`.
pub fn write_html(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let heading = Heading {
        title: &format!("{}: {}", run.board, run.job_file),
        name: &run.board,
        facts: &facts(run),
    };
    let further: Vec<_> = run.further.iter().map(of_drive).collect::<io::Result<_>>()?;
    let body = html! {
        (cut(run))
        (warnings(run))
        (of_drive(run)?)
        @for ((nth, run), body) in (1..).zip(&run.further).zip(&further) {
            header {
                h1 { (further_name(nth)) ": " (run.board) }
            }
            (body)
        }
    };
    write_page(&heading, &body, out)
}

/// What is told of one drive.
fn of_drive(run: &RunResult) -> io::Result<Markup> {
    Ok(html! {
        (tiles(run))
        h2 { "Jobs" } "\n"
        (job_choice(run))
        (job_table(run))
        (precision_section(run))
        (sections(run)?)
        h2 { "Drive" } "\n"
        (drive_table(run))
        @if let Some(run) = &run.provenance { (what_was_run(run)) }
    })
}

/// What stands at the top of a page.
pub(crate) struct Heading<'a> {
    pub(crate) title: &'a str,
    pub(crate) name: &'a str,
    pub(crate) facts: &'a [String],
}

/// Writes a page with its heading and `body`.
pub(crate) fn write_page(
    heading: &Heading<'_>,
    body: &Markup,
    out: &mut impl Write,
) -> io::Result<()> {
    let body = html! {
        header {
            h1 { (heading.name) }
            p.facts { @for fact in heading.facts { span { (fact) } } }
        }
        noscript { p.note { "Lines are drawn by a script in this page; tables and bars need none." } }
        "\n"
        (body)
    };
    let page = Page { title: heading.title, inks: inks(), style: "", body };
    out.write_all(page.html().as_bytes())
}

/// A choice of one job, or all; nothing where there is a single job.
fn job_choice(run: &RunResult) -> Markup {
    let span = |job: &JobResult| [job.start_ps, job.end_ps].map(|ps| ps / PS_PER_NS);
    html! {
        @if run.jobs.len() > 1 {
            p.choice {
                label {
                    "Show "
                    select data-jobs {
                        option value="" { "all " (run.jobs.len()) " jobs" }
                        @for (nth, job) in run.jobs.iter().enumerate() {
                            @let [from_ns, to_ns] = span(job);
                            option value=(nth) data-from=(from_ns) data-to=(to_ns) { (job.name) }
                        }
                    }
                }
            }
            "\n"
        }
    }
}

fn facts(run: &RunResult) -> Vec<String> {
    let mut names = run.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let mut names = names.join(", ");
    if more > 0 {
        names += &format!(" and {more} more");
    }
    let model = run.guest_processor.as_ref().map(ToString::to_string);
    let facts = [run.job_file.clone(), names, format!("seed {}", run.seed), run.version.clone()];
    model.into_iter().chain(facts).filter(|fact| !fact.is_empty()).collect()
}

fn cut(run: &RunResult) -> Markup {
    html! {
        @if let Some(cut) = run.cut {
            p.cut { strong { "This run was " (cut) "." } } "\n"
        }
    }
}

fn warnings(run: &RunResult) -> Markup {
    html! {
        @if !run.warnings.is_empty() {
            ul.warnings { @for warning in &run.warnings { li { (warning) } } } "\n"
        }
    }
}

fn tiles(run: &RunResult) -> Markup {
    let amplification = run.drive.write_amplification();
    let tiles = [
        ("Virtual time", time(1e9 * run.speed.simulated_s)),
        ("Requests", count(run.speed.requests as f64)),
        ("Write amplification", amplification.map_or("–".into(), |factor| format!("{factor:.3}"))),
        ("Processor busy", share(run.drive.processor_busy)),
        ("Real time", time(1e9 * run.speed.wall_s)),
        ("Requests a CPU second", count(run.speed.requests_per_cpu_second())),
    ];
    html! {
        dl.tiles { @for (name, value) in tiles { div { dt { (name) } dd { (value) } } } } "\n"
    }
}

fn sections(run: &RunResult) -> io::Result<Markup> {
    let history = History::of(run);
    let of_history = |drawn: fn(&History) -> Vec<Plot>| {
        history.as_ref().map(|history| plots(&drawn(history))).transpose()
    };
    let curves = curves(run);
    let distribution = match curves.as_slice() {
        [] => None,
        curves => Some(plots(&[shares(curves), cumulative(curves)])?),
    };
    let sections = [
        Section {
            heading: "Throughput over time",
            note: "All jobs together; a vertical line marks the start of a job. Drag to zoom \
                   all plots over time, double-click for all.",
            body: of_history(|history| vec![history.bandwidth(), history.iops()])?,
        },
        Section {
            heading: "Latency over time",
            note: "Completion latency of the requests that completed at the time.",
            body: of_history(|history| vec![history.latency()])?,
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
    let (channels, handles) = (channels(run)?, handles(run));
    let (over_time, queues, monitored) = (over_time(run)?, queues(run)?, monitored(run)?);
    let waits = waits(run).map(|body| Section {
        heading: "What system calls waited for",
        note: NOTE,
        body: Some(body),
    });
    Ok(html! {
        @for section in sections.iter().chain(&over_time).chain(&channels).chain(&handles).chain(&queues).chain(&waits).chain(&several_cores).chain(&monitored) { (section.html()) }
    })
}

/// The latencies of all jobs and directions.
fn curves(run: &RunResult) -> Vec<Curve<'_>> {
    fn curve((color, row): (usize, Row<'_>)) -> Curve<'_> {
        Curve { name: row.name(), job: row.nth, color, latency: &row.result.clat }
    }
    rows(run).enumerate().map(curve).collect()
}
