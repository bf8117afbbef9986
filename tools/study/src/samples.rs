//! The same measured with several seeds: a mean, and how well it is known.

use runs::confidence::{Interval, Level};

/// The mean of at least one sample.
pub(crate) fn mean(samples: &[f64]) -> f64 {
    interval(samples).mean
}

/// Half of the interval of 95 % around the mean of several samples.
pub(crate) fn half_interval(samples: &[f64]) -> Option<f64> {
    interval(samples).half_width
}

fn interval(samples: &[f64]) -> Interval {
    Interval::of(samples, Level::USUAL).expect("a run has been done at least once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_that_of_student() {
        assert_eq!(half_interval(&[3.0]), None);
        assert_eq!(half_interval(&[3.0, 3.0]), Some(0.0));
        // A standard deviation of 1 over the root of 3, by 4.303.
        let half = half_interval(&[9.0, 10.0, 11.0]).unwrap();
        assert!((half - 2.484).abs() < 0.001, "{half}");
    }
}
