//! Markers of points: full where measured, hollow where published. Bars, and intervals.

use crate::canvas::{fill, line, Area, DrawError};
use crate::palette::{Ink, PAPER, SERIES};
use plotters::element::{Circle, PathElement, Polygon};
use plotters::style::{Color, ShapeStyle};

/// Half the width of a marker in pixels. Hollow ones are wider, so that both are seen where they meet.
const FULL: i32 = 4;
const HOLLOW: i32 = 6;

/// Width of lines in pixels.
const LINE: u32 = 2;
/// Half the width of the ends of an interval in pixels.
const END: i32 = 4;

/// Draws an interval: a line between two pixels, of which one is above the other, with an end at each.
pub(crate) fn whisker(area: &Area, ends: [(i32, i32); 2], ink: Ink) -> Result<(), DrawError> {
    line(area, ends.to_vec(), ink, 1)?;
    let end = |(x, y): (i32, i32)| line(area, vec![(x - END, y), (x + END, y)], ink, 1);
    ends.into_iter().try_for_each(end)
}

/// Edges of the `nth` bar `of` some beside each other, which together fill a share of the room of the name at `x`.
pub(crate) fn bar(x: f64, nth: usize, of: usize, share: f64) -> (f64, f64) {
    let width = share / of.max(1) as f64;
    let left = x - share / 2.0 + nth as f64 * width;
    (left, left + width)
}

/// What tells a curve from the others: a colour, and a shape once the colours are used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    ink: Ink,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Circle,
    Square,
    Triangle,
}

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It came out here.
    Measured,
    /// The paper shows it.
    Published,
}

impl Marker {
    /// The marker of the curve at `index`; it repeats after 24.
    pub(crate) fn of_curve(index: usize) -> Self {
        let shapes = [Shape::Circle, Shape::Square, Shape::Triangle];
        Self {
            ink: SERIES[index % SERIES.len()],
            shape: shapes[index / SERIES.len() % shapes.len()],
        }
    }

    /// The circle that stands for all curves.
    pub(crate) fn neutral(ink: Ink) -> Self {
        Self { ink, shape: Shape::Circle }
    }

    /// Its colour.
    pub(crate) fn ink(self) -> Ink {
        self.ink
    }

    /// Draws a ring on paper around a pixel, which is seen on a bar of its colour.
    pub(crate) fn draw_ring(self, area: &Area, at: (i32, i32)) -> Result<(), DrawError> {
        area.draw(&Circle::new(at, HOLLOW, PAPER.color().filled()))?;
        area.draw(&Circle::new(at, HOLLOW, self.ink.color().stroke_width(LINE)))
    }

    /// Draws what stands for a bar around a pixel.
    pub(crate) fn draw_box(self, area: &Area, at: (i32, i32)) -> Result<(), DrawError> {
        let (x, y) = at;
        fill(area, [(x - HOLLOW, y - HOLLOW), (x + HOLLOW, y + HOLLOW)], self.ink)
    }

    /// Draws the marker around a pixel.
    pub(crate) fn draw(
        self,
        area: &Area,
        (x, y): (i32, i32),
        origin: Origin,
    ) -> Result<(), DrawError> {
        let color = self.ink.color();
        let (size, style): (i32, ShapeStyle) = match origin {
            Origin::Measured => (FULL, color.filled()),
            Origin::Published => (HOLLOW, color.stroke_width(LINE)),
        };
        let (left, right, top, bottom) = (x - size, x + size, y - size, y + size);
        let corners = match self.shape {
            Shape::Circle => return area.draw(&Circle::new((x, y), size, style)),
            Shape::Square => vec![(left, top), (right, top), (right, bottom), (left, bottom)],
            Shape::Triangle => vec![(x, top), (right, bottom), (left, bottom)],
        };
        match origin {
            Origin::Measured => area.draw(&Polygon::new(corners, style)),
            // Drawing two corners again joins the ends of the outline.
            Origin::Published => {
                let outline = [&corners[..], &corners[..2]].concat();
                area.draw(&PathElement::new(outline, style))
            }
        }
    }

    /// Draws a line in the marker's colour.
    pub(crate) fn draw_line(self, area: &Area, pixels: Vec<(i32, i32)>) -> Result<(), DrawError> {
        line(area, pixels, self.ink, LINE)
    }
}
