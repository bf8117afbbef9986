//! The legend of a plot: what each colour stands for, and what is measured and published.

use crate::axis::AxisScale;
use crate::canvas::{label, Area, DrawError, Place, WIDTH};
use crate::figure::{Curve, Figure, MARGIN, TEXT_SIZE};
use crate::marker::{Marker, Origin};
use crate::palette::MUTED;

/// Height of a line of the legend in pixels.
const LINE_HEIGHT: i32 = 24;
/// Width of a character of text at most on average, and of the gap behind it.
const CHARACTER: i32 = 8;
const GAP: i32 = 26;
/// Widths of the mark before it, a line or a lone marker, and of the gap between.
const LINE_WIDTH: i32 = 34;
const MARKER_WIDTH: i32 = 14;
const MARK_GAP: i32 = 9;
/// Most characters of a name.
const MOST_CHARACTERS: usize = 100;

/// A legend whose entries have their places.
pub(crate) struct Legend {
    entries: Vec<Entry>,
    height: i32,
}

struct Entry {
    text: String,
    marker: Marker,
    line: bool,
    /// Whether a bar stands for it, and no point.
    bar: bool,
    origin: Option<Origin>,
    at: (i32, i32),
}

impl Legend {
    /// The legend of `figure`, in as many lines as it needs, the first with its middle at `top`.
    pub(crate) fn of(figure: &Figure<'_>, top: i32) -> Self {
        let mut entries: Vec<_> = figure.curves.iter().enumerate().map(of_curve).collect();
        if figure.curves.iter().any(|curve| !curve.published.is_empty()) {
            entries.push(of_origin("measured", Origin::Measured));
            entries.push(of_origin("published", Origin::Published));
        }
        if let AxisScale::Categories(_) = figure.x {
            let is_measured = |entry: &&mut Entry| entry.origin == Some(Origin::Measured);
            entries.iter_mut().filter(is_measured).for_each(|entry| {
                (entry.line, entry.bar) = (false, true);
            });
        }
        let mut at = (MARGIN, top);
        for entry in &mut entries {
            let width = entry.text_left() + CHARACTER * entry.text.chars().count() as i32;
            if at.0 > MARGIN && at.0 + width > WIDTH as i32 - MARGIN {
                at = (MARGIN, at.1 + LINE_HEIGHT);
            }
            entry.at = at;
            at.0 += width + GAP;
        }
        Self { entries, height: at.1 - top + LINE_HEIGHT }
    }

    /// Height of all lines in pixels.
    pub(crate) fn height(&self) -> i32 {
        self.height
    }

    /// Draws the legend.
    pub(crate) fn draw(&self, area: &Area) -> Result<(), DrawError> {
        self.entries.iter().try_for_each(|entry| entry.draw(area))
    }
}

impl Entry {
    fn mark_width(&self) -> i32 {
        match self.line {
            true => LINE_WIDTH,
            false => MARKER_WIDTH,
        }
    }

    /// Where its text begins, from its left.
    fn text_left(&self) -> i32 {
        self.mark_width() + MARK_GAP
    }

    fn draw(&self, area: &Area) -> Result<(), DrawError> {
        let (left, middle) = self.at;
        if self.line {
            self.marker.draw_line(area, vec![(left, middle), (left + LINE_WIDTH, middle)])?;
        }
        let at = (left + self.mark_width() / 2, middle);
        match self.origin {
            Some(_) if self.bar => self.marker.draw_box(area, at)?,
            Some(origin) => self.marker.draw(area, at, origin)?,
            None => {}
        }
        let at = (left + self.text_left(), middle);
        label(area, &self.text, Place::start(at).sized(TEXT_SIZE))
    }
}

fn of_curve((index, curve): (usize, &Curve)) -> Entry {
    let measured = (!curve.measured.is_empty()).then_some(Origin::Measured);
    let published = (!curve.published.is_empty()).then_some(Origin::Published);
    Entry {
        text: shortened(&curve.name),
        marker: Marker::of_curve(index),
        line: measured.is_some(),
        bar: false,
        // Hollow markers are explained once for all curves, unless a curve has nothing else.
        origin: measured.or(published),
        at: (0, 0),
    }
}

fn of_origin(name: &str, origin: Origin) -> Entry {
    Entry {
        text: name.to_string(),
        marker: Marker::neutral(MUTED),
        line: origin == Origin::Measured,
        bar: false,
        origin: Some(origin),
        at: (0, 0),
    }
}

fn shortened(name: &str) -> String {
    match name.chars().count() > MOST_CHARACTERS {
        true => name.chars().take(MOST_CHARACTERS - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
