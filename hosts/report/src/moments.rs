//! Exact count, extremes, mean and standard deviation of a stream of integers.

use crate::decimal;
use serde::{Deserialize, Serialize};

/// Running moments of a stream of integers, exact until they are read.
///
/// The unit is the caller's; [`Latency`](crate::Latency) feeds picoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "MomentsRecord", into = "MomentsRecord")]
pub struct Moments {
    count: u64,
    /// The largest number there is without samples, so that a sample is only compared.
    min: u64,
    max: u64,
    sum: u128,
    sum_of_squares: u128,
}

/// [`Moments`] in a file, where the smallest of no samples is 0.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MomentsRecord {
    count: u64,
    min: u64,
    max: u64,
    #[serde(with = "decimal")]
    sum: u128,
    #[serde(with = "decimal")]
    sum_of_squares: u128,
}

impl From<Moments> for MomentsRecord {
    fn from(moments: Moments) -> Self {
        let min = moments.min();
        let Moments { count, max, sum, sum_of_squares, .. } = moments;
        MomentsRecord { count, min, max, sum, sum_of_squares }
    }
}

impl TryFrom<MomentsRecord> for Moments {
    type Error = String;

    fn try_from(record: MomentsRecord) -> Result<Self, String> {
        let MomentsRecord { count, min, max, sum, sum_of_squares } = record;
        if min > max {
            return Err(format!("min {min} and max {max}, expected a max no smaller"));
        }
        let min = if count == 0 { u64::MAX } else { min };
        Ok(Moments { count, min, max, sum, sum_of_squares })
    }
}

impl Moments {
    /// Moments of no samples.
    pub const fn new() -> Self {
        Self { count: 0, min: u64::MAX, max: 0, sum: 0, sum_of_squares: 0 }
    }

    /// Adds one sample.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        let square = u128::from(value) * u128::from(value);
        // No saturating addition: a jump that is never taken costs less than to choose each time.
        self.sum_of_squares = match self.sum_of_squares.overflowing_add(square) {
            (sum, false) => sum,
            (_, true) => most(),
        };
    }

    /// Adds so many samples of 0.
    pub fn record_zeros(&mut self, count: u64) {
        if count > 0 {
            self.min = 0;
            self.count += count;
        }
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.sum_of_squares = self.sum_of_squares.saturating_add(other.sum_of_squares);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Smallest sample, 0 without samples.
    pub fn min(&self) -> u64 {
        if self.count == 0 {
            return 0;
        }
        self.min
    }

    /// Largest sample, 0 without samples.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Sum of all samples.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Mean, 0 without samples.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.sum as f64 / self.count as f64
    }

    /// Standard deviation of a sample (divisor n - 1, as fio), 0 with fewer than two samples.
    pub fn standard_deviation(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        // With sum = q n + r, the squared deviations are sum_of_squares - q^2 n - 2 q r - r^2 / n:
        // all but the last term are integers, so nothing cancels in floating point.
        let n = u128::from(self.count);
        let (quotient, rest) = (self.sum / n, self.sum % n);
        let whole = self
            .sum_of_squares
            .saturating_sub(quotient.saturating_mul(quotient).saturating_mul(n))
            .saturating_sub(quotient.saturating_mul(2).saturating_mul(rest));
        let deviations = whole as f64 - rest as f64 * (rest as f64 / n as f64);
        (deviations.max(0.0) / (self.count - 1) as f64).sqrt()
    }
}

impl Default for Moments {
    fn default() -> Self {
        Moments::new()
    }
}

/// What a sum has come to that grows no more.
#[cold]
fn most() -> u128 {
    u128::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Moments {
        let mut moments = Moments::new();
        values.iter().for_each(|&value| moments.record(value));
        moments
    }

    #[test]
    fn known_samples_give_known_moments() {
        let moments = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!((moments.count(), moments.min(), moments.max()), (8, 2, 9));
        assert_eq!(moments.mean(), 5.0);
        assert!((moments.standard_deviation() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn no_and_one_sample_have_no_deviation() {
        assert_eq!((of(&[]).mean(), of(&[]).standard_deviation()), (0.0, 0.0));
        assert_eq!((of(&[]).min(), of(&[7]).min(), of(&[7]).max()), (0, 7, 7));
        assert_eq!((of(&[7]).mean(), of(&[7]).standard_deviation()), (7.0, 0.0));
        assert_eq!(of(&[0, 5]).min(), 0);
    }

    #[test]
    fn moments_of_no_samples_come_back_from_a_file_and_go_on() {
        let text = serde_json::to_string(&of(&[])).expect("moments");
        assert!(text.contains(r#""min":0,"#), "{text}");
        let mut again: Moments = serde_json::from_str(&text).expect("moments");
        again.record(7);
        assert_eq!(again, of(&[7]));
    }

    #[test]
    fn squares_beyond_all_numbers_stay_the_largest() {
        let moments = of(&[u64::MAX; 3]);
        assert_eq!((moments.sum_of_squares, moments.sum), (u128::MAX, 3 * u128::from(u64::MAX)));
    }

    #[test]
    fn small_spread_on_a_large_mean_does_not_cancel() {
        let base = 1u64 << 60;
        let moments = of(&[base, base + 1, base + 2]);
        assert!((moments.standard_deviation() - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn merging_equals_recording_in_one(
            left in prop::collection::vec(any::<u32>(), 0..40),
            right in prop::collection::vec(any::<u32>(), 0..40),
        ) {
            let widen = |values: &[u32]| values.iter().map(|&v| u64::from(v)).collect::<Vec<_>>();
            let mut merged = of(&widen(&left));
            merged.merge(&of(&widen(&right)));
            let together = of(&[widen(&left), widen(&right)].concat());
            prop_assert_eq!(merged, together);
        }
    }
}
