//! Bandwidth and IOPS sampled in windows, as fio's `bw` and `iops` lines.

use serde::{Deserialize, Serialize};

/// Length of a window in picoseconds: fio's default `bwavgtime` of 500 ms.
pub const WINDOW_PS: u64 = 500_000_000_000;

/// How many windows a second has.
const WINDOWS_PER_SECOND: u64 = 1_000_000_000_000 / WINDOW_PS;

/// Mean, deviation and extremes of a sampled rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStatistics {
    samples: u64,
    min: u64,
    max: u64,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl RateStatistics {
    fn record(&mut self, rate: u64) {
        self.min = if self.samples == 0 { rate } else { self.min.min(rate) };
        self.max = self.max.max(rate);
        self.samples += 1;
        let distance = rate as f64 - self.mean;
        self.mean += distance / self.samples as f64;
        self.squares += distance * (rate as f64 - self.mean);
    }

    /// Adds a rate that was sampled beside this one: rates and variances add up, as do the
    /// numbers of samples (as fio does for `group_reporting`).
    fn merge_parallel(&mut self, other: &Self) {
        let variance = self.variance() + other.variance();
        self.samples += other.samples;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares = variance * self.samples.saturating_sub(1) as f64;
    }

    fn variance(&self) -> f64 {
        if self.samples < 2 {
            return 0.0;
        }
        self.squares / (self.samples - 1) as f64
    }

    /// Number of windows sampled.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Lowest sample, 0 without samples.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// Highest sample, 0 without samples.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Mean of the samples, 0 without samples.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation of the samples (divisor n - 1), 0 with fewer than two.
    pub fn standard_deviation(&self) -> f64 {
        self.variance().sqrt()
    }
}

/// Samples bandwidth (KiB/s) and IOPS of one job and direction once a window.
///
/// As in fio, a window without completions gives no sample, nor does the last, unfinished one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateWindows {
    window_end_ps: u64,
    window_bytes: u64,
    window_ios: u64,
    bandwidth_kib: RateStatistics,
    iops: RateStatistics,
}

impl RateWindows {
    /// Starts the first window at `start_ps`.
    pub fn new(start_ps: u64) -> Self {
        Self {
            window_end_ps: start_ps + WINDOW_PS,
            window_bytes: 0,
            window_ios: 0,
            bandwidth_kib: RateStatistics::default(),
            iops: RateStatistics::default(),
        }
    }

    /// Counts a request of `bytes` that completed at `at_ps`. Times must not go backwards.
    #[inline]
    pub fn record(&mut self, at_ps: u64, bytes: u64) {
        if at_ps >= self.window_end_ps {
            self.close_window(at_ps);
        }
        self.window_bytes += bytes;
        self.window_ios += 1;
    }

    #[cold]
    fn close_window(&mut self, at_ps: u64) {
        if self.window_ios > 0 {
            self.bandwidth_kib.record(self.window_bytes * WINDOWS_PER_SECOND / 1024);
            self.iops.record(self.window_ios * WINDOWS_PER_SECOND);
        }
        self.window_bytes = 0;
        self.window_ios = 0;
        let windows_past = (at_ps - self.window_end_ps) / WINDOW_PS + 1;
        self.window_end_ps += windows_past * WINDOW_PS;
    }

    /// Adds the rates of a job that ran beside this one.
    pub fn merge_parallel(&mut self, other: &Self) {
        self.bandwidth_kib.merge_parallel(&other.bandwidth_kib);
        self.iops.merge_parallel(&other.iops);
    }

    /// Bandwidth in KiB/s.
    pub fn bandwidth_kib(&self) -> &RateStatistics {
        &self.bandwidth_kib
    }

    /// Requests a second.
    pub fn iops(&self) -> &RateStatistics {
        &self.iops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_sampled_once_it_has_ended() {
        let mut windows = RateWindows::new(0);
        for at_ps in [1, 2, WINDOW_PS - 1] {
            windows.record(at_ps, 1 << 20);
        }
        assert_eq!(windows.iops().samples(), 0);
        windows.record(WINDOW_PS, 1 << 20);
        assert_eq!((windows.iops().samples(), windows.iops().min()), (1, 6));
        assert_eq!(windows.bandwidth_kib().max(), 6 * 1024);
    }

    #[test]
    fn idle_windows_give_no_sample_and_keep_the_grid() {
        let mut windows = RateWindows::new(7);
        windows.record(7, 4096);
        windows.record(7 + 10 * WINDOW_PS, 4096);
        windows.record(7 + 11 * WINDOW_PS - 1, 4096);
        assert_eq!(windows.iops().samples(), 1);
        windows.record(7 + 11 * WINDOW_PS, 4096);
        assert_eq!((windows.iops().samples(), windows.iops().max()), (2, 4));
    }

    #[test]
    fn parallel_jobs_add_their_rates() {
        let mut left = RateStatistics::default();
        let mut right = RateStatistics::default();
        [10, 20].iter().for_each(|&rate| left.record(rate));
        [100, 100].iter().for_each(|&rate| right.record(rate));
        let alone = left.standard_deviation();
        left.merge_parallel(&right);
        assert_eq!((left.samples(), left.min(), left.max(), left.mean()), (4, 110, 120, 115.0));
        assert!((left.standard_deviation() - alone).abs() < 1e-12);
    }
}
