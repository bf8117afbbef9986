//! Pictures of a drive's blocks: how full, worn and old they are, of which kind, and histograms.

use crate::blocks::{BlockCell, BlockKind, BlockMap};
use crate::quantity::count;
use chart::canvas::{fill, label, Place, WIDTH};
use chart::palette::{heat, Ink, MUTED, SERIES};
use chart::{drawn, Sheet};
use maud::{html, Markup};
use std::io;

const LEFT: i32 = 98;
const RIGHT: i32 = 24;
const ABOVE: i32 = 24;
/// Height of a map's rows together, at most, and of a row.
const MAP_HEIGHT: i32 = 200;
const HIGHEST_ROW: i32 = 16;
const ROW_NAMES: i32 = 18;
/// Height of a histogram's bars, and of the strip below.
const BARS: i32 = 110;
const BELOW: i32 = 26;

/// How a cell is drawn; `None` where nothing of it can hold data.
type Shade<'a> = &'a dyn Fn(&BlockCell) -> Option<Ink>;

/// All pictures, with what their colours mean.
pub(crate) fn block_pictures(map: &BlockMap) -> io::Result<Markup> {
    let of = |sum: fn(&BlockCell) -> u64| {
        move |cell: &BlockCell| (cell.used > 0).then(|| sum(cell) as f64 / f64::from(cell.used))
    };
    let (valid, erases, age) = (of(|c| c.valid_permille), of(|c| c.erases), of(|c| c.age));
    let least = f64::from(map.least_erases);
    let most = |value: &dyn Fn(&BlockCell) -> Option<f64>| {
        map.cells.iter().filter_map(value).fold(0.0, f64::max)
    };
    let (most_erases, most_age) = (most(&erases), most(&age));
    let by_erases = move |value: f64| (value - least) / (most_erases - least).max(1.0);
    let kind = |cell: &BlockCell| Some(SERIES[cell.kind() as usize]);
    let closed = BlockKind::ALL[BlockKind::Closed as usize].1;
    let fullest = "valid data: the darker, the more of a block";
    let worn = format!("erases: {least} at the palest, {} at the darkest", count(most_erases));
    let oldest = format!("age: the darker, the older, up to {}", count(most_age));
    let maps: [(&str, Shade<'_>); 4] = [
        ("kind", &kind),
        (fullest, &|cell| valid(cell).map(|permille| heat(permille / 1e3))),
        (&worn, &|cell| erases(cell).map(|value| heat(by_erases(value)))),
        (&oldest, &|cell| age(cell).map(|value| heat(value / most_age.max(1.0)))),
    ];
    let maps = maps.iter().map(|(name, shade)| Ok(drawn(&draw(map, name, *shade)?, name)));
    let maps = maps.collect::<io::Result<Vec<_>>>()?;
    let by_valid = histogram(
        &format!("{closed} blocks by the share of their data that is valid"),
        &map.by_valid,
        ["0 %".into(), "100 %".into()],
    )?;
    let last = map.erases_a_step.saturating_mul(map.by_erases.len() as u32);
    let last = map.least_erases.saturating_add(last);
    let ends = [map.least_erases.to_string(), last.to_string()];
    let by_erases = histogram("blocks by their erases", &map.by_erases, ends)?;
    let kinds = BlockKind::ALL.iter().zip(map.kinds).enumerate().filter(|(_, (_, n))| *n > 0);
    Ok(html! {
        ul.legend {
            @for (nth, ((_, name, _), blocks)) in kinds {
                li { span class={ "swatch swatch-series-" (nth) } {} (name) ": " (blocks) }
            }
        }
        "\n"
        @for map in maps { (map) }
        (drawn(&by_valid, "closed blocks by valid data"))
        (drawn(&by_erases, "blocks by erases"))
    })
}

fn draw(map: &BlockMap, name: &str, shade: Shade<'_>) -> io::Result<String> {
    let rows = map.cells.len() as i32 / map.columns as i32;
    let row = (MAP_HEIGHT / rows.max(1)).clamp(3, HIGHEST_ROW);
    let width = f64::from(WIDTH as i32 - LEFT - RIGHT) / f64::from(map.columns);
    let left = |column: i32| LEFT + (width * f64::from(column)).round() as i32;
    Sheet::of_height((ABOVE + row * rows + 4) as u32).svg(|area| {
        label(area, name, Place::start((LEFT, ABOVE / 2)))?;
        for (nth, cell) in map.cells.iter().enumerate() {
            let (nth, column) = (nth as i32 / map.columns as i32, nth as i32 % map.columns as i32);
            let top = ABOVE + row * nth;
            let gap = i32::from(width >= 5.0);
            let right = (left(column + 1) - gap).max(left(column) + 1);
            if let Some(ink) = shade(cell) {
                fill(area, [(left(column), top), (right, top + row - 1)], ink)?;
            }
        }
        let stride = (ROW_NAMES + row - 1) / row;
        for nth in (0..rows).step_by(stride as usize) {
            let at = (LEFT - 10, ABOVE + row * nth + row / 2);
            let name = format!("die {}", (nth as u32).saturating_mul(map.dies_a_row));
            label(area, &name, Place::end(at).ink(MUTED))?;
        }
        Ok(())
    })
}

/// Bars of counts, with what stands below the first and the last.
fn histogram(name: &str, counts: &[u64], ends: [String; 2]) -> io::Result<String> {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bottom = ABOVE + BARS;
    let width = f64::from(WIDTH as i32 - LEFT - RIGHT) / counts.len().max(1) as f64;
    let left = |nth: usize| LEFT + (width * nth as f64).round() as i32;
    Sheet::of_height((bottom + BELOW) as u32).svg(|area| {
        label(area, name, Place::start((LEFT, ABOVE / 2)))?;
        for (nth, &blocks) in counts.iter().enumerate().filter(|(_, blocks)| **blocks > 0) {
            let height = (f64::from(BARS) * blocks as f64 / most as f64).round().max(1.0) as i32;
            fill(area, [(left(nth), bottom - height), (left(nth + 1) - 2, bottom)], SERIES[0])?;
        }
        label(area, &count(most as f64), Place::end((LEFT - 10, ABOVE + 8)).ink(MUTED))?;
        label(area, &ends[0], Place::start((LEFT, bottom + 14)).ink(MUTED))?;
        label(area, &ends[1], Place::end((WIDTH as i32 - RIGHT, bottom + 14)).ink(MUTED))
    })
}
