//! Distribution of completion latencies: share of requests by latency, and the share not slower.

use crate::direction::Direction;
use crate::latency::Latency;
use crate::palette::SERIES;
use crate::plot::{draw_axes, svg, Area, Axes, DrawError, WIDTH};
use crate::quantity::{tick, time};
use crate::result::RunResult;
use plotters::chart::ChartBuilder;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::series::{AreaSeries, LineSeries};
use plotters::style::Color;
use std::io;
use std::ops::Range;

const HEIGHT: u32 = 320;
const LEFT: u32 = 66;
const BOTTOM: u32 = 44;
const LINE_WIDTH: u32 = 2;
/// Steps of the left chart in a factor of ten of latency.
const STEPS_A_DECADE: f64 = 20.0;
/// Most labels on the latency axis.
const MOST_TICKS: usize = 8;
/// Opacity of the area below a line.
const TINT: f64 = 0.12;

/// One line of the plot: the completion latencies of a job in a direction.
pub(crate) struct Curve<'a> {
    /// Name for the legend.
    pub(crate) name: String,
    latency: &'a Latency,
}

/// The curves of `run` in order, as many as there are colours, and how many more there are.
pub(crate) fn curves(run: &RunResult) -> (Vec<Curve<'_>>, usize) {
    let mut curves: Vec<_> = run
        .jobs
        .iter()
        .flat_map(|job| Direction::ALL.map(|direction| (job, direction)))
        .filter_map(|(job, direction)| {
            let latency = &job.active(direction)?.clat;
            Some(Curve { name: format!("{} {}", job.name, direction.name()), latency })
        })
        .collect();
    let left_out = curves.len().saturating_sub(SERIES.len());
    curves.truncate(SERIES.len());
    (curves, left_out)
}

/// The plot, or nothing without curves.
pub(crate) fn distribution(curves: &[Curve]) -> io::Result<Option<String>> {
    if curves.is_empty() {
        return Ok(None);
    }
    let range = latency_range(curves);
    svg(HEIGHT, |area| {
        let (left, right) = area.split_horizontally(WIDTH / 2);
        draw_shares(&left, curves, range.clone())?;
        draw_cumulative(&right, curves, range)
    })
    .map(Some)
}

/// From the shortest to the longest latency in nanoseconds, with room on both sides.
fn latency_range(curves: &[Curve]) -> Range<f64> {
    let moments = curves.iter().map(|curve| curve.latency.moments_ps());
    let shortest_ps = moments.clone().map(|moments| moments.min()).min().unwrap_or(0);
    let longest_ps = moments.map(|moments| moments.max()).max().unwrap_or(0);
    let shortest = (shortest_ps as f64 / 1e3).max(1.0);
    let longest = (longest_ps as f64 / 1e3).max(shortest);
    shortest / 2.0..longest * 2.0
}

fn draw_shares(area: &Area, curves: &[Curve], range: Range<f64>) -> Result<(), DrawError> {
    let lines: Vec<_> = curves.iter().map(|curve| shares(curve.latency)).collect();
    let highest = lines.iter().flatten().map(|corner| corner.1).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin_top(10)
        .margin_right(14)
        .x_label_area_size(BOTTOM)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(
            range.clone().log_scale().with_key_points(ticks(&range)),
            0.0..1.08 * highest,
        )?;
    draw_axes(&mut chart, &axes("share of requests"))?;
    for (line, ink) in lines.into_iter().zip(SERIES) {
        let border = ink.color().stroke_width(LINE_WIDTH);
        let area = AreaSeries::new(line, 0.0, ink.color().mix(TINT)).border_style(border);
        chart.draw_series(area)?;
    }
    Ok(())
}

fn draw_cumulative(area: &Area, curves: &[Curve], range: Range<f64>) -> Result<(), DrawError> {
    let mut chart = ChartBuilder::on(area)
        .margin_top(10)
        .margin_right(24)
        .x_label_area_size(BOTTOM)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(range.clone().log_scale().with_key_points(ticks(&range)), 0.0..100.0)?;
    draw_axes(&mut chart, &axes("share at most this long"))?;
    for (curve, ink) in curves.iter().zip(SERIES) {
        let line = cumulative(curve.latency, &range);
        chart.draw_series(LineSeries::new(line, ink.color().stroke_width(LINE_WIDTH)))?;
    }
    Ok(())
}

/// Positions on the latency axis: 1, 2 and 5 of each power of ten, or as few as there is room for.
fn ticks(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    let within = |steps: &[f64]| -> Vec<f64> {
        let all = decades
            .clone()
            .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        all.filter(|tick| range.contains(tick)).collect()
    };
    let fine = within(&[1.0, 2.0, 5.0]);
    if fine.len() <= MOST_TICKS {
        return fine;
    }
    let coarse = within(&[1.0]);
    let stride = coarse.len().div_ceil(MOST_TICKS).max(1);
    coarse.into_iter().step_by(stride).collect()
}

fn axes(y_name: &'static str) -> Axes<f64, f64> {
    Axes {
        x: |latency_ns| tick(&time(*latency_ns)),
        y: |percent| tick(&format!("{percent:.1} %")),
        x_name: "completion latency",
        y_name,
    }
}

/// Corners of the stepped line of shares: latency in nanoseconds, percent of requests a step.
fn shares(latency: &Latency) -> Vec<(f64, f64)> {
    let step_of = |ns: u64| ((ns.max(1) as f64).log10() * STEPS_A_DECADE).floor() as usize;
    let edge = |step: usize| 10f64.powf(step as f64 / STEPS_A_DECADE);
    let mut steps: Vec<(usize, u64)> = Vec::new();
    for (middle_ns, count) in latency.bins_ns() {
        match steps.last_mut() {
            Some((step, sum)) if *step == step_of(middle_ns) => *sum += count,
            _ => steps.push((step_of(middle_ns), count)),
        }
    }
    let mut corners = Vec::new();
    let mut reached = None;
    for (step, count) in steps {
        if reached != Some(step) {
            corners.extend(reached.map(|step| (edge(step), 0.0)));
            corners.push((edge(step), 0.0));
        }
        let percent = 100.0 * count as f64 / latency.count() as f64;
        corners.extend([(edge(step), percent), (edge(step + 1), percent)]);
        reached = Some(step + 1);
    }
    corners.extend(reached.map(|step| (edge(step), 0.0)));
    corners
}

/// Corners of the stepped line of how many percent take at most how many nanoseconds.
fn cumulative(latency: &Latency, range: &Range<f64>) -> Vec<(f64, f64)> {
    let mut corners = vec![(range.start, 0.0)];
    let (mut reached, mut percent) = (0, 0.0);
    for (middle_ns, count) in latency.bins_ns() {
        let at = (middle_ns as f64).max(range.start);
        corners.push((at, percent));
        reached += count;
        percent = 100.0 * reached as f64 / latency.count() as f64;
        corners.push((at, percent));
    }
    corners.push((range.end, percent));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values_ns: &[u64]) -> Latency {
        let mut latency = Latency::new();
        values_ns.iter().for_each(|ns| latency.record(1_000 * ns));
        latency
    }

    #[test]
    fn the_latency_axis_is_never_bare_nor_crowded() {
        let mut start = 0.5;
        while start < 1e13 {
            for ratio in [4.0, 30.0, 1e3, 1e6, 1e12] {
                let ticks = ticks(&(start..start * ratio));
                assert!((1..=MOST_TICKS).contains(&ticks.len()), "{start} x {ratio}: {ticks:?}");
            }
            start *= 1.7;
        }
    }

    #[test]
    fn shares_fall_to_zero_between_modes_and_add_up() {
        let corners = shares(&of(&[1_000, 1_000, 1_000_000, 1_000_000]));
        let zeros = corners.iter().filter(|corner| corner.1 == 0.0).count();
        assert_eq!(zeros, 4);
        assert_eq!(corners.iter().map(|corner| corner.1).fold(0.0, f64::max), 50.0);
    }

    #[test]
    fn the_cumulative_line_rises_from_none_to_all() {
        let corners = cumulative(&of(&[10, 100, 1_000, 1_000_000]), &(5.0..2e6));
        assert!(corners.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!((corners[0].1, corners[corners.len() - 1]), (0.0, (2e6, 100.0)));
    }
}
