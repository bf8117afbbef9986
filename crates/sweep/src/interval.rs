//! How well the mean over some seeds is known.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean, and how far the true one may lie from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub mean: f64,
    /// Half of the interval that holds the true mean in 95 % of all cases, by Student's t: figures of different seeds are
    /// independent. Nothing from a single one.
    pub half_width: Option<f64>,
}

impl Interval {
    /// That of some figures; nothing without any.
    pub fn of(figures: &[f64]) -> Option<Interval> {
        let count = figures.len() as f64;
        if figures.is_empty() {
            return None;
        }
        let mean = figures.iter().sum::<f64>() / count;
        let squares: f64 = figures.iter().map(|figure| (figure - mean).powi(2)).sum();
        let quantile =
            |freedom| StudentsT::new(0.0, 1.0, freedom).ok().map(|t| t.inverse_cdf(0.975));
        let half_width = (count > 1.0)
            .then(|| Some(quantile(count - 1.0)? * (squares / (count - 1.0) / count).sqrt()))
            .flatten();
        Some(Interval { mean, half_width })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_widths_are_those_of_the_table() {
        assert_eq!(Interval::of(&[]), None);
        assert_eq!(Interval::of(&[4.0]), Some(Interval { mean: 4.0, half_width: None }));
        // t of 97.5 % is 4.303 with 2 degrees of freedom; the deviation of 1, 2, 3 is 1.
        let three = Interval::of(&[1.0, 2.0, 3.0]).expect("there are some");
        let width = three.half_width.expect("of several");
        assert!((width - 4.303 / 3_f64.sqrt()).abs() < 1e-3, "{width}");
        assert_eq!(Interval::of(&[7.0; 5]), Some(Interval { mean: 7.0, half_width: Some(0.0) }));
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
            let Interval { mean, half_width } = Interval::of(&draws).expect("there are some");
            held += u32::from((mean - 6.0).abs() <= half_width.expect("of several"));
        }
        // 3,800 of 4,000, and four standard deviations of 13.8.
        assert!((3_745..3_856).contains(&held), "{held} of 4,000");
    }
}
