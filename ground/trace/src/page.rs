//! Statistics as a page that needs no network: the text, and plots.

use std::io::{self, Write};

use chart::{short, Axis, Line, Page, Plot, Scale, Stroke, Unit};
use maud::{html, Markup};

use crate::open::Trace;
use crate::record::Kind;
use crate::statistics::Statistics;
use crate::text::write_text;

/// Stretches of the address space that are drawn.
const STRETCHES: usize = 192;
/// What an axis is cut into where it is cut by powers of two.
const OCTAVES: usize = 64;
/// Steps of the plot of popularity.
const RANKS: usize = 100;

/// A plot with what it shows.
struct Section {
    what: &'static str,
    note: &'static str,
    plot: Plot,
}

/// Writes the page.
///
/// # Errors
/// The errors of `out`.
pub fn write_page(trace: &Trace, statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    write_text(trace, statistics, &mut text)?;
    let name = trace.path.display().to_string();
    let mut all = Vec::new();
    if statistics.has_times {
        all.push(over_time(statistics));
        all.extend(gaps(statistics));
    }
    all.extend(sizes(statistics));
    all.push(addresses(statistics));
    all.push(popularity(statistics));
    let drawn = |section: &Section| -> io::Result<Markup> {
        let Section { what, note, plot } = section;
        Ok(html! { h2 { (what) } p.note { (note) } (plot.markup()?) })
    };
    let sections: Vec<Markup> = all.iter().map(drawn).collect::<io::Result<_>>()?;
    let body = html! {
        header { h1 { (name) } }
        pre { (String::from_utf8_lossy(&text)) }
        @for section in sections { (section) }
    };
    let page = Page { title: &format!("Trace: {name}"), inks: Vec::new(), style: "", body };
    out.write_all(page.html().as_bytes())
}

/// A plot of stepped lines. The last value of each holds up to the last position.
fn plot([x, y]: [Axis; 2], at: Vec<f64>, lines: Vec<(&'static str, Vec<f64>)>) -> Plot {
    let line = |(color, (name, values)): (usize, (&str, Vec<f64>))| {
        let last = values.last().copied();
        let values = values.into_iter().chain(last).map(|value| Some(short(value))).collect();
        Line { name: name.to_owned(), color, stroke: Stroke::Solid, job: None, values }
    };
    let lines = lines.into_iter().enumerate().map(line).collect();
    Plot::of([x, y], at, lines)
}

fn over_time(statistics: &Statistics) -> Section {
    let (interval_ns, counts) = statistics.course.intervals();
    let rate = |nth: usize| {
        let rate = |counts: &[u64; 2]| counts[nth] as f64 * 1e9 / interval_ns as f64;
        counts.iter().map(rate).collect()
    };
    let x = Axis { name: "time of the trace", unit: Unit::Nanoseconds, scale: Scale::Linear };
    let y = Axis { name: "requests / s", unit: Unit::Count, scale: Scale::Linear };
    let at = (0..=counts.len()).map(|nth| nth as f64 * interval_ns as f64).collect();
    let lines = vec![("reads", rate(0)), ("writes", rate(1))];
    Section {
        what: "Reads and writes over time",
        note: "",
        plot: plot([x, y], at, lines).with_fitting_scale(),
    }
}

fn gaps(statistics: &Statistics) -> Option<Section> {
    let mut octaves = [0; OCTAVES];
    for (ns, _, count) in statistics.gaps.list() {
        octaves[ns.max(1).ilog2() as usize] += count;
    }
    let (first, last) = filled(&octaves)?;
    let x = Axis { name: "time between arrivals", unit: Unit::Nanoseconds, scale: Scale::Log };
    let y = Axis { name: "share of arrivals", unit: Unit::Percent, scale: Scale::Linear };
    let lines = vec![("arrivals", percents(&octaves[first..=last]))];
    Some(Section {
        what: "Time between arrivals",
        note: "By powers of two.",
        plot: plot([x, y], edges(first, last), lines),
    })
}

fn sizes(statistics: &Statistics) -> Option<Section> {
    let mut octaves = [[0; OCTAVES]; 2];
    for (nth, kind) in [Kind::Read, Kind::Write].into_iter().enumerate() {
        for (length, count) in statistics.of(kind).lengths.list() {
            octaves[nth][length.ilog2() as usize] += count;
        }
    }
    let [reads, writes] = octaves;
    let either: Vec<u64> = reads.iter().zip(writes).map(|(read, write)| read + write).collect();
    let (first, last) = filled(&either)?;
    let x = Axis { name: "size", unit: Unit::Bytes, scale: Scale::Log };
    let y = Axis {
        name: "share of the reads, or of the writes",
        unit: Unit::Percent,
        scale: Scale::Linear,
    };
    let both = [("reads", &reads), ("writes", &writes)];
    let lines = both.map(|(name, octaves)| (name, percents(&octaves[first..=last])));
    Some(Section {
        what: "Sizes",
        note: "By powers of two: the step from 4 KiB on holds sizes from there to below 8 KiB.",
        plot: plot([x, y], edges(first, last), lines.to_vec()),
    })
}

fn addresses(statistics: &Statistics) -> Section {
    let region_bytes = statistics.regions.region_bytes();
    // Volumes one behind another, each as long as its highest address.
    let mut starts = Vec::new();
    let mut all = 0_u128;
    for volume in &statistics.volumes {
        starts.push(all);
        all += u128::from(volume.end.div_ceil(region_bytes));
    }
    let mut counts = vec![0.0; STRETCHES];
    for region in statistics.regions.list() {
        let place = starts[region.volume as usize] + u128::from(region.index);
        let nth = (place * STRETCHES as u128 / all.max(1)) as usize;
        counts[nth.min(STRETCHES - 1)] += region.all() as f64;
    }
    let width = all.max(1) as f64 * region_bytes as f64 / STRETCHES as f64;
    let x = Axis { name: "address", unit: Unit::Bytes, scale: Scale::Linear };
    let y = Axis { name: "requests", unit: Unit::Count, scale: Scale::Linear };
    let at = (0..=STRETCHES).map(|nth| nth as f64 * width).collect();
    Section {
        what: "Reads and writes by address",
        note: "Volumes lie one behind another. A step is one of 192 equal stretches.",
        plot: plot([x, y], at, vec![("reads and writes", counts)]).with_fitting_scale(),
    }
}

fn popularity(statistics: &Statistics) -> Section {
    let counts = statistics.regions.counts();
    let all: u64 = counts.iter().sum();
    let reached = |nth: usize| {
        let many = (counts.len() * nth).div_ceil(RANKS);
        100.0 * counts[..many].iter().sum::<u64>() as f64 / all.max(1) as f64
    };
    let x =
        Axis { name: "share of the touched regions", unit: Unit::Percent, scale: Scale::Linear };
    let y = Axis { name: "share of the requests", unit: Unit::Percent, scale: Scale::Linear };
    let at = (0..=RANKS).map(|nth| 100.0 * nth as f64 / RANKS as f64).collect();
    let lines = vec![("reads and writes", (0..RANKS).map(reached).collect())];
    Section {
        what: "How popular regions are",
        note: "Which share of the requests the most popular regions get.",
        plot: plot([x, y], at, lines),
    }
}

/// Each as percent of all.
fn percents(counts: &[u64]) -> Vec<f64> {
    let all = counts.iter().sum::<u64>().max(1) as f64;
    counts.iter().map(|count| 100.0 * *count as f64 / all).collect()
}

/// The powers of two from the first to the one behind the last.
fn edges(first: usize, last: usize) -> Vec<f64> {
    (first..=last + 1).map(|power| 2_f64.powi(power as i32)).collect()
}

/// The first and the last that is not zero.
fn filled(counts: &[u64]) -> Option<(usize, usize)> {
    let is_filled = |count: &u64| *count > 0;
    Some((counts.iter().position(is_filled)?, counts.iter().rposition(is_filled)?))
}
