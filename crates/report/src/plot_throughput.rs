//! Throughput over virtual time: bandwidth above, requests a second below.

use crate::direction::Direction;
use crate::palette::{AXIS, MUTED, SERIES};
use crate::plot::{draw_axes, label, shortened, svg, Anchor, Area, Axes, DrawError, Place, WIDTH};
use crate::quantity::{count, rate, tick, time};
use crate::result::{seconds, RunResult};
use crate::series::Bin;
use plotters::chart::ChartBuilder;
use plotters::element::PathElement;
use plotters::series::LineSeries;
use plotters::style::Color;
use std::collections::BTreeMap;
use std::io;

const HEIGHT: u32 = 460;
/// Height of the strip above the charts that names the jobs.
const NAMES: i32 = 22;
const LEFT: u32 = 98;
const RIGHT: u32 = 24;
const BOTTOM: u32 = 44;
/// Most points of a line.
const POINTS: usize = 250;
const LINE_WIDTH: u32 = 2;

/// The plot, or nothing when no request completed.
pub(crate) fn throughput(run: &RunResult) -> io::Result<Option<String>> {
    let Some(history) = History::of(run) else {
        return Ok(None);
    };
    svg(HEIGHT, |area| {
        let (names, charts) = area.split_vertically(NAMES);
        let (above, below) = charts.split_vertically((HEIGHT as i32 - NAMES) / 2);
        draw_names(&names, &history)?;
        draw_chart(&above, &history, &Measure::BANDWIDTH)?;
        draw_chart(&below, &history, &Measure::IOPS)
    })
    .map(Some)
}

/// The directions that have requests, with the indices of their colours in [`SERIES`].
pub(crate) fn directions(run: &RunResult) -> Vec<(Direction, usize)> {
    let used = |direction: &Direction| {
        run.series.bins().iter().any(|bin| bin.ios[*direction as usize] > 0)
    };
    Direction::ALL
        .into_iter()
        .filter(used)
        .map(|direction| (direction, direction as usize))
        .collect()
}

struct History<'a> {
    bins: Vec<Bin>,
    bin_width_ps: u64,
    end_ps: u64,
    /// Names of the jobs by the time at which they start.
    phases: BTreeMap<u64, Vec<&'a str>>,
}

impl<'a> History<'a> {
    /// The history of `run`; `None` when no request completed.
    fn of(run: &'a RunResult) -> Option<Self> {
        let (bin_width_ps, mut bins) = run.series.coarsened(POINTS);
        let end_ps = run.series.end_ps().max(1);
        let last_start_ps = bin_width_ps.saturating_mul(bins.len().checked_sub(1)? as u64);
        // A short rest at the end would show a rate that says nothing; its neighbour takes it in.
        if end_ps - last_start_ps < bin_width_ps / 2 && bins.len() > 1 {
            let rest = bins.pop()?;
            bins.last_mut()?.add(&rest);
        }
        Some(Self { bins, bin_width_ps, end_ps, phases: phases(run, end_ps) })
    }

    /// Corners of the stepped lines of one direction: seconds, amount a second. Where nothing
    /// completed there is no line.
    fn steps(&self, direction: Direction, measure: &Measure) -> Vec<Vec<(f64, f64)>> {
        let mut lines: Vec<Vec<_>> = Vec::new();
        let mut idle = true;
        for (index, bin) in self.bins.iter().enumerate() {
            let amount = (measure.amount)(bin)[direction as usize];
            if amount == 0 {
                idle = true;
                continue;
            }
            let start_ps = self.bin_width_ps.saturating_mul(index as u64);
            let end_ps = match index + 1 == self.bins.len() {
                true => self.end_ps,
                false => start_ps.saturating_add(self.bin_width_ps),
            };
            // A run may be no more than an instant.
            let span_ps = end_ps.saturating_sub(start_ps).max(self.bin_width_ps / 8);
            if idle {
                lines.push(Vec::new());
                idle = false;
            }
            let height = amount as f64 / seconds(span_ps);
            if let Some(line) = lines.last_mut() {
                line.extend([(seconds(start_ps), height), (seconds(end_ps), height)]);
            }
        }
        lines
    }
}

struct Measure {
    amount: fn(&Bin) -> [u64; 3],
    text: fn(&f64) -> String,
    x_name: &'static str,
    y_name: &'static str,
}

impl Measure {
    const BANDWIDTH: Self = Self {
        amount: |bin| bin.bytes,
        text: |value| tick(&rate(*value)),
        x_name: "",
        y_name: "bandwidth",
    };
    const IOPS: Self = Self {
        amount: |bin| bin.ios,
        text: |value| tick(&count(*value)),
        x_name: "virtual time",
        y_name: "requests / s",
    };
}

fn draw_chart(area: &Area, history: &History, measure: &Measure) -> Result<(), DrawError> {
    let lines = Direction::ALL.map(|direction| history.steps(direction, measure));
    let corners = lines.iter().flatten().flatten();
    let highest = corners.map(|corner| corner.1).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(RIGHT)
        .x_label_area_size(BOTTOM)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(0.0..seconds(history.end_ps), 0.0..1.08 * highest)?;
    let axes = Axes {
        x: |at_s: &f64| tick(&time(1e9 * at_s)),
        y: measure.text,
        x_name: measure.x_name,
        y_name: measure.y_name,
    };
    draw_axes(&mut chart, &axes)?;
    for start_ps in history.phases.keys().filter(|start_ps| **start_ps > 0) {
        let at = seconds(*start_ps);
        let line = vec![(at, 0.0), (at, 1.08 * highest)];
        chart.draw_series([PathElement::new(line, AXIS.color())])?;
    }
    for (lines, ink) in lines.into_iter().zip(SERIES) {
        for line in lines {
            let style = ink.color().stroke_width(LINE_WIDTH);
            chart.draw_series(LineSeries::new(line, style))?;
        }
    }
    Ok(())
}

/// The names of the jobs by the time at which they start.
fn phases(run: &RunResult, end_ps: u64) -> BTreeMap<u64, Vec<&str>> {
    let mut phases: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for job in run.jobs.iter().filter(|job| job.start_ps < end_ps) {
        let starting = phases.entry(job.start_ps).or_default();
        if !starting.contains(&job.name.as_str()) {
            starting.push(&job.name);
        }
    }
    phases
}

/// Names the jobs where they start, as far as there is room.
fn draw_names(area: &Area, history: &History) -> Result<(), DrawError> {
    let History { phases, end_ps, .. } = history;
    let chart_width = f64::from(WIDTH - LEFT - RIGHT);
    let pixel =
        |at_ps: u64| LEFT as i32 + (chart_width * at_ps as f64 / *end_ps as f64).round() as i32;
    let ends = phases.keys().skip(1).chain([end_ps]);
    for ((start_ps, jobs), next_ps) in phases.iter().zip(ends) {
        let (left, right) = (pixel(*start_ps), pixel(*next_ps));
        let text = shortened(&jobs.join(", "), (right - left - 8).max(0) as usize);
        if text.chars().count() > 2 {
            let place = Place { at: (left + 4, NAMES / 2), anchor: Anchor::Start, ink: MUTED };
            label(area, &text, place)?;
        }
    }
    Ok(())
}
