//! What all plots share: the drawing area, text, axes.

use crate::palette::{Ink, AXIS, GRID, MUTED};
use plotters::backend::SVGBackend;
use plotters::chart::ChartContext;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::{ranged1d::Ranged, Shift};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Rectangle, Text};
use plotters::prelude::Cartesian2d;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TextStyle};
use std::io;

/// Width of every plot in pixels of its own coordinates; the page scales them.
pub(crate) const WIDTH: u32 = 1000;

/// Height of a line of text in pixels; letters are a fifth smaller.
pub(crate) const TEXT_SIZE: u32 = 15;

/// Width that a character of text takes at most on average, in pixels.
const CHARACTER_WIDTH: usize = 7;

/// Lines on an axis.
const TICKS: usize = 8;

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

/// `text`, shortened to what fits into `width` pixels.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    let room = width / CHARACTER_WIDTH;
    if text.chars().count() <= room {
        return text.to_string();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// What the axes of a chart say.
pub(crate) struct Axes<X, Y> {
    /// Text of a position on the horizontal axis.
    pub(crate) x: fn(&X) -> String,
    /// Text of a position on the vertical axis.
    pub(crate) y: fn(&Y) -> String,
    /// Name of the horizontal axis.
    pub(crate) x_name: &'static str,
    /// Name of the vertical axis.
    pub(crate) y_name: &'static str,
}

/// Draws axes, labels and a quiet grid.
pub(crate) fn draw_axes<'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    axes: &Axes<X::ValueType, Y::ValueType>,
) -> Result<(), DrawError>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    chart
        .configure_mesh()
        .x_labels(TICKS)
        .y_labels(TICKS)
        .x_label_formatter(&axes.x)
        .y_label_formatter(&axes.y)
        .x_desc(axes.x_name)
        .y_desc(axes.y_name)
        .label_style(("sans-serif", TEXT_SIZE).into_font().color(&MUTED.color()))
        .axis_style(AXIS.color())
        .bold_line_style(GRID.color())
        .disable_x_mesh()
        .max_light_lines(0)
        .draw()
}
