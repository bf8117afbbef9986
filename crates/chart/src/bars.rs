//! Bars: stacked upright ones over an axis as a picture, and lying ones with names as part of a page.

use crate::canvas::{fill, label, line, Area, DrawError, Place, Sheet, WIDTH};
use crate::number::finite;
use crate::palette::{AXIS, MUTED, SERIES};
use maud::{html, Markup};
use std::io;

const HEIGHT: i32 = 168;
/// Above the highest bar, and below all of them.
const TOP: i32 = 24;
const FOOT: i32 = 24;

/// Upright bars, from the left to the right of an axis.
#[derive(Debug)]
pub struct Histogram<'a> {
    /// Of each bar, its parts from below, in the order of [`SERIES`].
    pub bars: &'a [Vec<f64>],
    /// What stands at the left and the right end of the axis.
    pub ends: [&'a str; 2],
    /// How high the highest bar is, in words.
    pub highest: &'a str,
}

impl Histogram<'_> {
    /// The bars as SVG, the highest as high as the picture.
    ///
    /// # Errors
    /// Those of the drawing library.
    pub fn svg(&self) -> io::Result<String> {
        Sheet::of_height(HEIGHT as u32).svg(|area| self.draw(area))
    }

    fn draw(&self, area: &Area) -> Result<(), DrawError> {
        let (width, bottom) = (f64::from(WIDTH), HEIGHT - FOOT);
        let heights = self.bars.iter().map(|bar| bar.iter().map(|part| finite(*part)).sum::<f64>());
        let most = heights.fold(f64::MIN_POSITIVE, f64::max);
        let pixel = |nth: usize| (width * nth as f64 / self.bars.len() as f64).round() as i32;
        for (nth, bar) in self.bars.iter().enumerate() {
            let (left, right) = (pixel(nth), (pixel(nth + 1) - 2).max(pixel(nth)));
            let mut below = 0.0;
            for (part, ink) in bar.iter().zip(SERIES) {
                let height = |value: f64| (f64::from(bottom - TOP) * value / most).round() as i32;
                let from = bottom - height(below);
                below += finite(*part);
                let to = bottom - height(below);
                if to < from {
                    fill(area, [(left, to), (right, from)], ink)?;
                }
            }
        }
        line(area, vec![(0, bottom), (WIDTH as i32, bottom)], AXIS, 1)?;
        label(area, self.highest, Place::start((0, TOP / 2)).ink(MUTED))?;
        label(area, self.ends[0], Place::start((0, bottom + FOOT / 2)).ink(MUTED))?;
        label(area, self.ends[1], Place::end((WIDTH as i32, bottom + FOOT / 2)).ink(MUTED))
    }
}

/// A lying bar: a name, the bar of parts, and an amount.
#[derive(Debug)]
pub struct Bar {
    /// Row of the table of jobs that it belongs to.
    pub job: Option<usize>,
    /// What it is of.
    pub name: String,
    /// From the left.
    pub parts: Vec<BarPart>,
    /// Its amount, in words.
    pub amount: String,
}

/// A part of a bar.
#[derive(Debug)]
pub struct BarPart {
    /// Of the whole width, 0 to 1.
    pub share: f64,
    /// Name of its colour in the page's style sheet.
    pub ink: String,
    /// What it is, in words.
    pub title: String,
}

impl Bar {
    fn markup(&self) -> Markup {
        html! {
            div data-job=[self.job] {
                b title=(self.name) { (self.name) }
                span {
                    @for part in self.parts.iter().filter(|part| part.share > 0.0) {
                        i class={ "swatch-" (part.ink) } style={ "width:" (format!("{:.2}", 100.0 * finite(part.share))) "%" } title=(part.title) {}
                    }
                }
                em { (self.amount) }
            }
            "\n"
        }
    }
}

/// Lying bars below each other.
pub fn lying(bars: &[Bar]) -> Markup {
    html! {
        div.bars { "\n" @for bar in bars { (bar.markup()) } }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left and right edge, upper and lower one of each rectangle.
    fn rectangles(svg: &str) -> Vec<[i32; 4]> {
        let value = |piece: &str, name: &str| -> i32 {
            let (_, rest) = piece.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        svg.split("<rect ")
            .skip(1)
            .map(|piece| {
                let [x, y] = [" x", " y"].map(|name| value(&format!(" {piece}"), name));
                [x, x + value(piece, "width"), y, y + value(piece, "height")]
            })
            .collect()
    }

    #[test]
    fn parts_are_stacked_and_the_highest_bar_is_as_high_as_the_picture() {
        let bars = [vec![1.0, 3.0], vec![2.0, 0.0], vec![f64::NAN, 0.0]];
        let svg = Histogram { bars: &bars, ends: ["0", "9"], highest: "4" }.svg().unwrap();
        let drawn = rectangles(&svg);
        assert_eq!(drawn.len(), 3);
        let heights: Vec<_> = drawn.iter().map(|[_, _, upper, lower]| lower - upper).collect();
        assert_eq!(heights, [30, 90, 60]);
        let [reads, writes, next] = [drawn[0], drawn[1], drawn[2]];
        assert_eq!((reads[2], writes[2]), (writes[3], TOP));
        assert_eq!((reads[0], writes[0]), (0, 0));
        assert!(next[0] > reads[1]);
    }
}
