//! Many settings with many figures: an axis for each, side by side, and a line for each setting across all of them.

use crate::canvas::{label, line, Area, DrawError, Place, Sheet, WIDTH};
use crate::number::significant;
use crate::palette::{Ink, AXIS, MUTED, PAPER, SERIES, TEXT};
use plotters::style::Color;
use std::io;

/// Sizes in pixels.
const HEIGHT: i32 = 420;
const TOP: i32 = 74;
const BOTTOM: i32 = HEIGHT - 34;
const MARGIN: i32 = 70;
/// Width of a character.
const CHARACTER: f64 = 8.0;
/// Height of lines of text.
const SIZE: u32 = 15;

/// How a setting's line looks.
#[derive(Clone, Copy)]
struct Stroke {
    ink: Ink,
    width: u32,
}

const PLAIN: Stroke = Stroke { ink: AXIS, width: 1 };
const MARKED: Stroke = Stroke { ink: SERIES[1], width: 2 };

/// A figure that settings differ in.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// What it is.
    pub name: String,
    /// Its value of each setting; nothing where it has none.
    pub values: Vec<Option<f64>>,
    /// Where values are names: what each index means.
    pub names: Vec<String>,
}

/// Parallel coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel<'a> {
    /// From left to right.
    pub dimensions: &'a [Dimension],
    /// Which settings stand out.
    pub marked: &'a [bool],
}

impl Parallel<'_> {
    /// The picture as SVG.
    ///
    /// # Errors
    /// The errors of the drawing library.
    pub fn svg(&self) -> io::Result<String> {
        Sheet::of_height(HEIGHT as u32).svg(|area| {
            area.fill(&PAPER.color().to_rgba())?;
            for marked in [false, true] {
                for (nth, _) in self.marked.iter().enumerate().filter(|(_, own)| **own == marked) {
                    self.draw_setting(area, nth, if marked { MARKED } else { PLAIN })?;
                }
            }
            (0..self.dimensions.len()).try_for_each(|nth| self.draw_axis(area, nth))
        })
    }

    fn across(&self, nth: usize) -> i32 {
        let steps = self.dimensions.len().saturating_sub(1).max(1) as f64;
        MARGIN + (nth as f64 / steps * f64::from(WIDTH as i32 - 2 * MARGIN)).round() as i32
    }

    fn draw_setting(&self, area: &Area, setting: usize, stroke: Stroke) -> Result<(), DrawError> {
        let pixel = |(nth, dimension): (usize, &Dimension)| {
            let value = dimension.values.get(setting).copied().flatten()?;
            Some((self.across(nth), dimension.up(value)))
        };
        let pixels: Vec<_> = self.dimensions.iter().enumerate().map(pixel).collect();
        for stretch in pixels.split(Option::is_none).filter(|stretch| stretch.len() > 1) {
            line(area, stretch.iter().flatten().copied().collect(), stroke.ink, stroke.width)?;
        }
        Ok(())
    }

    fn draw_axis(&self, area: &Area, nth: usize) -> Result<(), DrawError> {
        let (dimension, x) = (&self.dimensions[nth], self.across(nth));
        line(area, vec![(x, TOP), (x, BOTTOM)], MUTED, 2)?;
        // Names of neighbours stand at two heights.
        let room = 2.0 * f64::from(WIDTH as i32 - 2 * MARGIN) / self.dimensions.len().max(2) as f64;
        let name = shortened(&dimension.name, (room.min(260.0) / CHARACTER) as usize);
        let half = (name.chars().count() as f64 * CHARACTER / 2.0) as i32;
        let at = x.clamp(half + 4, (WIDTH as i32 - half - 4).max(half + 4));
        let middle = (at, if nth % 2 == 0 { 22 } else { 44 });
        label(area, &name, Place::middle(middle).sized(SIZE).ink(TEXT))?;
        for (value, text) in dimension.marks() {
            let place = Place::start((x + 6, dimension.up(value))).sized(SIZE).ink(MUTED);
            label(area, &shortened(&text, 12), place)?;
        }
        Ok(())
    }
}

impl Dimension {
    fn ends(&self) -> (f64, f64) {
        let values = || self.values.iter().flatten().copied().filter(|value| value.is_finite());
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low <= high {
            (low, high)
        } else {
            (0.0, 0.0)
        }
    }

    fn up(&self, value: f64) -> i32 {
        let (low, high) = self.ends();
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        BOTTOM - (share.clamp(0.0, 1.0) * f64::from(BOTTOM - TOP)).round() as i32
    }

    /// What stands beside the axis: its ends, or names.
    fn marks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.ends();
        if self.names.is_empty() {
            let mark = |value| (value, significant(value, 4));
            return if low < high { vec![mark(low), mark(high)] } else { vec![mark(low)] };
        }
        let every = self.names.len() / 16 + 1;
        let named = self.names.iter().enumerate().step_by(every);
        named.map(|(nth, name)| (nth as f64, name.clone())).collect()
    }
}

fn shortened(text: &str, room: usize) -> String {
    match text.chars().count() > room.max(2) {
        true => text.chars().take(room.max(2) - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_setting_goes_over_all_axes_and_marked_ones_stand_out() {
        let dimension = |name: &str, values: &[f64], names: &[&str]| Dimension {
            name: name.into(),
            values: values.iter().copied().map(Some).collect(),
            names: names.iter().map(|name| name.to_string()).collect(),
        };
        let mut dimensions = vec![
            dimension("ftl.victim", &[0.0, 1.0, 1.0], &["greedy", "<b>"]),
            dimension("p99", &[100.0, 300.0, 200.0], &[]),
            dimension("iops", &[5.0, 5.0, 5.0], &[]),
        ];
        let svg = |dimensions: &[Dimension]| {
            Parallel { dimensions, marked: &[true, false, false] }.svg().unwrap()
        };
        let picture = svg(&dimensions);
        let of = |svg: &str, ink: Ink| {
            let color = ink.color();
            let stroke = format!("stroke=\"#{:02X}{:02X}{:02X}\"", color.0, color.1, color.2);
            svg.matches(&stroke).count()
        };
        assert_eq!((of(&picture, SERIES[1]), of(&picture, AXIS)), (1, 2));
        for text in ["greedy", "&lt;b&gt;", "p99", "100", "300", "iops"] {
            assert!(picture.contains(&format!("\n{text}\n")), "{text}");
        }
        // A setting without a value in the middle has no two values beside each other.
        dimensions[1].values[0] = None;
        assert_eq!(of(&svg(&dimensions), SERIES[1]), 0);
        assert!(Parallel { dimensions: &[], marked: &[] }.svg().unwrap().contains("</svg>"));
    }
}
