//! The picture that papers draw of a schedule: a row for each bus and way, a box for each operation,
//! and time to the right.

use std::fmt;
use std::io::{self, Write};

use svg::node::element::{Group, Line, Rectangle, Text};
use svg::Document;

use crate::names;
use crate::scale::Scale;
use crate::trace::{Trace, TraceSlice, TraceTrack};
use crate::window::Window;

const WIDTH: f64 = 1400.0;
/// Edges of the rows' area.
const LEFT: f64 = 150.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 62.0;
/// Height below the rows: marks, and the name of the axis.
const FOOT: f64 = 56.0;
/// Height of all rows together, and that of one.
const ROWS_HEIGHT: f64 = 1000.0;
const ROW_HEIGHT: (f64, f64) = (9.0, 22.0);
/// Space between the rows of two channels.
const GAP: f64 = 10.0;
/// Narrowest box, so that short operations are seen.
const NARROWEST: f64 = 0.4;
/// Least width of a box with an outline, which tells it from the next of its colour.
const OUTLINED: f64 = 4.0;
/// Width of a character in the height of the letters, and the least height of a row for numbers.
const CHARACTER: f64 = 0.56;
const NUMBERED: f64 = 12.0;

const TEXT: &str = "#1F2933";
const MUTED: &str = "#5F6C7B";
const GRID: &str = "#DFE4EA";
const FRAME: &str = "#B4BDC8";
const LANE: &str = "#F5F7F9";

/// An operation's colour, that of text on it, and its entry in the legend.
struct Look {
    name: &'static str,
    fill: &'static str,
    on_fill: &'static str,
}

const fn look(name: &'static str, fill: &'static str, on_fill: &'static str) -> Look {
    Look { name, fill, on_fill }
}

/// Reads are blue, programs orange, erases red: the chip's part light, the bus's dark.
const LOOKS: [Look; 11] = [
    look(names::READ_TRIGGER, "#123F6E", "#FFFFFF"),
    look(names::ARRAY_READ, "#A9CBEC", TEXT),
    look(names::READY, "#DCE6F0", TEXT),
    look(names::READ_TRANSFER, "#2B6CB0", "#FFFFFF"),
    look(names::PROGRAM_TRANSFER, "#C8701B", "#FFFFFF"),
    look(names::ARRAY_PROGRAM, "#F6CFA1", TEXT),
    look(names::ERASE_TRIGGER, "#8E1F1B", "#FFFFFF"),
    look(names::ARRAY_ERASE, "#EBA5A2", TEXT),
    look(names::STATUS_CHECK, "#6A7686", "#FFFFFF"),
    look(names::FROM_HOST, "#2F8566", "#FFFFFF"),
    look(names::TO_HOST, "#8353A8", "#FFFFFF"),
];
/// Most operations in a picture; at some 200 bytes each, it is 4 MB.
const MOST_OPERATIONS: usize = 20_000;

/// What a trace of another origin may hold.
const OTHER: Look = look("other", "#D3BB4C", TEXT);

fn look_of(name: &str) -> &'static Look {
    LOOKS.iter().find(|look| look.name == name).unwrap_or(&OTHER)
}

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
    start_ps: f64,
    end_ps: f64,
    /// Whether the picture ends early, as there is more to draw than it holds.
    cut: bool,
    row: f64,
}

impl<'a> Gantt<'a> {
    /// A picture of host DMA, buses and ways in `window`, or from the first of their operations to the
    /// end of the last. It ends before the operation that would be one too many: [`Gantt::cut_ps`].
    ///
    /// # Errors
    /// When there is no operation in it.
    pub fn new(trace: &'a Trace, window: Option<Window>) -> Result<Self, NothingToDraw> {
        let drawn = trace.tracks.iter().filter(|track| is_drawn(track));
        let lanes = drawn.map(|track| Lane { heading: &track.process, track }).collect();
        Self::of(lanes, Numbered::Command, window)
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
        Ok(Gantt { lanes, numbered, start_ps, end_ps, cut, row })
    }

    /// The span that is drawn, in picoseconds since the first job began, if operations after it
    /// were asked for and left out.
    pub fn cut_ps(&self) -> Option<(f64, f64)> {
        self.cut.then_some((self.start_ps, self.end_ps))
    }

    /// Writes the picture as SVG.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (lanes, labels, boxes, bottom) = self.rows();
        let height = (bottom + FOOT).ceil();
        let document = Document::new()
            .set("viewBox", (0, 0, WIDTH, height))
            .set("width", WIDTH)
            .set("height", height)
            .set("font-family", "Helvetica, Arial, sans-serif")
            .add(rectangle((0.0, 0.0), (WIDTH, height), "#FFFFFF"))
            .add(self.legend())
            .add(lanes)
            .add(self.axis(bottom))
            .add(boxes)
            .add(labels);
        svg::write(&mut *out, &document)?;
        writeln!(out)
    }

    fn x(&self, time_ps: f64) -> f64 {
        let share = (time_ps - self.start_ps) / (self.end_ps - self.start_ps);
        LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    /// Lanes, names and boxes of all rows, and where they end.
    fn rows(&self) -> (Group, Group, Group, f64) {
        let (mut lanes, mut labels, mut boxes) = (Group::new(), Group::new(), Group::new());
        let size = (self.row - 1.0).clamp(8.0, 12.0);
        let mut top = TOP;
        let mut last = "";
        for Lane { heading, track } in &self.lanes {
            if *heading != last {
                top += if last.is_empty() { 0.0 } else { GAP };
                last = heading;
                // Rows of host DMA bear its name already.
                if *heading != names::HOST_DMA {
                    let at = (12.0, top + self.row / 2.0);
                    let name = text(heading, at, size.max(11.0)).set("font-weight", "bold");
                    labels = labels.add(name);
                }
            }
            let lane = rectangle((LEFT, top), (RIGHT - LEFT, self.row - 1.0), LANE);
            lanes = lanes.add(lane);
            let name = text(&track.name, (LEFT - 8.0, top + self.row / 2.0), size);
            labels = labels.add(name.set("text-anchor", "end").set("fill", MUTED));
            for slice in &track.slices {
                boxes = self.add_box(boxes, slice, top);
            }
            top += self.row;
        }
        (lanes, labels, boxes, top)
    }

    /// The box of a slice, with the number of its command where there is room.
    fn add_box(&self, boxes: Group, slice: &TraceSlice, top: f64) -> Group {
        let end_ps = end_of(slice);
        if end_ps <= self.start_ps || slice.start_ps >= self.end_ps {
            return boxes;
        }
        let (left, right) = (self.x(slice.start_ps), self.x(end_ps));
        let width = (right - left).max(NARROWEST);
        let look = look_of(&slice.name);
        let mut shape = rectangle((left, top), (width, self.row - 1.0), look.fill);
        if width > OUTLINED {
            shape = shape.set("stroke", "#FFFFFF").set("stroke-width", 0.6);
        }
        let boxes = boxes.add(shape);
        let Some(command) = slice.command.map(|number| number.to_string()) else { return boxes };
        let size = (self.row - 5.0).min(11.0);
        if self.row < NUMBERED || (command.len() as f64 + 1.0) * CHARACTER * size > width {
            return boxes;
        }
        let middle = (left + width / 2.0, top + (self.row - 1.0) / 2.0);
        let number = text(&command, middle, size);
        boxes.add(number.set("text-anchor", "middle").set("fill", look.on_fill))
    }

    /// The operations that there are, with their colours.
    fn legend(&self) -> Group {
        let mut legend = Group::new();
        let mut left = LEFT;
        for look in LOOKS.iter().chain([&OTHER]).filter(|look| self.shows(look)) {
            let name = text(look.name, (left + 18.0, 24.0), 13.0);
            legend = legend.add(rectangle((left, 17.0), (13.0, 13.0), look.fill)).add(name);
            left += 18.0 + look.name.len() as f64 * 13.0 * CHARACTER + 16.0;
        }
        legend
    }

    fn shows(&self, look: &Look) -> bool {
        let of_look = |slice: &&TraceSlice| std::ptr::eq(look_of(&slice.name), look);
        let inside =
            |slice: &TraceSlice| end_of(slice) > self.start_ps && slice.start_ps < self.end_ps;
        self.lanes.iter().flat_map(|lane| &lane.track.slices).filter(of_look).any(inside)
    }

    /// Marks of time above and below the rows, and lines between them.
    fn axis(&self, bottom: f64) -> Group {
        let scale = Scale::new(self.start_ps, self.end_ps);
        let mut axis = Group::new();
        for (time_ps, label) in &scale.marks {
            let x = self.x(*time_ps);
            axis = axis.add(line((x, TOP - 4.0), (x, bottom + 5.0), GRID));
            for y in [TOP - 13.0, bottom + 16.0] {
                let label = text(label, (x, y), 12.0).set("text-anchor", "middle");
                axis = axis.add(label.set("fill", MUTED));
            }
        }
        let cut = if self.cut { "; later operations are left out" } else { "" };
        let (first, owner) = match self.numbered {
            Numbered::Command => ("the first job began", "command"),
            Numbered::Request => ("the first request came", "request"),
        };
        let unit = scale.unit;
        let name =
            format!("time since {first} ({unit}); a number in a box is that of its {owner}{cut}");
        let name = text(&name, ((LEFT + RIGHT) / 2.0, bottom + 38.0), 13.0);
        axis.add(line((LEFT, bottom), (RIGHT, bottom), FRAME))
            .add(line((LEFT, TOP - 4.0), (LEFT, bottom), FRAME))
            .add(name.set("text-anchor", "middle"))
    }
}

fn is_drawn(track: &TraceTrack) -> bool {
    track.process == names::HOST_DMA || is_channel(track)
}

fn is_channel(track: &TraceTrack) -> bool {
    let of_channel = track.process.strip_prefix(names::CHANNEL);
    of_channel.is_some_and(|rest| rest.starts_with(' '))
}

fn end_of(slice: &TraceSlice) -> f64 {
    slice.start_ps + slice.length_ps
}

/// A number of pixels with two digits behind the point.
fn pixels(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn rectangle((x, y): (f64, f64), (width, height): (f64, f64), fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", pixels(x))
        .set("y", pixels(y))
        .set("width", pixels(width))
        .set("height", pixels(height))
        .set("fill", fill)
}

fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: &str) -> Line {
    Line::new()
        .set("x1", pixels(x1))
        .set("y1", pixels(y1))
        .set("x2", pixels(x2))
        .set("y2", pixels(y2))
        .set("stroke", stroke)
}

/// Text whose vertical middle is at `y`.
fn text(content: &str, (x, y): (f64, f64), size: f64) -> Text {
    Text::new(content)
        .set("x", pixels(x))
        // Half the height of a capital.
        .set("y", pixels(y + 0.35 * size))
        .set("font-size", pixels(size))
        .set("fill", TEXT)
}

#[cfg(test)]
#[path = "gantt_tests.rs"]
mod tests;
