//! What maps share: the drawing area, rectangles, text.

use crate::palette::Ink;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TextStyle};
use std::io;

/// Width of every plot in pixels of its own coordinates; the page scales them.
pub(crate) const WIDTH: u32 = 1000;

/// Height of a line of text in pixels; letters are a fifth smaller.
pub(crate) const TEXT_SIZE: u32 = 15;

/// An area of a plot, in pixels.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Why drawing failed.
pub(crate) type DrawError = DrawingAreaErrorKind<io::Error>;

/// Draws a plot of [`WIDTH`] by `height` pixels and gives it as SVG.
pub(crate) fn svg(
    height: u32,
    draw: impl FnOnce(&Area) -> Result<(), DrawError>,
) -> io::Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area).and_then(|()| area.present()).map_err(io::Error::other)?;
    }
    Ok(text)
}

/// Where a text stands relative to its position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// Position and colour of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its vertical middle, and horizontally what `anchor` says.
    pub(crate) at: (i32, i32),
    /// Where it stands relative to `at`.
    pub(crate) anchor: Anchor,
    /// Its colour.
    pub(crate) ink: Ink,
}

/// Writes `text` at `place`.
pub(crate) fn label(area: &Area, text: &str, place: Place) -> Result<(), DrawError> {
    let horizontal = match place.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let style: TextStyle = ("sans-serif", TEXT_SIZE).into_font().into();
    let style = TextStyle { color: place.ink.color().to_backend_color(), ..style }
        .pos(Pos::new(horizontal, VPos::Center));
    area.draw(&Text::new(text.to_string(), place.at, style))
}

/// Fills the rectangle between two corners.
pub(crate) fn fill(area: &Area, corners: [(i32, i32); 2], ink: Ink) -> Result<(), DrawError> {
    area.draw(&Rectangle::new(corners, ink.color().filled()))
}
