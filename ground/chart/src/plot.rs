//! Plots that the page's script draws: what it is given, as data.

use crate::number::finite;
use maud::{html, Markup, PreEscaped};
use serde::Serialize;
use std::io;

/// Significant digits of a value in a page.
const DIGITS: i32 = 4;

/// How often the highest value has to exceed what 95 % of the values do not, for the plot to begin with
/// [`Scale::Robust`].
const SPIKE: f64 = 3.0;

/// A plot of stepped lines over a common horizontal axis: each value holds up to the next position.
#[derive(Debug, Serialize)]
pub struct Plot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Horizontal positions, rising.
    pub at: Vec<f64>,
    /// Stepped lines, drawn in this order.
    pub lines: Vec<Line>,
    /// Vertical lines with a name, rising.
    pub marks: Vec<Mark>,
    /// Strips at the lower edge, the first one lowest.
    pub bands: Vec<Band>,
}

/// What a direction of a plot measures.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Axis {
    /// What it measures.
    pub name: &'static str,
    /// In which unit.
    pub unit: Unit,
    /// How values are placed at first; on a vertical axis the reader may choose another.
    pub scale: Scale,
}

/// Unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Times in nanoseconds; labels take a larger unit where that is shorter.
    Nanoseconds,
    /// Bytes, in powers of two.
    Bytes,
    /// Bytes a second, in powers of ten.
    BytesPerSecond,
    /// A plain number.
    Count,
    /// Shares in percent, 100 for all.
    Percent,
}

/// How values are placed on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// By their size, from zero to the highest.
    Linear,
    /// By their logarithm.
    Log,
    /// By their size, as far up as all but the highest few.
    Robust,
}

/// A stepped line, with a value or none at each position of the plot.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Name of the line in the legend.
    pub name: String,
    /// Index of its colour among [`SERIES`](crate::palette::SERIES); any number.
    pub color: usize,
    /// Whether it is drawn whole or dashed.
    pub stroke: Stroke,
    /// Row of the table of jobs that it belongs to, if it is a job's.
    pub job: Option<usize>,
    /// Its value at each position; the line breaks where there is none.
    pub values: Vec<Option<f64>>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stroke {
    /// Whole.
    Solid,
    /// Strokes with gaps between.
    Dashed,
}

/// A vertical line with a name.
#[derive(Clone, Debug, Serialize)]
pub struct Mark {
    /// Where it stands.
    pub at: f64,
    /// What begins there.
    pub name: String,
}

/// A strip within a plot that is coloured where something took place.
#[derive(Clone, Debug, Serialize)]
pub struct Band {
    /// What took place.
    pub name: String,
    /// Index of its colour among [`SERIES`](crate::palette::SERIES); any number.
    pub color: usize,
    /// From and up to which horizontal positions, rising.
    pub spans: Vec<[f64; 2]>,
}

impl Axis {
    /// The axis of virtual time.
    pub const TIME: Self =
        Self { name: "virtual time", unit: Unit::Nanoseconds, scale: Scale::Linear };
}

impl Plot {
    /// Lines at horizontal positions, with nothing marked.
    pub fn of([x, y]: [Axis; 2], at: Vec<f64>, lines: Vec<Line>) -> Plot {
        Plot { x, y, at, lines, marks: Vec::new(), bands: Vec::new() }
    }

    /// Lets the vertical axis begin in the scale that suits the lines.
    pub fn with_fitting_scale(mut self) -> Self {
        let mut values: Vec<f64> =
            self.lines.iter().flat_map(|line| line.values.iter().flatten().copied()).collect();
        values.retain(|value| *value > 0.0);
        values.sort_by(f64::total_cmp);
        let most = values.get(values.len() * 95 / 100).copied().unwrap_or(0.0);
        let highest = values.last().copied().unwrap_or(0.0);
        self.y.scale = if highest > SPIKE * most { Scale::Robust } else { Scale::Linear };
        self
    }
}

impl Plot {
    /// The plot for the script of a [`Page`](crate::Page), as HTML.
    ///
    /// # Errors
    /// The errors of the library that writes JSON.
    pub fn markup(&self) -> io::Result<Markup> {
        // What could end the element only stands within texts, where it may be written so.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        Ok(html! {
            div.chart role="img" aria-label=(self.y.name) {
                script type="application/json" { (PreEscaped(data)) }
            }
            "\n"
        })
    }
}

/// `value` with as many digits as a plot shows.
pub fn short(value: f64) -> f64 {
    let value = finite(value);
    if value == 0.0 {
        return 0.0;
    }
    let digits = DIGITS - 1 - value.abs().log10().floor() as i32;
    let unit = 10f64.powi(digits.abs());
    match digits >= 0 {
        true => finite((value * unit).round() / unit),
        false => (value / unit).round() * unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_left() {
        for (value, expected) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (123_456.0, 123_500.0),
            (0.001_234_56, 0.001_235),
            (-9.999_96, -10.0),
            (f64::NAN, 0.0),
        ] {
            assert_eq!(short(value), expected, "{value}");
        }
    }

    fn scale(values: &[f64]) -> Scale {
        let values = values.iter().copied().map(Some).collect();
        let line = Line { name: String::new(), color: 0, stroke: Stroke::Solid, job: None, values };
        let y = Axis { name: "", unit: Unit::Count, scale: Scale::Linear };
        let plot = Plot::of([Axis::TIME, y], Vec::new(), vec![line]);
        plot.with_fitting_scale().y.scale
    }

    #[test]
    fn one_spike_does_not_flatten_the_rest() {
        let mut values = vec![100.0; 99];
        assert_eq!(scale(&values), Scale::Linear);
        values.insert(0, 900.0);
        assert_eq!(scale(&values), Scale::Robust);
        assert_eq!(scale(&[]), Scale::Linear);
    }
}
