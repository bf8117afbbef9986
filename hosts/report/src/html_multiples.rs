//! Several reports as small plots beside each other: a plot of each figure, and plots of each report on common axes.

use crate::chart_latency::{cumulative, Curve as Latencies};
use crate::chart_time::History;
use crate::comparison::{Comparison, Load, FIGURES};
use crate::letters::letter;
use crate::precision::{PreciseFigure, Unit};
use crate::result::RunResult;
use chart::palette::SERIES;
use chart::{panels, AxisScale, Curve, Emphasis, Panel, Plot};
use maud::{html, Markup};
use std::io;

/// From so many reports on, curves that lie over one another are no longer told apart.
const MANY: usize = 3;
/// Most points of a curve.
const MOST_POINTS: usize = 120;
/// Nanoseconds of the units that panels count in.
const US: f64 = 1e3;
const MS: f64 = 1e6;
/// Bytes a second of a MB/s.
const MEGABYTE: f64 = 1e6;

/// A figure, and what it is in each report with half of its interval.
struct Compared {
    title: String,
    values: Vec<Option<(f64, Option<f64>)>>,
}

/// A plot of each figure with a bar for each report; and, of three reports or more, their distributions and courses.
pub(crate) fn multiples(comparison: &Comparison<'_>, loads: &[Load<'_>]) -> io::Result<Markup> {
    let reports = comparison.reports.len();
    let names = AxisScale::Categories((0..reports).map(letter).collect());
    let curves: Vec<(String, [Curve; 1])> = compared(comparison, loads)
        .into_iter()
        .map(|Compared { title, values }| (title, [bars(&values)]))
        .collect();
    let panel = |(title, curves): &'_ (String, [Curve; 1])| (title.clone(), curves.clone());
    let of_figures: Vec<_> = curves.iter().map(panel).collect();
    let of_figures: Vec<Panel<'_>> = of_figures
        .iter()
        .map(|(title, curves)| Panel {
            title,
            x: &names,
            x_label: "report",
            curves,
            emphasis: Emphasis::Names,
        })
        .collect();
    Ok(html! {
        h2 { "Figures beside each other" } "\n"
        @if comparison.reports.iter().all(|report| report.run.over_seeds.is_some()) {
            p.note { "Means over seeds, each with the interval that holds it 95 times in 100." } "\n"
        }
        (legend(comparison))
        (panels(&of_figures)?)
        @if reports >= MANY { (by_report(comparison, loads)?) }
    })
}

fn legend(comparison: &Comparison<'_>) -> Markup {
    html! {
        ul.legend {
            @for (nth, report) in comparison.reports.iter().enumerate() {
                li { span class={ "swatch swatch-series-" (nth % SERIES.len()) } {} (letter(nth)) ": " (report.name) }
            }
        }
        "\n"
    }
}

fn bars(values: &[Option<(f64, Option<f64>)>]) -> Curve {
    let places = || values.iter().enumerate();
    let value =
        |(nth, value): (usize, &Option<(f64, Option<f64>)>)| Some((nth as f64, (*value)?.0));
    let half =
        |(nth, value): (usize, &Option<(f64, Option<f64>)>)| Some((nth as f64, (*value)?.1?));
    Curve {
        name: String::new(),
        measured: places().filter_map(value).collect(),
        published: Vec::new(),
        half_widths: places().filter_map(half).collect(),
    }
}

/// The figures over seeds where all reports have some, and those of the reports themselves otherwise.
fn compared(comparison: &Comparison<'_>, loads: &[Load<'_>]) -> Vec<Compared> {
    let runs = || comparison.reports.iter().map(|report| report.run);
    let over = runs().map(figures_over_seeds).collect::<Option<Vec<_>>>();
    if let Some(over) = over {
        let first = over.first().copied().unwrap_or(&[]);
        let told = first.iter().filter(|figure| figure.cause().is_none());
        return told.map(|figure| over_seeds(figure, &over)).collect();
    }
    let of_load = |load: &Load<'_>| {
        FIGURES.map(|figure| {
            let (unit, scale) = match figure.name {
                "IOPS" => ("requests/s", 1.0),
                "bandwidth" => ("MB/s", MEGABYTE),
                "write amplification" => ("", 1.0),
                _ => ("us", US),
            };
            let value = |done: &Option<_>| Some(((figure.value)((*done)?)? / scale, None));
            let title = titled(&format!("{} {}", load.name, figure.name), unit);
            Compared { title, values: load.results.iter().map(value).collect() }
        })
    };
    let all = loads.iter().flat_map(of_load);
    all.filter(|compared| compared.values.iter().any(Option::is_some)).collect()
}

fn figures_over_seeds(run: &RunResult) -> Option<&[PreciseFigure]> {
    run.over_seeds.as_ref().map(|over| &over.figures[..])
}

fn over_seeds(figure: &PreciseFigure, over: &[&[PreciseFigure]]) -> Compared {
    let (unit, scale) = match figure.unit {
        Unit::Ns => ("us", US),
        Unit::Iops => ("requests/s", 1.0),
        Unit::BytesS => ("MB/s", MEGABYTE),
        Unit::Ratio => ("", 1.0),
    };
    let key = |figure: &PreciseFigure| {
        (figure.job.clone(), figure.direction.clone(), figure.figure.clone())
    };
    let own = key(figure);
    let value = |figures: &&[PreciseFigure]| {
        let found = figures.iter().find(|other| key(other) == own)?;
        Some((found.value / scale, found.half_width.map(|half| half / scale)))
    };
    Compared { title: titled(&figure.name(), unit), values: over.iter().map(value).collect() }
}

fn titled(name: &str, unit: &str) -> String {
    match unit {
        "" => name.to_owned(),
        unit => format!("{name}, {unit}"),
    }
}

/// Of each report the same plots, in which the other reports are grey.
fn by_report(comparison: &Comparison<'_>, loads: &[Load<'_>]) -> io::Result<Markup> {
    let mut sections = Vec::new();
    for load in loads {
        let title = format!("{}: share at most this long, %", load.name);
        sections.push((title, AxisScale::Log10, "completion latency, us", distribution(load)));
    }
    let courses = [
        ("bandwidth, MB/s", History::bandwidth as fn(&History) -> Plot, MEGABYTE),
        ("completion latency, us", History::latency, US),
    ];
    for (what, plot, scale) in courses {
        for (line, curves) in course(comparison, plot, scale) {
            sections.push((format!("{line}: {what}"), AxisScale::Linear, "time, ms", curves));
        }
    }
    let drawn = sections.iter().map(|(title, x, x_label, curves)| {
        let titles: Vec<String> = (0..curves.len()).map(|nth| letter(nth) + ": " + title).collect();
        let panel = |(nth, title): (usize, &'_ String)| (nth, title.clone());
        let of: Vec<_> = titles.iter().enumerate().map(panel).collect();
        let of: Vec<Panel<'_>> = of
            .iter()
            .filter(|(nth, _)| !curves[*nth].measured.is_empty())
            .map(|(nth, title)| Panel { title, x, x_label, curves, emphasis: Emphasis::One(*nth) })
            .collect();
        Ok(html! { h3 { (title) } "\n" (panels(&of)?) })
    });
    let drawn = drawn.collect::<io::Result<Vec<Markup>>>()?;
    Ok(html! {
        h2 { "One report after the other" } "\n"
        p.note { "The same axes in each row of plots; the other reports are grey." } "\n"
        @for section in drawn { (section) }
    })
}

/// The curve of a report. Of points that are closer than a small plot can show, the highest is kept.
fn curve(nth: usize, points: Vec<(f64, f64)>) -> Curve {
    let highest = |near: &[(f64, f64)]| {
        near.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })
    };
    let measured = points.chunks(points.len() / MOST_POINTS + 1).filter_map(highest).collect();
    Curve { name: letter(nth), measured, published: Vec::new(), half_widths: Vec::new() }
}

/// The latencies of a load in each report.
fn distribution(load: &Load<'_>) -> Vec<Curve> {
    let done = |(nth, done): (usize, &Option<crate::comparison::Done<'_>>)| {
        let Some(done) = done else { return curve(nth, Vec::new()) };
        let latencies =
            Latencies { name: String::new(), job: 0, color: nth, latency: &done.result.clat };
        let plot = cumulative(&[latencies]);
        let values = plot.lines.iter().flat_map(|line| &line.values);
        let points = plot.at.iter().zip(values);
        curve(nth, points.filter_map(|(ns, value)| Some((ns / US, (*value)?))).collect())
    };
    load.results.iter().enumerate().map(done).collect()
}

/// Each line of a plot over time, by its name: as it goes in each report.
fn course(
    comparison: &Comparison<'_>,
    plot: fn(&History) -> Plot,
    scale: f64,
) -> Vec<(String, Vec<Curve>)> {
    let plots: Vec<Option<Plot>> =
        comparison.reports.iter().map(|report| Some(plot(&History::of(report.run)?))).collect();
    let mut names: Vec<String> = Vec::new();
    for line in plots.iter().flatten().flat_map(|plot| &plot.lines) {
        if !names.contains(&line.name) {
            names.push(line.name.clone());
        }
    }
    let of_report = |nth: usize, name: &String| {
        let found = plots[nth]
            .as_ref()
            .and_then(|plot| Some((plot, plot.lines.iter().find(|line| line.name == *name)?)));
        let Some((plot, line)) = found else { return curve(nth, Vec::new()) };
        let points = plot.at.iter().zip(&line.values);
        curve(nth, points.filter_map(|(ns, value)| Some((ns / MS, (*value)? / scale))).collect())
    };
    let reports = 0..plots.len();
    let curves = |name: &String| reports.clone().map(|nth| of_report(nth, name)).collect();
    names.iter().map(|name| (name.clone(), curves(name))).collect()
}
