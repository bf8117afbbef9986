//! Latencies of requests: exact moments and a histogram for percentiles.

use crate::bins::Bins;
use crate::moments::Moments;
use serde::{Deserialize, Serialize};

const PS_PER_NS: u64 = 1_000;

/// Largest relative error of a percentile.
pub const PERCENTILE_ERROR: f64 = 0.01;

/// The percentiles fio prints unless told otherwise.
pub const FIO_PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// Distribution of a latency.
///
/// About 18 KiB, all of it allocated by [`Latency::new`]; recording allocates nothing. Minimum,
/// maximum, mean and standard deviation are exact; percentiles lie within [`PERCENTILE_ERROR`]. Latencies of over an hour
/// count as an hour in percentiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "LatencyRecord", try_from = "LatencyRecord")]
pub struct Latency {
    moments_ps: Moments,
    bins_ns: Bins,
}

impl Latency {
    /// A distribution without samples.
    pub fn new() -> Self {
        Self { moments_ps: Moments::new(), bins_ns: Bins::new() }
    }

    /// Adds one latency, in picoseconds.
    #[inline]
    pub fn record(&mut self, latency_ps: u64) {
        self.moments_ps.record(latency_ps);
        self.bins_ns.count(latency_ps / PS_PER_NS);
    }

    /// Adds so many latencies of 0.
    pub fn record_zeros(&mut self, count: u64) {
        self.moments_ps.record_zeros(count);
        self.bins_ns.count_n(0, u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.moments_ps.merge(&other.moments_ps);
        self.bins_ns.add(&other.bins_ns);
    }

    /// Count, extremes, mean and deviation, in picoseconds.
    pub fn moments_ps(&self) -> &Moments {
        &self.moments_ps
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.moments_ps.count()
    }

    /// Mean in nanoseconds, 0 without samples.
    pub fn mean_ns(&self) -> f64 {
        self.moments_ps.mean() / PS_PER_NS as f64
    }

    /// Latency in nanoseconds that `percentile` (0 to 100) of the samples do not exceed, within
    /// [`PERCENTILE_ERROR`] and never above the longest sample; 0 without samples.
    pub fn percentile_ns(&self, percentile: f64) -> u64 {
        let share = (percentile / 100.0).min(1.0);
        let rank = (share * self.count() as f64).ceil() as u64;
        let found = self.bins_ns.value_at(rank.max(1));
        let (shortest, longest) = (self.moments_ps.min(), self.moments_ps.max());
        found.clamp(shortest / PS_PER_NS, longest / PS_PER_NS)
    }

    /// The bins that hold samples, in rising order: middle of the bin in nanoseconds, samples.
    pub fn bins_ns(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.bins_ns.counted().map(|(middle, count)| (middle, u64::from(count)))
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

/// A [`Latency`] in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LatencyRecord {
    moments_ps: Moments,
    /// As [`Latency::bins_ns`].
    bins_ns: Vec<(u64, u32)>,
}

impl From<Latency> for LatencyRecord {
    fn from(latency: Latency) -> Self {
        // The counters of the histogram have 32 bits.
        let bins_ns = latency.bins_ns().map(|(middle_ns, count)| (middle_ns, count as u32));
        Self { bins_ns: bins_ns.collect(), moments_ps: latency.moments_ps }
    }
}

impl TryFrom<LatencyRecord> for Latency {
    type Error = String;

    fn try_from(record: LatencyRecord) -> Result<Self, String> {
        let LatencyRecord { moments_ps, bins_ns } = record;
        let counted: u64 = bins_ns.iter().map(|(_, count)| u64::from(*count)).sum();
        if counted != moments_ps.count() {
            return Err(format!("bins of {counted} samples in place of {}", moments_ps.count()));
        }
        let mut latency = Self { moments_ps, ..Self::new() };
        for (middle_ns, count) in bins_ns {
            latency.bins_ns.count_n(middle_ns, count);
        }
        Ok(latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values_ps: &[u64]) -> Latency {
        let mut latency = Latency::new();
        values_ps.iter().for_each(|&value| latency.record(value));
        latency
    }

    #[test]
    fn without_samples_everything_is_zero() {
        let empty = Latency::new();
        assert_eq!((empty.count(), empty.mean_ns(), empty.percentile_ns(99.0)), (0, 0.0, 0));
        assert_eq!(empty.bins_ns().count(), 0);
    }

    #[test]
    fn latencies_beyond_the_histogram_still_count() {
        let day_ps = 86_400 * 1_000_000_000_000;
        let latency = of(&[day_ps, 1_000]);
        assert_eq!(latency.moments_ps().max(), day_ps);
        assert_eq!(latency.bins_ns().map(|(_, count)| count).sum::<u64>(), 2);
    }

    proptest! {
        #[test]
        fn percentiles_lie_within_the_stated_error(
            mut values_ns in prop::collection::vec(1u64..100_000_000_000, 1..200),
            index in 0..FIO_PERCENTILES.len(),
        ) {
            let latency = of(&values_ns.iter().map(|ns| ns * PS_PER_NS).collect::<Vec<_>>());
            values_ns.sort_unstable();
            let percentile = FIO_PERCENTILES[index];
            let rank = (percentile / 100.0 * values_ns.len() as f64).ceil().max(1.0) as usize;
            let exact = values_ns[rank - 1] as f64;
            let found = latency.percentile_ns(percentile) as f64;
            prop_assert!((found - exact).abs() <= exact * PERCENTILE_ERROR, "{found} {exact}");
        }

        #[test]
        fn merging_equals_recording_in_one(
            left in prop::collection::vec(0u64..1 << 50, 0..40),
            right in prop::collection::vec(0u64..1 << 50, 0..40),
        ) {
            let mut merged = of(&left);
            merged.merge(&of(&right));
            let together = of(&[left, right].concat());
            prop_assert_eq!(merged.moments_ps(), together.moments_ps());
            prop_assert!(merged.bins_ns().eq(together.bins_ns()));
        }
    }
}
