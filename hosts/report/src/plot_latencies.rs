//! Maps of latencies: over virtual time, by queue, and by channel. A cell is the darker the more requests it has.

use crate::direction::Direction;
use crate::drive::ChannelResult;
use crate::happenings::{Happenings, Map};
use crate::quantity::{tick, time};
use crate::queues::QueueResult;
use crate::result::RunResult;
use chart::canvas::{fill, label, Area, DrawError, Place, WIDTH};
use chart::palette::{heat, MUTED};
use chart::{drawn, drawn_over_time, Sheet, TimeSpan};
use machine::LatencySteps;
use maud::{html, Markup};
use std::io;

const LEFT: i32 = 98;
const RIGHT: i32 = 24;
/// Height of the map, at most, and of a row.
const MAP_HEIGHT: i32 = 300;
const HIGHEST_ROW: i32 = 12;
/// Narrowest distance of the names of rows, and of columns.
const ROW_NAMES: i32 = 20;
const COLUMN_NAMES: i32 = 48;
/// Height of the strips above the map, which names it, and below, which names columns.
const ABOVE: i32 = 24;
const BELOW: i32 = 26;
/// How far below the map the middle of the names of columns is.
const NAMES_BELOW: i32 = 14;

/// Requests by step of latency, of one column.
type Column = Vec<(usize, u64)>;

/// A map a direction over virtual time.
pub(crate) fn latency_pictures(run: &RunResult, happenings: &Happenings) -> io::Result<Markup> {
    let (width_ps, rows) = run.series.rows();
    let end_ps = width_ps.saturating_mul(rows.len() as u64);
    let end = tick(&time(end_ps as f64 / 1e3));
    let mut all = Vec::new();
    for direction in Direction::ALL {
        let Some(map) = run.series.latencies(direction) else { continue };
        let column =
            |row| map.row(row).counted().map(|(step, count)| (step, u64::from(count))).collect();
        let columns: Vec<Column> = (0..rows.len()).map(column).collect();
        let name = format!("latency of each {} over virtual time", direction.name());
        let svg = picture(&name, &columns, |area, bottom| {
            let (left, right) = (LEFT, WIDTH as i32 - RIGHT);
            happenings.draw(area, Map { left, right, top: ABOVE, bottom, end_ps })?;
            let below = bottom + NAMES_BELOW;
            label(area, "0", Place::start((left, below)).ink(MUTED))?;
            label(area, &end, Place::end((right, below)).ink(MUTED))
        })?;
        let span =
            TimeSpan { left: LEFT, right: WIDTH as i32 - RIGHT, end_ns: end_ps as f64 / 1e3 };
        all.push(drawn_over_time(&svg, &name, span));
    }
    Ok(html! { @for one in all { (one) } })
}

/// A map of all requests by queue.
pub(crate) fn queue_picture(queues: &[QueueResult]) -> io::Result<Markup> {
    let column = |queue: &QueueResult| {
        let mut column = Column::new();
        for (middle_ns, count) in queue.active().flat_map(|(_, latency)| latency.bins_ns()) {
            column.push((LatencySteps::step_of(middle_ns.saturating_mul(1_000)), count));
        }
        column.sort_unstable();
        column.dedup_by(|next, before| {
            let is_same = next.0 == before.0;
            before.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        column
    };
    let columns: Vec<_> = queues.iter().map(column).collect();
    let names: Vec<_> = queues.iter().map(|queue| queue.id.to_string()).collect();
    named_columns("latency by queue", &columns, &names)
}

/// A map of the operations of commands by channel.
pub(crate) fn channel_picture(channels: &[ChannelResult]) -> io::Result<Markup> {
    let column = |channel: &ChannelResult| {
        channel.latencies.counted().map(|(step, count)| (step, u64::from(count))).collect()
    };
    let columns: Vec<_> = channels.iter().map(column).collect();
    let names: Vec<_> = (0..channels.len()).map(|nth| nth.to_string()).collect();
    named_columns("latency of operations by channel", &columns, &names)
}

/// A map whose columns have names.
fn named_columns(name: &str, columns: &[Column], names: &[String]) -> io::Result<Markup> {
    let svg = picture(name, columns, |area, bottom| {
        let width = (WIDTH as i32 - LEFT - RIGHT) / columns.len().max(1) as i32;
        let stride = (COLUMN_NAMES / width.max(1) + 1) as usize;
        for (nth, name) in names.iter().enumerate().step_by(stride) {
            let middle = edge(nth, columns.len()) + width / 2;
            label(area, name, Place::middle((middle, bottom + NAMES_BELOW)).ink(MUTED))?;
        }
        Ok(())
    })?;
    Ok(drawn(&svg, name))
}

/// Where a column begins, of so many.
fn edge(nth: usize, of: usize) -> i32 {
    let width = f64::from(WIDTH as i32 - LEFT - RIGHT);
    LEFT + (width * nth as f64 / of.max(1) as f64).round() as i32
}

fn picture(
    name: &str,
    columns: &[Column],
    names: impl FnOnce(&Area, i32) -> Result<(), DrawError>,
) -> io::Result<String> {
    let steps = || columns.iter().flatten().map(|(step, _)| *step);
    let (first, last) = (steps().min().unwrap_or(0), steps().max().unwrap_or(0));
    let count = (last - first + 1) as i32;
    let row = (MAP_HEIGHT / count).clamp(2, HIGHEST_ROW);
    let bottom = ABOVE + row * count;
    let most = columns.iter().flatten().map(|(_, count)| *count).max().unwrap_or(1);
    let shade = |count: u64| (1.0 + count as f64).ln() / (1.0 + most as f64).ln();
    let top_of = |step: usize| bottom - row * ((step - first) as i32 + 1);
    Sheet::of_height((bottom + BELOW) as u32).svg(|area| {
        label(area, name, Place::start((LEFT, ABOVE / 2)))?;
        fill(area, [(LEFT, ABOVE), (WIDTH as i32 - RIGHT, bottom)], heat(0.0))?;
        for (nth, column) in columns.iter().enumerate() {
            let (left, right) = (edge(nth, columns.len()), edge(nth + 1, columns.len()));
            for &(step, count) in column {
                let top = top_of(step);
                fill(area, [(left, top), (right.max(left + 1), top + row)], heat(shade(count)))?;
            }
        }
        let stride = (ROW_NAMES / row + 1) as usize;
        for step in (first..=last).step_by(stride) {
            let at = (LEFT - 10, top_of(step) + row);
            label(
                area,
                &tick(&time(LatencySteps::edge_ps(step) as f64 / 1e3)),
                Place::end(at).ink(MUTED),
            )?;
        }
        names(area, bottom)
    })
}
