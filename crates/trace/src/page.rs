//! Statistics as a page that needs no network: the text, and bars.

use std::io::{self, Write};

use chart::bars::Histogram;
use chart::number::significant;
use chart::{drawn, Page};
use maud::{html, Markup};

use crate::open::Trace;
use crate::record::Kind;
use crate::statistics::Statistics;
use crate::text::{bytes, time, write_text};

/// Stretches of the address space that are drawn.
const STRETCHES: usize = 192;

/// What an axis is cut into where it is cut by powers of two.
const OCTAVES: usize = 64;

/// Bars with what they are of. Of each bar the reads, or all requests, and the writes on top of them.
struct Bars {
    what: String,
    bars: Vec<Vec<f64>>,
    /// What stands at the ends of the axis.
    ends: [String; 2],
}

/// Writes the page.
///
/// # Errors
/// Those of `out`, and of the drawing library.
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
    all.push(ranks(statistics));
    let pictures: Vec<Markup> = all.iter().map(picture).collect::<io::Result<_>>()?;
    let body = html! {
        header { h1 { (name) } }
        pre { (String::from_utf8_lossy(&text)) }
        @for picture in pictures { (picture) }
        p.note { "Blue: reads, or all requests. Orange, on top: writes." }
    };
    let page = Page { title: &format!("Trace: {name}"), inks: Vec::new(), style: "", body };
    out.write_all(page.html().as_bytes())
}

fn picture(bars: &Bars) -> io::Result<Markup> {
    let highest = bars.bars.iter().map(|bar| bar.iter().sum()).fold(0.0, f64::max);
    let highest = format!("the highest bar: {}", significant(highest, 6));
    let [from, to] = &bars.ends;
    let svg = Histogram { bars: &bars.bars, ends: [from, to], highest: &highest }.svg()?;
    Ok(html! { h2 { (bars.what) } (drawn(&svg, &bars.what)) })
}

fn over_time(statistics: &Statistics) -> Bars {
    let (interval_ns, counts) = statistics.course.intervals();
    let bars: Vec<_> =
        counts.iter().map(|counts| counts.map(|count| count as f64).to_vec()).collect();
    let end_ns = interval_ns as f64 * bars.len() as f64;
    let what = format!("Reads and writes over time, in intervals of {}", time(interval_ns as f64));
    Bars { what, bars, ends: ["0".to_owned(), time(end_ns)] }
}

fn gaps(statistics: &Statistics) -> Option<Bars> {
    let mut octaves = vec![vec![0.0; 2]; OCTAVES];
    for (ns, _, count) in statistics.gaps.list() {
        octaves[ns.max(1).ilog2() as usize][0] += count as f64;
    }
    let (first, last) = filled(&octaves)?;
    Some(Bars {
        what: "Time between arrivals, by powers of two".to_owned(),
        bars: octaves[first..=last].to_vec(),
        ends: [first, last + 1].map(|power| time(2_f64.powi(power as i32))),
    })
}

fn sizes(statistics: &Statistics) -> Option<Bars> {
    let mut octaves = vec![vec![0.0; 2]; OCTAVES];
    for (nth, kind) in [Kind::Read, Kind::Write].into_iter().enumerate() {
        for (length, count) in statistics.of(kind).lengths.list() {
            octaves[length.next_power_of_two().ilog2() as usize][nth] += count as f64;
        }
    }
    let (first, last) = filled(&octaves)?;
    Some(Bars {
        what: "Sizes, rounded up to powers of two".to_owned(),
        bars: octaves[first..=last].to_vec(),
        ends: [first, last].map(|power| bytes(2_f64.powi(power as i32))),
    })
}

fn addresses(statistics: &Statistics) -> Bars {
    let region_bytes = statistics.regions.region_bytes();
    // Volumes one behind another, each as long as its highest address.
    let mut starts = Vec::new();
    let mut all = 0_u128;
    for volume in &statistics.volumes {
        starts.push(all);
        all += u128::from(volume.end.div_ceil(region_bytes));
    }
    let mut bars = vec![vec![0.0; 2]; STRETCHES];
    for region in statistics.regions.list() {
        let place = starts[region.volume as usize] + u128::from(region.index);
        let nth = (place * STRETCHES as u128 / all.max(1)) as usize;
        bars[nth.min(STRETCHES - 1)][0] += region.all() as f64;
    }
    Bars {
        what: "Requests by address, the volumes one behind another".to_owned(),
        bars,
        ends: ["0".to_owned(), bytes(all as f64 * region_bytes as f64)],
    }
}

fn ranks(statistics: &Statistics) -> Bars {
    let counts = statistics.regions.counts();
    let all: u64 = counts.iter().sum();
    let percent = |nth: usize| {
        let [from, to] = [nth, nth + 1].map(|nth| counts.len() * nth / 100);
        vec![counts[from..to].iter().sum::<u64>() as f64 / all.max(1) as f64]
    };
    Bars {
        what: "Share of the requests by percent of the touched regions".to_owned(),
        bars: (0..100).map(percent).collect(),
        ends: ["the most popular".to_owned(), "the least popular".to_owned()],
    }
}

/// From the first to the last bar that is not empty.
fn filled(bars: &[Vec<f64>]) -> Option<(usize, usize)> {
    let is_filled = |bar: &Vec<f64>| bar.iter().sum::<f64>() > 0.0;
    Some((bars.iter().position(is_filled)?, bars.iter().rposition(is_filled)?))
}
