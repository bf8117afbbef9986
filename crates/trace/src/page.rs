//! Statistics as a page that needs no network: the text, and bars.

use std::io::{self, Write};

use crate::open::Trace;
use crate::record::Kind;
use crate::statistics::Statistics;
use crate::text::{bytes, time, write_text};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 140.0;
/// Stretches of the address space that are drawn.
const STRETCHES: usize = 192;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Trace</title><style>\n\
    body{font:15px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\n\
    pre{overflow-x:auto;background:#f4f4f4;padding:1em}svg{width:100%;height:auto}\n\
    .a{fill:#2b6cb0}.b{fill:#c05621}h2{font-size:1.1em;margin:1.5em 0 .3em}p{margin:.2em 0}\n\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}}\n\
    </style></head><body>\n";

/// One bar: its part in the first colour, and in the second on top of it.
type Bar = [f64; 2];

/// Writes the page.
///
/// # Errors
/// Those of `out`.
pub fn write_page(trace: &Trace, statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    write_text(trace, statistics, &mut text)?;
    out.write_all(HEAD.as_bytes())?;
    let name = escaped(&trace.path.display().to_string());
    writeln!(out, "<h1>{name}</h1><pre>{}</pre>", escaped(&String::from_utf8_lossy(&text)))?;
    if statistics.has_times {
        let (interval_ns, counts) = statistics.course.intervals();
        let bars: Vec<Bar> =
            counts.iter().map(|&[read, write]| [read as f64, write as f64]).collect();
        let each = time(interval_ns as f64);
        let end = time(interval_ns as f64 * bars.len() as f64);
        let what = format!("Reads and writes over time, in intervals of {each}, from 0 to {end}");
        write_chart(&what, &bars, out)?;
        write_gaps(statistics, out)?;
    }
    write_sizes(statistics, out)?;
    write_addresses(statistics, out)?;
    write_ranks(statistics, out)?;
    writeln!(out, "<p>Blue: reads, or all requests. Orange, on top: writes.</p></body></html>")
}

fn write_gaps(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let mut octaves = vec![[0.0; 2]; 64];
    for (ns, _, count) in statistics.gaps.list() {
        octaves[ns.max(1).ilog2() as usize][0] += count as f64;
    }
    let Some((first, last)) = filled(&octaves) else { return Ok(()) };
    let ends = (time(2_f64.powi(first as i32)), time(2_f64.powi(last as i32 + 1)));
    let what = format!("Time between arrivals, by powers of two from {} to {}", ends.0, ends.1);
    write_chart(&what, &octaves[first..=last], out)
}

fn write_sizes(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let mut octaves = vec![[0.0; 2]; 64];
    for (nth, kind) in [Kind::Read, Kind::Write].into_iter().enumerate() {
        for (length, count) in statistics.of(kind).lengths.list() {
            octaves[length.next_power_of_two().ilog2() as usize][nth] += count as f64;
        }
    }
    let Some((first, last)) = filled(&octaves) else { return Ok(()) };
    let ends = (bytes(2_f64.powi(first as i32)), bytes(2_f64.powi(last as i32)));
    let what = format!("Sizes, rounded up to powers of two from {} to {}", ends.0, ends.1);
    write_chart(&what, &octaves[first..=last], out)
}

fn write_addresses(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let region_bytes = statistics.regions.region_bytes();
    // Volumes one behind another, each as long as its highest address.
    let mut starts = Vec::new();
    let mut all = 0_u128;
    for volume in &statistics.volumes {
        starts.push(all);
        all += u128::from(volume.end.div_ceil(region_bytes));
    }
    let mut bars = vec![[0.0; 2]; STRETCHES];
    for region in statistics.regions.list() {
        let place = starts[region.volume as usize] + u128::from(region.index);
        let nth = (place * STRETCHES as u128 / all.max(1)) as usize;
        bars[nth.min(STRETCHES - 1)][0] += region.all() as f64;
    }
    let end = bytes(all as f64 * region_bytes as f64);
    let what = format!("Requests by address, the volumes one behind another, from 0 to {end}");
    write_chart(&what, &bars, out)
}

fn write_ranks(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let counts = statistics.regions.counts();
    let all: u64 = counts.iter().sum();
    let percent = |nth: usize| -> Bar {
        let [from, to] = [nth, nth + 1].map(|nth| counts.len() * nth / 100);
        [counts[from..to].iter().sum::<u64>() as f64 / all.max(1) as f64, 0.0]
    };
    let bars: Vec<Bar> = (0..100).map(percent).collect();
    let what = "Share of the requests by percent of the touched regions, the most popular first";
    write_chart(what, &bars, out)
}

/// From the first to the last bar that is not empty.
fn filled(bars: &[Bar]) -> Option<(usize, usize)> {
    let is_filled = |bar: &Bar| bar[0] + bar[1] > 0.0;
    Some((bars.iter().position(is_filled)?, bars.iter().rposition(is_filled)?))
}

fn write_chart(what: &str, bars: &[Bar], out: &mut impl Write) -> io::Result<()> {
    let most = bars.iter().map(|bar| bar[0] + bar[1]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    writeln!(out, "<h2>{what}</h2><p>The highest bar: {}</p>", (most * 1e4).round() / 1e4)?;
    writeln!(out, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">")?;
    let width = WIDTH / bars.len().max(1) as f64;
    for (nth, bar) in bars.iter().enumerate() {
        let mut top = HEIGHT;
        for (part, class) in bar.iter().zip(["a", "b"]) {
            let height = HEIGHT * part / most;
            if height > 0.0 {
                top -= height;
                let (x, w) = (width * nth as f64, (width - 0.5).max(0.5));
                writeln!(out, "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{top:.2}\" width=\"{w:.2}\" height=\"{height:.2}\"/>")?;
            }
        }
    }
    writeln!(out, "</svg>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
