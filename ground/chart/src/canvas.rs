//! What all pictures share: the sheet that is drawn on, rectangles, lines, text.

use crate::palette::{Ink, TEXT};
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, TextStyle};
use std::io;

/// Width of most pictures in pixels; a page scales them.
pub const WIDTH: u32 = 1000;

/// Height of a line of text in pixels; letters are a fifth smaller.
pub const TEXT_SIZE: u32 = 15;

/// What is drawn on. Positions are whole units of its [`Sheet`].
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Why drawing failed.
pub type DrawError = DrawingAreaErrorKind<io::Error>;

/// Size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Units of positions and sizes in a pixel: more than one for what is finer than a pixel.
    pub units: u32,
}

impl Sheet {
    /// A sheet of [`WIDTH`] by `height` pixels, whose unit is the pixel.
    pub fn of_height(height: u32) -> Self {
        Self { width: WIDTH, height, units: 1 }
    }

    /// Draws a picture and gives it as SVG.
    ///
    /// # Errors
    /// The errors of `draw`.
    pub fn svg(self, draw: impl FnOnce(&Area) -> Result<(), DrawError>) -> io::Result<String> {
        let Self { width, height, units } = self;
        let mut text = String::new();
        {
            let size = (width * units, height * units);
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            draw(&area).and_then(|()| area.present()).map_err(io::Error::other)?;
        }
        // The first width and height are those of the picture, which the library takes for as many pixels as there are units.
        let size =
            |units: u32| format!("width=\"{}\" height=\"{}\"", width * units, height * units);
        Ok(text.replacen(&size(units), &size(1), 1))
    }
}

/// Where a text stands relative to its position.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How strong letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As in a sentence.
    Plain,
    /// As in a heading.
    Bold,
}

/// Where a text stands, and how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its vertical middle, and horizontally what `anchor` says.
    pub at: (i32, i32),
    /// Where it stands relative to `at`.
    pub anchor: Anchor,
    /// Its colour.
    pub ink: Ink,
    /// Height of its line in units.
    pub size: u32,
    /// How strong its letters are.
    pub weight: Weight,
}

impl Place {
    /// Plain text of [`TEXT_SIZE`] that begins at `at`.
    pub fn start(at: (i32, i32)) -> Self {
        Self { at, anchor: Anchor::Start, ink: TEXT, size: TEXT_SIZE, weight: Weight::Plain }
    }

    /// Plain text of [`TEXT_SIZE`] whose middle is `at`.
    pub fn middle(at: (i32, i32)) -> Self {
        Self { anchor: Anchor::Middle, ..Self::start(at) }
    }

    /// Plain text of [`TEXT_SIZE`] that ends at `at`.
    pub fn end(at: (i32, i32)) -> Self {
        Self { anchor: Anchor::End, ..Self::start(at) }
    }

    /// The same in another colour.
    pub fn ink(self, ink: Ink) -> Self {
        Self { ink, ..self }
    }

    /// The same in another size.
    pub fn sized(self, size: u32) -> Self {
        Self { size, ..self }
    }

    /// The same in bold letters.
    pub fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }
}

/// Writes `text` at `place`.
///
/// # Errors
/// The errors of the drawing library.
pub fn label(area: &Area, text: &str, place: Place) -> Result<(), DrawError> {
    let horizontal = match place.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let weight = match place.weight {
        Weight::Plain => FontStyle::Normal,
        Weight::Bold => FontStyle::Bold,
    };
    let style: TextStyle = ("sans-serif", place.size).into_font().style(weight).into();
    let style = TextStyle { color: place.ink.color().to_backend_color(), ..style }
        .pos(Pos::new(horizontal, VPos::Center));
    area.draw(&Text::new(text.to_string(), place.at, style))
}

/// Fills the rectangle between two corners.
///
/// # Errors
/// The errors of the drawing library.
pub fn fill(area: &Area, corners: [(i32, i32); 2], ink: Ink) -> Result<(), DrawError> {
    area.draw(&Rectangle::new(corners, ink.color().filled()))
}

/// Draws lines from point to point.
///
/// # Errors
/// The errors of the drawing library.
pub fn line(area: &Area, points: Vec<(i32, i32)>, ink: Ink, width: u32) -> Result<(), DrawError> {
    area.draw(&PathElement::new(points, ink.color().stroke_width(width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_of_finer_units_is_as_large_as_it_says() {
        let sheet = Sheet { width: 300, height: 20, units: 10 };
        let svg = sheet.svg(|area| fill(area, [(0, 0), (2999, 5)], TEXT)).unwrap();
        assert!(svg.contains("<svg width=\"300\" height=\"20\" viewBox=\"0 0 3000 200\""), "{svg}");
    }
}
