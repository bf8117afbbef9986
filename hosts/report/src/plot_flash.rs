//! Map of how busy each channel's bus and each chip was.

use crate::drive::DriveResult;
use chart::canvas::{fill, label, Area, DrawError, Place, WIDTH};
use chart::number::finite;
use chart::palette::{heat, on_heat, GRID, HEAT, MUTED};
use chart::Sheet;
use std::io;

/// Left edge of the first column.
const LEFT: i32 = 96;
const TOP: i32 = 26;
/// Least space between the bus column and the chips, and least distance of the names above them.
const GAP: i32 = 14;
const NAME_DISTANCE: i32 = 50;
const WIDEST_CELL: i32 = 88;
const HIGHEST_CELL: i32 = 30;
/// Height of the cells together, at most.
const CELLS_HEIGHT: i32 = 480;
/// Smallest cell that carries its number.
const NUMBERED: (i32, i32) = (36, 18);
/// Narrowest distance of the names of columns and of rows.
const COLUMN_NAMES: i32 = 56;
const ROW_NAMES: i32 = 16;
/// Height of the strip below that explains the shades.
const KEY: i32 = 46;
const KEY_CELL: i32 = 5;

/// The map, or nothing for a drive without channels.
pub(crate) fn utilization(drive: &DriveResult) -> io::Result<Option<String>> {
    let channels = drive.channel_busy.len() as i32;
    if channels == 0 {
        return Ok(None);
    }
    let ways = drive.way_busy.iter().map(Vec::len).max().unwrap_or(0) as i32;
    let grid = Grid {
        cell_width: ((WIDTH as i32 - LEFT - NAME_DISTANCE) / (ways + 1)).clamp(2, WIDEST_CELL),
        cell_height: (CELLS_HEIGHT / channels).clamp(3, HIGHEST_CELL),
    };
    let bottom = TOP + grid.cell_height * channels;
    Sheet::of_height((bottom + KEY) as u32)
        .svg(|area| {
            draw_column_names(area, &grid, ways)?;
            for (channel, &bus) in drive.channel_busy.iter().enumerate() {
                draw_row_name(area, &grid, channel as i32)?;
                draw_cell(area, grid.bus(channel as i32), bus)?;
                for (way, &busy) in drive.way_busy.get(channel).into_iter().flatten().enumerate() {
                    draw_cell(area, grid.chip(channel as i32, way as i32), busy)?;
                }
            }
            draw_key(area, bottom)
        })
        .map(Some)
}

struct Grid {
    cell_width: i32,
    cell_height: i32,
}

impl Grid {
    fn cell(&self, left: i32, row: i32) -> [(i32, i32); 2] {
        let top = TOP + self.cell_height * row;
        // One pixel stays free between cells.
        [(left, top), (left + self.cell_width - 1, top + self.cell_height - 1)]
    }

    fn bus(&self, channel: i32) -> [(i32, i32); 2] {
        self.cell(LEFT, channel)
    }

    fn chip(&self, channel: i32, way: i32) -> [(i32, i32); 2] {
        let gap = GAP.max(NAME_DISTANCE - self.cell_width);
        self.cell(LEFT + gap + self.cell_width * (way + 1), channel)
    }
}

fn center([(left, top), (right, bottom)]: [(i32, i32); 2]) -> (i32, i32) {
    ((left + right) / 2, (top + bottom) / 2)
}

fn draw_cell(area: &Area, corners: [(i32, i32); 2], busy: f64) -> Result<(), DrawError> {
    fill(area, corners, heat(busy))?;
    let [(left, top), (right, bottom)] = corners;
    if right - left + 1 < NUMBERED.0 || bottom - top + 1 < NUMBERED.1 {
        return Ok(());
    }
    let percent = format!("{:.0} %", 100.0 * finite(busy));
    let place = Place::middle(center(corners)).ink(on_heat(busy));
    label(area, &percent, place)
}

fn draw_column_names(area: &Area, grid: &Grid, ways: i32) -> Result<(), DrawError> {
    let above = |cell| Place::middle((center(cell).0, TOP / 2)).ink(MUTED);
    label(area, "bus", above(grid.bus(0)))?;
    let stride = (COLUMN_NAMES + grid.cell_width - 1) / grid.cell_width;
    for way in (0..ways).step_by(stride.max(1) as usize) {
        label(area, &format!("way {way}"), above(grid.chip(0, way)))?;
    }
    Ok(())
}

fn draw_row_name(area: &Area, grid: &Grid, channel: i32) -> Result<(), DrawError> {
    let stride = (ROW_NAMES + grid.cell_height - 1) / grid.cell_height;
    if channel % stride.max(1) != 0 {
        return Ok(());
    }
    let at = (LEFT - 10, center(grid.bus(channel)).1);
    label(area, &format!("channel {channel}"), Place::end(at).ink(MUTED))
}

fn draw_key(area: &Area, bottom: i32) -> Result<(), DrawError> {
    let (top, left) = (bottom + 18, LEFT + 40);
    let right = left + KEY_CELL * HEAT.len() as i32;
    fill(area, [(left - 1, top - 1), (right, top + 13)], GRID)?;
    for step in 0..HEAT.len() as i32 {
        let corners = [(left + KEY_CELL * step, top), (left + KEY_CELL * (step + 1) - 1, top + 12)];
        fill(area, corners, heat(f64::from(step) / (HEAT.len() - 1) as f64))?;
    }
    let idle = Place::end((left - 10, top + 6)).ink(MUTED);
    let busy = Place::start((right + 10, top + 6)).ink(MUTED);
    label(area, "idle", idle)?;
    label(area, "always busy", busy)
}
