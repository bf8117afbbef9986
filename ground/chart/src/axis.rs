//! Axes of plots: where a value lies, and where the ticks are.

use crate::number::exact;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Ticks on an axis, about.
const TICKS: f64 = 7.0;
/// Share of the axis that stays free at each end, so that no marker is cut.
const MARGIN: f64 = 0.04;
/// Most powers of two that are all named.
const MOST_POWERS: i32 = 14;

/// How a horizontal axis is divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Evenly.
    Linear,
    /// By powers of two; every x is above 0.
    Log2,
    /// By powers of ten; every x is above 0.
    Log10,
    /// By names: x is an index into them.
    Categories(Vec<String>),
}

/// An axis. Positions are what is drawn: values themselves or their logarithms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    division: Division,
    /// The positions that the axis spans.
    range: Range<f64>,
    /// Positions of the ticks and what stands beside them.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// How values are divided over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    Even,
    Log2,
    Log10,
}

impl Division {
    /// The position of `value`; not finite where it has none.
    fn position(self, value: f64) -> f64 {
        match self {
            Self::Even => value,
            Self::Log2 => value.log2(),
            Self::Log10 => value.log10(),
        }
    }
}

impl Axis {
    /// The horizontal axis for the positions of `values`.
    pub(crate) fn horizontal(scale: &AxisScale, values: impl Iterator<Item = f64>) -> Self {
        let division = match scale {
            AxisScale::Linear => Division::Even,
            AxisScale::Log2 => Division::Log2,
            AxisScale::Log10 => Division::Log10,
            AxisScale::Categories(names) => return Self::of_names(names),
        };
        let positions = values.map(|value| division.position(value));
        let range = padded(spanned(positions).unwrap_or(0.0..1.0));
        let ticks = match division {
            Division::Even => round_numbers(&range),
            Division::Log2 => powers_of_two(&range),
            Division::Log10 => decades(&range),
        };
        Self { division, range, ticks }
    }

    fn of_names(names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(index, name)| (index as f64, name.clone()));
        let end = names.len().max(1) as f64 - 0.5;
        Self { division: Division::Even, range: -0.5..end, ticks: ticks.collect() }
    }

    /// The vertical axis for `values`; it has a zero.
    pub(crate) fn vertical(values: impl Iterator<Item = f64>) -> Self {
        let Range { start, end } = spanned(values.chain([0.0])).unwrap_or(0.0..1.0);
        let end = if start == end { 1.0 } else { end };
        let margin = MARGIN * (end - start);
        let range = match start < 0.0 {
            true => start - margin..end + margin,
            false => start..end + margin,
        };
        Self { division: Division::Even, ticks: round_numbers(&range), range }
    }

    /// The position of `value`, or `None` where it has none, as zero has on an axis of logarithms.
    pub(crate) fn position(&self, value: f64) -> Option<f64> {
        Some(self.division.position(value)).filter(|position| position.is_finite())
    }
}

/// The drawing library is given positions.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, position: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (position - self.range.start) / (self.range.end - self.range.start);
        start.saturating_add((f64::from(end - start) * share).round() as i32)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(position, _)| *position).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, position: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.0 == *position);
        tick.map_or(String::new(), |(_, text)| text.clone())
    }
}

/// From the least to the greatest of the finite `positions`.
fn spanned(positions: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    positions.filter(|position| position.is_finite()).fold(None, |span, position| {
        let Range { start, end } = span.unwrap_or(position..position);
        Some(start.min(position)..end.max(position))
    })
}

/// `range` with a margin at both ends, and of some length even when it is a point.
fn padded(range: Range<f64>) -> Range<f64> {
    let length = range.end - range.start;
    let margin = match length > 0.0 {
        true => MARGIN * length,
        false => 0.5,
    };
    range.start - margin..range.end + margin
}

fn powers_of_two(range: &Range<f64>) -> Vec<(f64, String)> {
    let (first, last) = (range.start.ceil() as i32, range.end.floor() as i32);
    let step = (last.saturating_sub(first) / MOST_POWERS + 1) as usize;
    (first..=last)
        .step_by(step)
        .map(|power| (f64::from(power), exact(f64::from(power).exp2())))
        .collect()
}

/// Powers of ten, and twice and five times these where there are few.
fn decades(range: &Range<f64>) -> Vec<(f64, String)> {
    let factors: &[f64] = match range.end - range.start < 3.0 {
        true => &[1.0, 2.0, 5.0],
        false => &[1.0],
    };
    (range.start.floor() as i32..=range.end.floor() as i32)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
        .map(|value| (value.log10(), exact(value)))
        .filter(|(position, _)| range.contains(position))
        .collect()
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn round_numbers(range: &Range<f64>) -> Vec<(f64, String)> {
    let coarse = (range.end - range.start) / TICKS;
    let power = 10_f64.powf(coarse.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= coarse)
        .unwrap_or(coarse);
    // A range can be shorter than floats can divide, or longer than they can tell.
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    let largest = range.start.abs().max(range.end.abs());
    let (scale, letter) = match largest {
        millions if millions >= 1e7 => (1e6, "M"),
        thousands if thousands >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
    (first..=last)
        .map(|multiple| {
            let value = multiple as f64 * step;
            let letter = if multiple == 0 { "" } else { letter };
            (value, format!("{}{letter}", exact(value / scale)))
        })
        .filter(|(position, _)| range.contains(position))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_what_a_person_would_write() {
        let horizontal = |scale, values: &[f64]| Axis::horizontal(&scale, values.iter().copied());
        for (axis, expected) in [
            (horizontal(AxisScale::Log2, &[1.0, 64.0]), "1 2 4 8 16 32 64"),
            (
                horizontal(AxisScale::Log2, &[1.0, 1048576.0]),
                "1 4 16 64 256 1024 4096 16384 65536 262144 1048576",
            ),
            (horizontal(AxisScale::Log10, &[1.0, 100.0]), "1 2 5 10 20 50 100"),
            (horizontal(AxisScale::Log10, &[1.0, 10_000.0]), "1 10 100 1000 10000"),
            (horizontal(AxisScale::Linear, &[200.0, 1000.0]), "200 400 600 800 1000"),
            (horizontal(AxisScale::Linear, &[8.0]), "7.6 7.8 8 8.2 8.4"),
            (horizontal(AxisScale::Categories(vec!["a".into(), "b".into()]), &[]), "a b"),
            (Axis::vertical([1275.0, 80.0].into_iter()), "0 200 400 600 800 1000 1200"),
            (Axis::vertical([318_912.0].into_iter()), "0 50k 100k 150k 200k 250k 300k"),
            (Axis::vertical([-2.0, 1.0].into_iter()), "-2 -1.5 -1 -0.5 0 0.5 1"),
            (Axis::vertical([0.0, f64::NAN].into_iter()), "0 0.2 0.4 0.6 0.8 1"),
        ] {
            assert_eq!(texts(&axis).join(" "), expected);
        }
    }

    #[test]
    fn only_what_has_a_logarithm_has_a_position() {
        let axis = Axis::horizontal(&AxisScale::Log2, [0.0, 1.0, 8.0].into_iter());
        assert_eq!(axis.position(8.0), Some(3.0));
        assert_eq!(axis.position(0.0), None);
        assert_eq!(axis.position(-1.0), None);
        assert!(axis.range.start > -1.0 && axis.range.end < 4.0);
    }
}
