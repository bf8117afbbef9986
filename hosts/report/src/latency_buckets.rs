//! fio's coarse latency buckets: `lat (nsec)`, `lat (usec)`, `lat (msec)`.

use crate::direction::Direction;
use crate::result::JobResult;

/// Upper bounds of the buckets below one thousand of a unit.
pub(crate) const BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// Names of the two buckets that only milliseconds have.
pub(crate) const LONG_LABELS: [&str; 2] = ["2000", ">=2000"];

/// Smallest share that fio shows for a bucket that is not empty, in percent.
const SMALLEST_SHOWN: f64 = 0.01;

/// Shares of a job's requests by completion latency, in percent.
///
/// They come from the histograms: a request within half a percent of a bound may be counted in
/// the bucket beside it.
#[derive(Debug, PartialEq)]
pub(crate) struct LatencyBuckets {
    /// Buckets of [`BOUNDS`] in nanoseconds.
    pub(crate) nanoseconds: [f64; 10],
    /// Buckets of [`BOUNDS`] in microseconds.
    pub(crate) microseconds: [f64; 10],
    /// Buckets of [`BOUNDS`] in milliseconds.
    pub(crate) milliseconds: [f64; 10],
    /// Buckets of [`LONG_LABELS`].
    pub(crate) long: [f64; 2],
}

impl LatencyBuckets {
    /// Sorts the requests of all directions of `job`.
    pub(crate) fn of(job: &JobResult) -> Self {
        let mut counts = [0u64; 32];
        for result in Direction::ALL.iter().filter_map(|&direction| job.active(direction)) {
            for (latency_ns, count) in result.clat.bins_ns() {
                counts[bucket(latency_ns)] += count;
            }
        }
        let total: u64 = counts.iter().sum();
        let shares = counts.map(|count| match count {
            0 => 0.0,
            _ => (100.0 * count as f64 / total as f64).max(SMALLEST_SHOWN),
        });
        let unit = |index: usize| std::array::from_fn(|bucket| shares[10 * index + bucket]);
        Self {
            nanoseconds: unit(0),
            microseconds: unit(1),
            milliseconds: unit(2),
            long: [shares[30], shares[31]],
        }
    }
}

/// Index of the bucket of `latency_ns`: ten a unit, then up to two seconds, then the rest.
fn bucket(latency_ns: u64) -> usize {
    let mut value = latency_ns;
    for unit in 0..3 {
        if value < 1000 {
            return 10 * unit + BOUNDS.partition_point(|&bound| bound <= value);
        }
        value /= 1000;
    }
    if value < 2 {
        30
    } else {
        31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_end_below_their_bound() {
        let (us, ms) = (1_000, 1_000_000);
        let cases = [
            (0, 0),
            (1, 0),
            (2, 1),
            (999, 9),
            (us, 10),
            (2 * us, 11),
            (249 * us, 16),
            (250 * us, 17),
            (999 * us, 19),
            (ms, 20),
            (999 * ms, 29),
            (1_000 * ms, 30),
            (1_999 * ms, 30),
            (2_000 * ms, 31),
        ];
        for (latency_ns, expected) in cases {
            assert_eq!(bucket(latency_ns), expected, "{latency_ns} ns");
        }
    }
}
