//! What the operation monitor saw, over virtual time.

use crate::palette::{heat, MUTED, SERIES};
use crate::plot::{draw_axes, fill, label, svg, Anchor, Area, Axes, DrawError, Place, WIDTH};
use crate::quantity::{count, rate, share, tick, time};
use crate::result::seconds;
use monitor::Interval;
use plotters::chart::ChartBuilder;
use plotters::series::LineSeries;
use plotters::style::Color;
use std::io;

const HEIGHT: u32 = 240;
const LEFT: i32 = 98;
const RIGHT: i32 = 24;
const BOTTOM: u32 = 44;
const LINE_WIDTH: u32 = 2;
/// Height of the rows of the map together, at most, and of one.
const MAP_HEIGHT: i32 = 320;
const HIGHEST_ROW: i32 = 24;
/// Narrowest distance of the names of rows.
const ROW_NAMES: i32 = 16;
/// Height of the strip below the map that names times.
const TIMES: i32 = 26;

/// A value of an interval, if it has one.
pub(crate) type Value<'a> = Box<dyn Fn(&Interval) -> Option<f64> + 'a>;

/// Values over time: one line each, in the colours of [`SERIES`].
pub(crate) struct Lines<'a> {
    /// Index of a line's colour, and its value in each interval.
    pub(crate) lines: Vec<(usize, Value<'a>)>,
    /// Text of a position on the vertical axis.
    pub(crate) text: fn(&f64) -> String,
    /// Name of the vertical axis.
    pub(crate) name: &'static str,
}

/// Text of a rate, for [`Lines::text`].
pub(crate) fn rate_text(value: &f64) -> String {
    tick(&rate(*value))
}

/// Text of a count, for [`Lines::text`].
pub(crate) fn count_text(value: &f64) -> String {
    tick(&count(*value))
}

/// Text of a share, for [`Lines::text`].
pub(crate) fn share_text(value: &f64) -> String {
    tick(&share(*value))
}

/// Draws lines over the intervals, of which there are some.
pub(crate) fn plot_lines(intervals: &[Interval], lines: &Lines<'_>) -> io::Result<String> {
    let end_s = seconds(end_ps(intervals));
    let steps: Vec<_> =
        lines.lines.iter().map(|(color, value)| (*color, steps(intervals, value))).collect();
    let corners = steps.iter().flat_map(|(_, parts)| parts.iter().flatten());
    let highest = corners.map(|corner| corner.1).fold(0.0, f64::max);
    let highest = if highest > 0.0 { 1.08 * highest } else { 1.0 };
    svg(HEIGHT, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(8)
            .margin_right(RIGHT)
            .x_label_area_size(BOTTOM)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(0.0..end_s, 0.0..highest)?;
        let axes = Axes {
            x: |at_s: &f64| tick(&time(1e9 * at_s)),
            y: lines.text,
            x_name: "virtual time",
            y_name: lines.name,
        };
        draw_axes(&mut chart, &axes)?;
        for (color, parts) in steps {
            for part in parts {
                let style = SERIES[color].color().stroke_width(LINE_WIDTH);
                chart.draw_series(LineSeries::new(part, style))?;
            }
        }
        Ok(())
    })
}

/// Corners of a stepped line; where an interval has no value the line breaks.
fn steps(intervals: &[Interval], value: &Value<'_>) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<_>> = Vec::new();
    let mut broken = true;
    for interval in intervals {
        let Some(height) = value(interval) else {
            broken = true;
            continue;
        };
        if broken {
            parts.push(Vec::new());
            broken = false;
        }
        if let Some(part) = parts.last_mut() {
            part.extend([(seconds(interval.from_ps), height), (seconds(interval.to_ps), height)]);
        }
    }
    parts
}

fn end_ps(intervals: &[Interval]) -> u64 {
    intervals.last().map_or(1, |last| last.to_ps.max(1))
}

/// A map of how busy each channel's bus was, a row a channel and a column an interval.
pub(crate) fn plot_channels(intervals: &[Interval]) -> io::Result<String> {
    let channels = intervals.first().map_or(0, |first| first.counts.channels.len()) as i32;
    let row = (MAP_HEIGHT / channels.max(1)).clamp(3, HIGHEST_ROW);
    let bottom = row * channels;
    svg((bottom + TIMES) as u32, |area| {
        let end_ps = end_ps(intervals);
        let width = f64::from(WIDTH as i32 - LEFT - RIGHT);
        let pixel = |at_ps: u64| LEFT + (width * at_ps as f64 / end_ps as f64).round() as i32;
        for interval in intervals {
            let (left, right) = (pixel(interval.from_ps), pixel(interval.to_ps));
            for (nth, channel) in interval.counts.channels.iter().enumerate() {
                let top = row * nth as i32;
                let corners = [(left, top), (right.max(left + 1), top + row - 1)];
                fill(area, corners, heat(interval.share(channel.busy_ps)))?;
            }
        }
        draw_names(area, channels, row)?;
        let time_at = |ps: u64| tick(&time(ps as f64 / 1e3));
        let start = Place { at: (LEFT, bottom + 14), anchor: Anchor::Start, ink: MUTED };
        label(area, &time_at(0), start)?;
        let at = (WIDTH as i32 - RIGHT, bottom + 14);
        label(area, &time_at(end_ps), Place { at, anchor: Anchor::End, ink: MUTED })
    })
}

fn draw_names(area: &Area, channels: i32, row: i32) -> Result<(), DrawError> {
    let stride = (ROW_NAMES + row - 1) / row;
    for nth in (0..channels).step_by(stride as usize) {
        let at = (LEFT - 10, row * nth + row / 2);
        let place = Place { at, anchor: Anchor::End, ink: MUTED };
        label(area, &format!("channel {nth}"), place)?;
    }
    Ok(())
}
