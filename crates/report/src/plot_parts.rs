//! Bars: latency broken down by cause, and firmware time by module.

use crate::direction::Direction;
use crate::drive::DriveResult;
use crate::palette::{CAUSES, GRID, MUTED, ON_FILL, SERIES, TEXT};
use crate::plot::{fill, label, shortened, svg, Anchor, Area, DrawError, Place};
use crate::quantity::{share, time};
use crate::result::{DirectionResult, RunResult};
use contract::Cause;
use std::io;

/// Height of a row and of the bar in it.
const ROW: i32 = 34;
const BAR: i32 = 20;
/// Left and right end of full bars; names stand left of them and amounts right.
const BAR_LEFT: i32 = 210;
const BAR_RIGHT: i32 = 850;
/// Narrowest segment that carries its share as text.
const LABELLED: i32 = 52;
/// Most rows of the breakdown.
pub(crate) const MOST_ROWS: usize = 32;

/// Index in [`SERIES`] of the colour of firmware.
const FIRMWARE: usize = 1;

/// One bar a job and direction, split by cause, or nothing when no request completed; with it the
/// number of bars left out.
pub(crate) fn breakdown(run: &RunResult) -> io::Result<Option<(String, usize)>> {
    let mut rows: Vec<_> = run
        .jobs
        .iter()
        .flat_map(|job| Direction::ALL.map(|direction| (job, direction)))
        .filter_map(|(job, direction)| {
            Some((format!("{} {}", job.name, direction.name()), job.active(direction)?))
        })
        .collect();
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    if rows.is_empty() {
        return Ok(None);
    }
    let plot = svg(ROW as u32 * rows.len() as u32, |area| {
        rows.iter().enumerate().try_for_each(|(index, (name, result))| {
            draw_name(area, middle(index), name)?;
            draw_breakdown(area, middle(index), result)
        })
    })?;
    Ok(Some((plot, left_out)))
}

/// Vertical middle of a row.
fn middle(index: usize) -> i32 {
    ROW * index as i32 + ROW / 2
}

/// Corners of a bar from `left` to `right`.
fn bar(middle: i32, left: i32, right: i32) -> [(i32, i32); 2] {
    [(left, middle - BAR / 2), (right, middle + BAR / 2)]
}

fn draw_name(area: &Area, middle: i32, name: &str) -> Result<(), DrawError> {
    let name = shortened(name, BAR_LEFT as usize - 14);
    label(area, &name, Place { at: (BAR_LEFT - 12, middle), anchor: Anchor::End, ink: TEXT })
}

fn draw_amount(area: &Area, middle: i32, amount: &str) -> Result<(), DrawError> {
    label(area, amount, Place { at: (BAR_RIGHT + 12, middle), anchor: Anchor::Start, ink: MUTED })
}

fn draw_breakdown(area: &Area, middle: i32, result: &DirectionResult) -> Result<(), DrawError> {
    fill(area, bar(middle, BAR_LEFT, BAR_RIGHT), GRID)?;
    let shares = result.cause_shares();
    let mut before = 0.0;
    for cause in Cause::ALL {
        let own = shares[cause as usize];
        let (left, right) = (bar_end(before), bar_end(before + own));
        before += own;
        if right == left {
            continue;
        }
        fill(area, bar(middle, left, right), CAUSES[cause as usize])?;
        if right - left >= LABELLED {
            let at = ((left + right) / 2, middle);
            label(area, &share(own), Place { at, anchor: Anchor::Middle, ink: ON_FILL })?;
        }
    }
    draw_amount(area, middle, &format!("{} mean", time(result.clat.mean_ns())))
}

/// Where a bar of `share` (0 to 1) ends.
fn bar_end(share: f64) -> i32 {
    BAR_LEFT + (f64::from(BAR_RIGHT - BAR_LEFT) * share.clamp(0.0, 1.0)).round() as i32
}

/// One bar a firmware module by its share of the processor's work, the greatest first, or nothing
/// when the firmware did none.
pub(crate) fn modules(drive: &DriveResult) -> io::Result<Option<String>> {
    let mut rows: Vec<_> = drive.module_shares().filter(|(module, _)| module.time_ps > 0).collect();
    rows.sort_by_key(|(module, _)| std::cmp::Reverse(module.time_ps));
    let Some(greatest) = rows.first().map(|(_, share)| *share) else {
        return Ok(None);
    };
    svg(ROW as u32 * rows.len() as u32, |area| {
        rows.iter().enumerate().try_for_each(|(index, (module, own))| {
            let middle = middle(index);
            draw_name(area, middle, &module.name)?;
            fill(area, bar(middle, BAR_LEFT, BAR_RIGHT), GRID)?;
            fill(area, bar(middle, BAR_LEFT, bar_end(own / greatest)), SERIES[FIRMWARE])?;
            let amount = format!("{} · {}", time(module.time_ps as f64 / 1e3), share(*own));
            draw_amount(area, middle, &amount)
        })
    })
    .map(Some)
}
