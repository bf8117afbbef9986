//! The figures of a run for a notebook, as a part of its page.

use crate::html_tables::{rows, Row};
use crate::plot_flash::utilization;
use crate::result::RunResult;
use chart::{fragment, AxisScale, Curve, Figure, Picture};
use std::io::{self, Write};

/// Percentiles that a curve goes through.
const PERCENTILES: [f64; 20] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 97.0, 98.0, 99.0, 99.5,
    99.9, 99.95, 99.99, 100.0,
];
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

/// The percentiles of each job and direction over their latencies; nothing where nothing was recorded.
fn latencies(run: &RunResult) -> io::Result<Option<String>> {
    let curve = |row: Row<'_>| {
        let latency_us = |percentile| row.result.clat.percentile_ns(percentile) as f64 / NS_PER_US;
        let measured = PERCENTILES.map(|percentile| (latency_us(percentile), percentile));
        let (published, half_widths) = (Vec::new(), Vec::new());
        Curve { name: row.name(), measured: measured.to_vec(), published, half_widths }
    };
    let curves: Vec<_> = rows(run).map(curve).collect();
    if curves.is_empty() {
        return Ok(None);
    }
    let (x_label, y_label) = ("completion latency, us", "requests that took at most so long, %");
    let figure = Figure { title: "", x: &AxisScale::Log10, x_label, y_label, curves: &curves };
    figure.svg().map(Some)
}
