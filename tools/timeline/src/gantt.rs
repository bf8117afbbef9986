//! The picture that papers draw of a schedule: a row for each bus and way, a box for each operation,
//! and time to the right.

use std::fmt;
use std::io::{self, Write};

use chart::canvas::{fill, label, line, Area, DrawError, Place};
use chart::palette::{AXIS, GRID, MUTED, PAPER};
use chart::{Ink, Sheet};

use crate::look::{look_of, looks, Look, LANE, PATH};
use crate::names;
use crate::scale::Scale;
use crate::trace::{Trace, TraceSlice, TraceTrack};
use crate::window::Window;

/// Units of positions in a pixel, as many short operations are narrower than one.
const UNITS: u32 = 10;
/// In pixels, as all sizes here.
const WIDTH: f64 = 1400.0;
/// Edges of the rows' area.
const LEFT: f64 = 150.0;
const RIGHT: f64 = WIDTH - 24.0;
/// That of the rows below a legend of one line.
const TOP: f64 = 62.0;
/// Upper edge of the legend's first line, and from one line to the next.
const LEGEND: f64 = 17.0;
const LEGEND_LINE: f64 = 20.0;
/// Edge of a box in the legend, and height of the letters beside it.
const KEY: f64 = 13.0;
/// Where its name begins and is halfway down, from the box's corner, and the space behind a name.
const KEY_NAME: f64 = 18.0;
const KEY_MIDDLE: f64 = 7.0;
const KEY_SPACE: f64 = 16.0;
/// Height below the rows: marks, and the name of the axis.
const FOOT: f64 = 56.0;
/// Height of all rows together, and that of one.
const ROWS_HEIGHT: f64 = 1000.0;
const ROW_HEIGHT: (f64, f64) = (9.0, 22.0);
/// Space between the rows of two channels.
const GAP: f64 = 10.0;
/// Narrowest box, so that short operations are seen.
const NARROWEST: f64 = 0.4;
/// Least width of a box that ends a little early, which tells it from the next of its colour.
const PARTED: f64 = 4.0;
const PARTING: f64 = 0.6;
/// Width of a character in the height of the letters, and the least height of a row for numbers.
const CHARACTER: f64 = 0.56;
const NUMBERED: f64 = 12.0;
/// Share of a row above the line along the critical path, which leaves the numbers free, and that line's width.
const PATH_LEVEL: f64 = 0.85;
const PATH_WIDTH: u32 = 2;
/// Height of a line of text in that of its letters.
const LINE: f64 = 1.24;

/// Most operations in a picture; at some 200 bytes each, it is 4 MB.
const MOST_OPERATIONS: usize = 20_000;

/// The trace has nothing on its channels in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingToDraw;

impl fmt::Display for NothingToDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "found no operation of a channel, a way or host DMA in the window, expected one",
        )
    }
}

impl std::error::Error for NothingToDraw {}

/// A trace that is drawn below others on the same scale of time.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// What tells it from the others.
    pub name: &'a str,
    /// What is drawn.
    pub trace: &'a Trace,
}

/// A row, and what stands before the first of its kind.
#[derive(Debug)]
struct Lane<'a> {
    heading: &'a str,
    track: &'a TraceTrack,
}

/// Whose number stands in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbered {
    /// A host's command.
    Command,
    /// A flash request.
    Request,
}

/// A picture of a trace, or of several.
#[derive(Debug)]
pub struct Gantt<'a> {
    lanes: Vec<Lane<'a>>,
    numbered: Numbered,
    /// Where a request's critical path goes, by place of the row, and when it comes there.
    path: Vec<(usize, f64)>,
    start_ps: f64,
    end_ps: f64,
    /// Whether the picture ends early, as there is more to draw than it holds.
    cut: bool,
    row: f64,
}

impl<'a> Gantt<'a> {
    /// A picture of host DMA, buses and ways in `window`, or from the first of their operations to the
    /// end of the last. The critical path of a request stands above them, and a line follows it, if the trace has one. It ends before the operation that would be one too many: [`Gantt::cut_ps`].
    ///
    /// # Errors
    /// When there is no operation in it.
    pub fn new(trace: &'a Trace, window: Option<Window>) -> Result<Self, NothingToDraw> {
        let drawn = trace.tracks.iter().filter(|track| is_drawn(track));
        let mut lanes: Vec<_> =
            drawn.map(|track| Lane { heading: &track.process, track }).collect();
        lanes.sort_by_key(|lane| !is_path(lane.track));
        let row =
            |track: &TraceTrack| lanes.iter().position(|lane| std::ptr::eq(lane.track, track));
        let path = trace.path.iter();
        let path = path.filter_map(|(nth, at)| Some((row(&trace.tracks[*nth])?, *at))).collect();
        Ok(Gantt { path, ..Self::of(lanes, Numbered::Command, window)? })
    }

    /// A picture of flash requests on one channel each, from the first to the end of the last of all.
    ///
    /// # Errors
    /// When there is no operation in it.
    pub fn of_panels(panels: &[Panel<'a>]) -> Result<Self, NothingToDraw> {
        let of = |panel: &Panel<'a>| {
            let Panel { name, trace } = *panel;
            let drawn = trace.tracks.iter().filter(|track| is_channel(track));
            drawn.map(move |track| Lane { heading: name, track })
        };
        Self::of(panels.iter().flat_map(of).collect(), Numbered::Request, None)
    }

    fn of(
        lanes: Vec<Lane<'a>>,
        numbered: Numbered,
        window: Option<Window>,
    ) -> Result<Self, NothingToDraw> {
        let slices = || lanes.iter().flat_map(|lane| &lane.track.slices);
        let (start_ps, mut end_ps) = match window {
            Some(window) => (window.start_ps() as f64, window.end_ps() as f64),
            None => slices().fold((f64::INFINITY, 0.0), |(start, end), slice| {
                (slice.start_ps.min(start), end_of(slice).max(end))
            }),
        };
        if !slices().any(|slice| end_of(slice) > start_ps && slice.start_ps < end_ps) {
            return Err(NothingToDraw);
        }
        let mut starts: Vec<f64> = slices()
            .filter(|slice| end_of(slice) > start_ps && slice.start_ps < end_ps)
            .map(|slice| slice.start_ps.max(start_ps))
            .collect();
        let cut = starts.len() > MOST_OPERATIONS;
        if cut {
            starts.sort_by(f64::total_cmp);
            // Those that begin at one moment are drawn together or not at all, but never none.
            let later = starts.iter().find(|start| **start > start_ps);
            end_ps = starts[MOST_OPERATIONS].max(later.copied().unwrap_or(end_ps)).min(end_ps);
        }
        let row = (ROWS_HEIGHT / lanes.len() as f64).clamp(ROW_HEIGHT.0, ROW_HEIGHT.1);
        Ok(Gantt { lanes, numbered, path: Vec::new(), start_ps, end_ps, cut, row })
    }

    /// The span that is drawn, in picoseconds since the first job began, if operations after it
    /// were asked for and left out.
    pub fn cut_ps(&self) -> Option<(f64, f64)> {
        self.cut.then_some((self.start_ps, self.end_ps))
    }

    /// Writes the picture as SVG.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let rows = self.rows();
        let bottom = rows.last().map_or(TOP, |row| row.top + self.row);
        let height = (bottom + FOOT).ceil() as u32;
        let sheet = Sheet { width: WIDTH as u32, height, units: UNITS };
        let picture = sheet.svg(|area| {
            box_of((0.0, 0.0), (WIDTH, f64::from(height))).fill(area, PAPER)?;
            self.draw_legend(area)?;
            for row in &rows {
                box_of((LEFT, row.top), (RIGHT - LEFT, self.row - 1.0)).fill(area, LANE)?;
            }
            self.draw_axis(area, bottom)?;
            rows.iter().try_for_each(|row| self.draw_row(area, row))?;
            self.draw_path(area, &rows)
        })?;
        out.write_all(picture.as_bytes())
    }

    fn x(&self, time_ps: f64) -> f64 {
        let share = (time_ps - self.start_ps) / (self.end_ps - self.start_ps);
        LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    /// The rows, and where each begins.
    fn rows(&self) -> Vec<PlacedRow<'_>> {
        let mut top = self.top();
        let mut last = "";
        let place = |lane: &'_ Lane<'a>| {
            let begins = lane.heading != last;
            if begins && !last.is_empty() {
                top += GAP;
            }
            last = lane.heading;
            // Rows of host DMA bear its name already.
            let is_named = begins && lane.heading != names::HOST_DMA;
            let heading = is_named.then_some(lane.heading);
            top += self.row;
            PlacedRow { heading, track: lane.track, top: top - self.row }
        };
        self.lanes.iter().map(place).collect()
    }

    /// The line along the critical path: to the right while it stays on a row, up or down where it goes on to another.
    fn draw_path(&self, area: &Area, rows: &[PlacedRow<'_>]) -> Result<(), DrawError> {
        let inside = |(_, at): &&(usize, f64)| (self.start_ps..=self.end_ps).contains(at);
        let mut corners: Vec<(i32, i32)> = Vec::new();
        let mut last = None;
        for (row, at) in self.path.iter().filter(inside) {
            let level = rows[*row].top + PATH_LEVEL * self.row;
            corners.extend(last.map(|level| units((self.x(*at), level))));
            corners.push(units((self.x(*at), level)));
            last = Some(level);
        }
        match corners.is_empty() {
            true => Ok(()),
            false => line(area, corners, PATH, PATH_WIDTH * UNITS),
        }
    }

    /// The boxes of a row, and its names.
    fn draw_row(&self, area: &Area, row: &PlacedRow<'_>) -> Result<(), DrawError> {
        for slice in &row.track.slices {
            self.draw_box(area, slice, row)?;
        }
        let size = (self.row - 1.0).clamp(8.0, 12.0);
        let middle = row.top + self.row / 2.0;
        if let Some(heading) = row.heading {
            let place = Place::start(units((12.0, middle))).bold();
            label(area, heading, sized(place, size.max(11.0)))?;
        }
        let place = Place::end(units((LEFT - 8.0, middle))).ink(MUTED);
        label(area, &row.track.name, sized(place, size))
    }

    /// The box of a slice, with its text, such as the number of its command, where there is room.
    fn draw_box(
        &self,
        area: &Area,
        slice: &TraceSlice,
        row: &PlacedRow<'_>,
    ) -> Result<(), DrawError> {
        let top = row.top;
        let end_ps = end_of(slice);
        if end_ps <= self.start_ps || slice.start_ps >= self.end_ps {
            return Ok(());
        }
        let (left, right) = (self.x(slice.start_ps), self.x(end_ps));
        let width = (right - left).max(NARROWEST);
        let look = look_of(&slice.name);
        let shown = if width > PARTED { width - PARTING } else { width };
        box_of((left, top), (shown, self.row - 1.0)).fill(area, look.ink)?;
        let text = match is_path(row.track) {
            true => Some(slice.name.clone()),
            false => slice.command.map(|number| number.to_string()),
        };
        let Some(text) = text else { return Ok(()) };
        let size = (self.row - 5.0).min(11.0);
        if self.row < NUMBERED || (text.len() as f64 + 1.0) * CHARACTER * size > width {
            return Ok(());
        }
        let middle = (left + width / 2.0, top + (self.row - 1.0) / 2.0);
        label(area, &text, sized(Place::middle(units(middle)).ink(look.on_ink), size))
    }

    /// The operations that there are, each with the place of its box: one after the other, in as many lines as they need.
    fn legend(&self) -> Vec<(&'static Look, (f64, f64))> {
        let (mut left, mut top) = (LEFT, LEGEND);
        let place = |look: &'static Look| {
            let width = KEY_NAME + look.name.len() as f64 * KEY * CHARACTER;
            if left > LEFT && left + width > RIGHT {
                (left, top) = (LEFT, top + LEGEND_LINE);
            }
            let at = (left, top);
            left += width + KEY_SPACE;
            (look, at)
        };
        looks().filter(|look| self.shows(look)).map(place).collect()
    }

    /// Upper edge of the rows.
    fn top(&self) -> f64 {
        let below = |(_, (_, top)): &(&Look, (f64, f64))| top - LEGEND;
        TOP + self.legend().last().map_or(0.0, below)
    }

    fn draw_legend(&self, area: &Area) -> Result<(), DrawError> {
        for (look, (left, top)) in self.legend() {
            box_of((left, top), (KEY, KEY)).fill(area, look.ink)?;
            let name = Place::start(units((left + KEY_NAME, top + KEY_MIDDLE)));
            label(area, look.name, sized(name, KEY))?;
        }
        Ok(())
    }

    fn shows(&self, look: &Look) -> bool {
        let of_look = |slice: &&TraceSlice| std::ptr::eq(look_of(&slice.name), look);
        let inside =
            |slice: &TraceSlice| end_of(slice) > self.start_ps && slice.start_ps < self.end_ps;
        self.lanes.iter().flat_map(|lane| &lane.track.slices).filter(of_look).any(inside)
    }

    /// Marks of time above and below the rows, and lines between them.
    fn draw_axis(&self, area: &Area, bottom: f64) -> Result<(), DrawError> {
        let (scale, top) = (Scale::new(self.start_ps, self.end_ps), self.top());
        let stroke = |from, to, ink| line(area, vec![units(from), units(to)], ink, UNITS);
        for (time_ps, mark) in &scale.marks {
            let x = self.x(*time_ps);
            stroke((x, top - 4.0), (x, bottom + 5.0), GRID)?;
            for y in [top - 13.0, bottom + 16.0] {
                label(area, mark, sized(Place::middle(units((x, y))).ink(MUTED), 12.0))?;
            }
        }
        let cut = if self.cut { "; later operations are left out" } else { "" };
        let (first, owner) = match self.numbered {
            Numbered::Command => ("the first job began", "command"),
            Numbered::Request => ("the first request came", "request"),
        };
        let unit = scale.unit;
        let path = if self.path.is_empty() { "" } else { "; the line is the critical path" };
        let name = format!(
            "time since {first} ({unit}); a number in a box is that of its {owner}{path}{cut}"
        );
        stroke((LEFT, bottom), (RIGHT, bottom), AXIS)?;
        stroke((LEFT, top - 4.0), (LEFT, bottom), AXIS)?;
        let middle = ((LEFT + RIGHT) / 2.0, bottom + 38.0);
        label(area, &name, sized(Place::middle(units(middle)), 13.0))
    }
}

/// A row with its place.
#[derive(Debug)]
struct PlacedRow<'a> {
    /// What stands before it.
    heading: Option<&'a str>,
    track: &'a TraceTrack,
    top: f64,
}

fn is_drawn(track: &TraceTrack) -> bool {
    track.process == names::HOST_DMA || is_channel(track) || is_path(track)
}

fn is_path(track: &TraceTrack) -> bool {
    track.process == names::CRITICAL_PATH
}

fn is_channel(track: &TraceTrack) -> bool {
    let of_channel = track.process.strip_prefix(names::CHANNEL);
    of_channel.is_some_and(|rest| rest.starts_with(' '))
}

fn end_of(slice: &TraceSlice) -> f64 {
    slice.start_ps + slice.length_ps
}

/// A position in units of the sheet.
fn units((x, y): (f64, f64)) -> (i32, i32) {
    let of = |pixels: f64| (pixels * f64::from(UNITS)).round() as i32;
    (of(x), of(y))
}

/// A text whose letters are so high, in pixels.
fn sized(place: Place, letters: f64) -> Place {
    place.sized((letters * LINE * f64::from(UNITS)).round() as u32)
}

/// A rectangle, in pixels.
struct BoxOf([(f64, f64); 2]);

fn box_of((x, y): (f64, f64), (width, height): (f64, f64)) -> BoxOf {
    BoxOf([(x, y), (x + width, y + height)])
}

impl BoxOf {
    fn fill(self, area: &Area, ink: Ink) -> Result<(), DrawError> {
        fill(area, self.0.map(units), ink)
    }
}

#[cfg(test)]
#[path = "gantt_tests.rs"]
mod tests;
