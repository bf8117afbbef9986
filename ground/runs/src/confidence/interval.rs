//! A mean, and how far the true one may lie from it.

use std::fmt;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How often intervals are to hold the true value: a share, more than a half and less than one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level(f64);

impl Level {
    /// 95 %.
    pub const USUAL: Level = Level(0.95);

    /// This share; none if it is no level.
    pub fn new(share: f64) -> Option<Level> {
        (0.5..=0.9999).contains(&share).then_some(Level(share))
    }

    /// Share of the intervals that hold the true value, 0.5 to 0.9999.
    pub fn share(self) -> f64 {
        self.0
    }

    /// What Student's t with so many degrees of freedom lies within, plus or minus, with this probability; none without any.
    pub fn student(self, freedom: f64) -> Option<f64> {
        let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
        Some(t.inverse_cdf(0.5 + self.0 / 2.0))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", (self.0 * 1e8).round() / 1e6)
    }
}

/// A figure, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The figure.
    pub mean: f64,
    /// Half of the interval that holds the true one as often as its level says. Nothing from a single observation.
    pub half_width: Option<f64>,
}

impl Interval {
    /// The mean of independent figures by Student's t; nothing without any.
    pub fn of(figures: &[f64], level: Level) -> Option<Interval> {
        let count = figures.len() as f64;
        if figures.is_empty() {
            return None;
        }
        let mean = figures.iter().sum::<f64>() / count;
        Some(Interval { mean, half_width: half_width(figures, mean, level) })
    }

    /// The half width by the figure; none if it is not known, or if the figure is zero and the width is not.
    pub fn relative(&self) -> Option<f64> {
        match self.half_width? {
            0.0 => Some(0.0),
            width => (self.mean != 0.0).then(|| width / self.mean.abs()),
        }
    }
}

/// Half of the interval about `centre` that as many independent figures tell of; nothing from one.
pub(crate) fn half_width(figures: &[f64], centre: f64, level: Level) -> Option<f64> {
    let count = figures.len() as f64;
    if figures.len() < 2 {
        return None;
    }
    let squares: f64 = figures.iter().map(|figure| (figure - centre).powi(2)).sum();
    Some(level.student(count - 1.0)? * (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(figures: &[f64]) -> Option<Interval> {
        Interval::of(figures, Level::USUAL)
    }

    #[test]
    fn half_widths_are_those_of_the_table() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[4.0]), Some(Interval { mean: 4.0, half_width: None }));
        // t of 97.5 % is 4.303 with 2 degrees of freedom; the deviation of 1, 2, 3 is 1.
        let three = of(&[1.0, 2.0, 3.0]).expect("there are some");
        let width = three.half_width.expect("of several");
        assert!((width - 4.303 / 3_f64.sqrt()).abs() < 1e-3, "{width}");
        assert_eq!(of(&[7.0; 5]), Some(Interval { mean: 7.0, half_width: Some(0.0) }));
        // 2.920 is t of 95 %.
        let less = Interval::of(&[1.0, 2.0, 3.0], Level::new(0.9).expect("a level"));
        let width = less.and_then(|interval| interval.half_width).expect("of several");
        assert!((width - 2.920 / 3_f64.sqrt()).abs() < 1e-3, "{width}");
    }

    #[test]
    fn widths_are_relative_to_what_is_known() {
        let relative = |mean, half_width| Interval { mean, half_width }.relative();
        assert_eq!(relative(-4.0, Some(1.0)), Some(0.25));
        assert_eq!(relative(0.0, Some(0.0)), Some(0.0));
        assert_eq!((relative(0.0, Some(1.0)), relative(3.0, None)), (None, None));
    }

    #[test]
    fn levels_are_shares_and_shown_in_percent() {
        for share in [0.4, 1.0, f64::NAN] {
            assert_eq!(Level::new(share), None);
        }
        assert_eq!(Level::USUAL.to_string(), "95 %");
        assert_eq!(Level::new(0.999).expect("a level").to_string(), "99.9 %");
    }

    /// Of many intervals over five draws each, 95 % hold the true mean.
    #[test]
    fn intervals_hold_the_true_mean_as_often_as_they_say() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        // Sums of twelve uniform draws are close to normal, with mean 6.
        let mut held = 0;
        for _ in 0..4_000 {
            let draws: [f64; 5] = std::array::from_fn(|_| (0..12).map(|_| uniform()).sum());
            let Interval { mean, half_width } = of(&draws).expect("there are some");
            held += u32::from((mean - 6.0).abs() <= half_width.expect("of several"));
        }
        // 3,800 of 4,000, and four standard deviations of 13.8.
        assert!((3_745..3_856).contains(&held), "{held} of 4,000");
    }
}
