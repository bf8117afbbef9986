//! The figures of a run for a notebook, as a part of its page.

use crate::html_tables::{rows, Row};
use crate::plot_flash::utilization;
use crate::result::RunResult;
use chart::{fragment, AxisScale, Curve, Figure, Picture};
use std::io::{self, Write};

const NS_PER_US: f64 = 1e3;

/// Writes what is drawn of `run`: the share of requests by completion latency, and how busy each bus and chip was. It is HTML and
/// SVG in the colours of the page that [`crate::write_html`] writes, without scripts.
///
/// # Errors
/// The errors of `out`.
pub fn write_figures(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let latencies = latencies(run)?;
    let utilization = utilization(&run.drive)?;
    let pictures = [
        ("Completion latency of each job and direction", latencies),
        ("Share of time that each bus and each chip was busy", utilization),
    ];
    let pictures: Vec<_> = pictures
        .iter()
        .filter_map(|(name, svg)| svg.as_ref().map(|svg| Picture { name, svg }))
        .collect();
    out.write_all(fragment(&pictures).into_string().as_bytes())
}

/// The share of requests of each job and direction that took at most so long, of all of them; nothing where nothing was
/// recorded. A share does not change between two latencies that came up, so a curve has steps.
fn latencies(run: &RunResult) -> io::Result<Option<String>> {
    let curve = |row: Row<'_>| {
        let clat = &row.result.clat;
        let (mut counted, mut below) = (0, 0.0);
        let steps = clat.bins_ns().flat_map(|(latency_ns, requests)| {
            counted += requests;
            let (latency_us, share) = (latency_ns as f64 / NS_PER_US, 100.0 * counted as f64);
            let share = share / clat.count() as f64;
            [(latency_us, std::mem::replace(&mut below, share)), (latency_us, share)]
        });
        Curve {
            name: row.name(),
            measured: steps.collect(),
            published: Vec::new(),
            half_widths: Vec::new(),
        }
    };
    let curves: Vec<_> = rows(run).map(curve).collect();
    if curves.is_empty() {
        return Ok(None);
    }
    let (x_label, y_label) = ("completion latency, us", "requests that took at most so long, %");
    let figure = Figure { title: "", x: &AxisScale::Log10, x_label, y_label, curves: &curves };
    figure.svg().map(Some)
}
