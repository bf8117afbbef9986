//! Maps of how busy channels were over virtual time, as the operation monitor or looks at the drive saw them.

use crate::happenings::{Happenings, Map};
use crate::over_time::{OverTime, Span};
use crate::quantity::{tick, time};
use chart::canvas::{fill, label, Area, DrawError, Place, WIDTH};
use chart::palette::{heat, MUTED};
use chart::{drawn_over_time, Sheet, TimeSpan};
use maud::Markup;
use monitor::Interval;
use std::io;

const LEFT: i32 = 98;
const RIGHT: i32 = 24;
/// Height of the rows of the map together, at most, and of a single row.
const MAP_HEIGHT: i32 = 320;
const HIGHEST_ROW: i32 = 24;
/// Narrowest distance of the names of rows.
const ROW_NAMES: i32 = 16;
/// Height of the strip below the map that names times.
const TIMES: i32 = 26;

/// A column of the map: from when until when, and the share of that time that each channel's bus was in use.
type Column = ((u64, u64), Vec<f64>);

/// A map of how busy each channel's bus was, a row a channel and a column an interval of the monitor.
pub(crate) fn plot_channels(intervals: &[Interval], happenings: &Happenings) -> io::Result<Markup> {
    let column = |interval: &Interval| {
        let channels = interval.counts.channels.iter();
        let shares = channels.map(|channel| interval.share(channel.busy_ps)).collect();
        ((interval.from_ps, interval.to_ps), shares)
    };
    let columns: Vec<_> = intervals.iter().map(column).collect();
    draw("channel utilisation", &columns, happenings)
}

/// The same, a column the time between two looks at the drive.
pub(crate) fn channels_over_time(
    over_time: &OverTime,
    happenings: &Happenings,
) -> io::Result<Markup> {
    let column = |span: Span<'_>| ((span.from_ps(), span.to_ps()), span.channels().collect());
    let columns: Vec<_> = over_time.spans().map(column).collect();
    draw("use of channels over time", &columns, happenings)
}

fn draw(name: &str, columns: &[Column], happenings: &Happenings) -> io::Result<Markup> {
    let channels = columns.first().map_or(0, |(_, shares)| shares.len()) as i32;
    let row = (MAP_HEIGHT / channels.max(1)).clamp(3, HIGHEST_ROW);
    let bottom = row * channels;
    let end_ps = columns.last().map_or(1, |((_, to_ps), _)| (*to_ps).max(1));
    let (left, right) = (LEFT, WIDTH as i32 - RIGHT);
    let svg = Sheet::of_height((bottom + TIMES) as u32).svg(|area| {
        let width = f64::from(right - left);
        let share = |at_ps: u64| (at_ps as f64 / end_ps as f64).min(1.0);
        let pixel = |at_ps: u64| LEFT + (width * share(at_ps)).round() as i32;
        for ((from_ps, to_ps), shares) in columns {
            let (left, right) = (pixel(*from_ps), pixel(*to_ps));
            for (nth, share) in shares.iter().enumerate() {
                let top = row * nth as i32;
                let corners = [(left, top), (right.max(left + 1), top + row - 1)];
                fill(area, corners, heat(*share))?;
            }
        }
        happenings.draw(area, Map { left, right, top: 0, bottom, end_ps })?;
        draw_names(area, channels, row)?;
        let time_at = |ps: u64| tick(&time(ps as f64 / 1e3));
        let start = Place::start((LEFT, bottom + 14)).ink(MUTED);
        label(area, &time_at(0), start)?;
        label(area, &time_at(end_ps), Place::end((right, bottom + 14)).ink(MUTED))
    })?;
    Ok(drawn_over_time(&svg, name, TimeSpan { left, right, end_ns: end_ps as f64 / 1e3 }))
}

fn draw_names(area: &Area, channels: i32, row: i32) -> Result<(), DrawError> {
    let stride = (ROW_NAMES + row - 1) / row;
    for nth in (0..channels).step_by(stride as usize) {
        let at = (LEFT - 10, row * nth + row / 2);
        let place = Place::end(at).ink(MUTED);
        label(area, &format!("channel {nth}"), place)?;
    }
    Ok(())
}
