//! Sections of the page on the drive over time, on latencies over time, and on its blocks.

use crate::direction::Direction;
use crate::drive::Counted;
use crate::entry_waits::NAMES;
use crate::happenings::Happenings;
use crate::html_section::{plots, Section};
use crate::json_over_time::{dies_a_channel, grown, PERCENTILES};
use crate::over_time::{mean, AmplificationByCause, Look, Span};
use crate::plot_blocks::block_pictures;
use crate::plot_channels::channels_over_time;
use crate::plot_latencies::latency_pictures;
use crate::quantity::{share, time, total};
use crate::result::RunResult;
use chart::bars::{lying, Bar, BarPart};
use chart::{short, Axis, Line, Plot, Scale, Stroke, Unit};
use machine::EntryWaits;
use maud::{html, Markup};
use std::io;

/// A line's name, and its value between two looks.
type Drawn<'a> = (String, Box<dyn Fn(&Span<'_>) -> Option<f64> + 'a>);

/// The sections, those left out of which nothing is known.
pub(crate) fn over_time(run: &RunResult) -> io::Result<Vec<Section<'_>>> {
    let mut sections = Vec::new();
    let happenings = Happenings::of(run);
    let mut add = |heading, note, body| sections.push(Section { heading, note, body: Some(body) });
    if let Some(percentiles) = percentiles(run) {
        add(
            "Latency over time, by percentile",
            "Of the requests that completed at the time; a percentile lies within an eighth of what it is. Below, \
             how many requests took how long: the darker, the more, on a logarithmic scale.",
            html! { (plots(&[happenings.mark(percentiles)])?) (latency_pictures(run, &happenings)?) },
        );
    }
    if !run.over_time.is_empty() {
        add(
            "The drive over time",
            "What the drive did between two looks at its counters, and levels at the second. All plots over time are \
             zoomed together. In each of them a vertical line marks the start of a job, and strips at the lower edge mark \
             when the drive collected, levelled wear, refreshed data or repeated reads.",
            html! {
                (plots(&of_drive(run).into_iter().map(|plot| happenings.mark(plot)).collect::<Vec<_>>())?)
                (channels_over_time(&run.over_time, &happenings)?)
            },
        );
    }
    if let Some(map) = &run.blocks {
        add(
            "Blocks at the end",
            "A row a way and a column a block, or several of them where there are many. Age is what has become invalid in \
             the way since the block changed.",
            block_pictures(map)?,
        );
    }
    if !run.drive.entry_waits.is_nothing() {
        add("Why buffer entries were not free", ENTRY_NOTE, entry_waits(&run.drive.entry_waits));
    }
    Ok(sections)
}

const ENTRY_NOTE: &str =
    "What operations before them were doing while operations of commands waited for their buffer entry, as shares of all \
     of that time. An operation may wait without making its command longer.";

fn entry_waits(waited: &EntryWaits) -> Markup {
    let all_ps = total(waited.times_ps()).max(1) as f64;
    let bar = |((name, _), ps): (&(&str, &str), u64)| {
        let own = ps as f64 / all_ps;
        let amount = format!("{} · {}", time(ps as f64 / 1e3), share(own));
        let part = BarPart { share: own, ink: "series-0".into(), title: amount.clone() };
        Bar { job: None, name: (*name).to_string(), parts: vec![part], amount }
    };
    let waits = NAMES.iter().zip(waited.times_ps()).filter(|(_, ps)| *ps > 0);
    lying(&waits.map(bar).collect::<Vec<_>>())
}

/// Percentiles of latency by direction.
fn percentiles(run: &RunResult) -> Option<Plot> {
    let (width_ps, rows) = run.series.rows();
    let mut lines = Vec::new();
    for direction in Direction::ALL {
        let Some(map) = run.series.latencies(direction) else { continue };
        for (nth, (name, percentile)) in PERCENTILES.into_iter().enumerate() {
            let value = |(row, bin): (usize, &crate::series::Bin)| {
                let longest_ps = bin.longest_ps[direction as usize];
                let found = map.row(row).percentile_ps(percentile).map(|ps| ps.min(longest_ps));
                found.map(|ps| short(ps as f64 / 1e3))
            };
            let mut values: Vec<_> = rows.iter().enumerate().map(value).collect();
            values.push(values.last().copied().flatten());
            let color = 3 * direction as usize + nth;
            let name = format!("{}, {name}", direction.name());
            lines.push(Line { name, color, stroke: Stroke::Solid, job: None, values });
        }
    }
    let end_ps = run.series.end_ps();
    let starts = (0..rows.len()).map(|row| width_ps.saturating_mul(row as u64));
    let at = starts.chain([end_ps.max(width_ps.saturating_mul(rows.len().max(1) as u64 - 1) + 1)]);
    let y = Axis { name: "completion latency", unit: Unit::Nanoseconds, scale: Scale::Log };
    let at = at.map(|ps| ps as f64 / 1e3).collect();
    (!lines.is_empty()).then(|| Plot::of([Axis::TIME, y], at, lines))
}

/// Plots of the looks.
fn of_drive(run: &RunResult) -> Vec<Plot> {
    let is_told = run.drive.counted == Counted::ByFirmware;
    let of = |name: &str, value: fn(&Span<'_>) -> u64| -> Drawn<'_> {
        (name.to_string(), Box::new(move |span| Some(value(span) as f64)))
    };
    let mut all = Vec::new();
    if grown(run, |look| look.written_bytes) > 0 {
        let y = Axis { name: "write amplification", unit: Unit::Count, scale: Scale::Linear };
        all.push(plot(run, y, amplification(run, is_told)));
    }
    if is_told {
        let a_second = |name: &str, counter: fn(&Look) -> u64| -> Drawn<'_> {
            let value = move |span: &Span<'_>| {
                let passed_ps = (span.to_ps() - span.from_ps()).max(1);
                Some(span.grown(counter) as f64 * 1e12 / passed_ps as f64)
            };
            (name.to_string(), Box::new(value))
        };
        if grown(run, |look| look.erases) > 0 {
            let y = Axis { name: "blocks / s", unit: Unit::Count, scale: Scale::Linear };
            let lines = vec![
                a_second("erased", |look| look.erases),
                a_second("collected", |look| look.collections),
            ];
            all.push(plot(run, y, lines));
        }
        let y = Axis { name: "free blocks", unit: Unit::Count, scale: Scale::Linear };
        all.push(plot(run, y, vec![of("free blocks", |span| span.after.free_blocks)]));
        let y = Axis { name: "dirty buffer entries", unit: Unit::Count, scale: Scale::Linear };
        all.push(plot(run, y, vec![of("dirty entries", |span| span.after.dirty_entries)]));
    }
    let y = Axis { name: "outstanding commands", unit: Unit::Count, scale: Scale::Linear };
    let outstanding = vec![
        of("handed out by the host", |span| span.after.outstanding),
        of("in the drive", |span| span.after.outstanding_in_drive),
    ];
    all.push(plot(run, y, outstanding));
    let dies = dies_a_channel(run);
    let y = Axis { name: "share of time in use", unit: Unit::Percent, scale: Scale::Linear };
    let in_use: Vec<Drawn<'_>> = vec![
        ("channels, mean".into(), Box::new(|span| Some(100.0 * mean(span.channels())))),
        ("dies, mean".into(), Box::new(move |span| Some(100.0 * mean(span.dies(dies))))),
    ];
    all.push(plot(run, y, in_use));
    all
}

/// Write amplification, and by its causes that are there, if the firmware tells of any.
fn amplification(run: &RunResult, is_told: bool) -> Vec<Drawn<'_>> {
    let of = move |span: &Span<'_>| span.amplification(run.page_bytes);
    let sum = move |span: &Span<'_>| of(span).map(|by| by.values().iter().sum());
    let mut lines: Vec<Drawn<'_>> = vec![("all".into(), Box::new(sum))];
    for (nth, (name, _)) in AmplificationByCause::NAMES.iter().enumerate() {
        let is_there = |span: Span<'_>| of(&span).is_some_and(|by| by.values()[nth] > 0.0);
        if is_told && run.over_time.spans().any(is_there) {
            let value = move |span: &Span<'_>| of(span).map(|by| by.values()[nth]);
            lines.push(((*name).into(), Box::new(value)));
        }
    }
    lines
}

fn plot(run: &RunResult, y: Axis, lines: Vec<Drawn<'_>>) -> Plot {
    let spans: Vec<_> = run.over_time.spans().collect();
    let line = |(color, (name, value)): (usize, Drawn<'_>)| {
        let mut values: Vec<_> = spans.iter().map(|span| value(span).map(short)).collect();
        values.push(values.last().copied().flatten());
        Line { name, color, stroke: Stroke::Solid, job: None, values }
    };
    let starts = spans.iter().map(Span::from_ps);
    let all = starts.chain(spans.last().map(Span::to_ps));
    Plot::of(
        [Axis::TIME, y],
        all.map(|ps| ps as f64 / 1e3).collect(),
        lines.into_iter().enumerate().map(line).collect(),
    )
    .with_fitting_scale()
}
