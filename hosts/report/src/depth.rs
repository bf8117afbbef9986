//! fio's counters of queue depth and of batch size.

use crate::quantity;
use serde::{Deserialize, Serialize};

/// fio's names of the queue depth counters.
pub const DEPTH_LABELS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];

/// fio's names of the batch size counters.
pub const BATCH_LABELS: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];

/// Smallest share that fio shows for a counter that is not zero, in percent.
const SMALLEST_SHOWN: f64 = 0.1;

/// How often a request was issued at each queue depth (`IO depths`, `iodepth_level`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueDepths([u64; 7]);

impl QueueDepths {
    /// Counts a request that made `depth` requests outstanding, itself included. The counter
    /// named 4 takes depths 4 to 7, and so on.
    #[inline]
    pub fn record(&mut self, depth: u32) {
        let index = (u32::BITS - 1).saturating_sub(depth.leading_zeros()).min(6);
        self.0[index as usize] += 1;
    }

    /// Adds the counts of another job.
    pub fn merge(&mut self, other: &Self) {
        merge(&mut self.0, &other.0);
    }

    /// Share of each counter of [`DEPTH_LABELS`] in percent.
    pub fn percentages(&self) -> [f64; 7] {
        percentages(&self.0)
    }
}

/// How many requests each call submitted or reaped (`submit`, `complete`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchSizes([u64; 7]);

impl BatchSizes {
    /// Counts a call for `requests` requests. The counter named 8 takes 5 to 8, and so on.
    #[inline]
    pub fn record(&mut self, requests: u32) {
        let index = match requests {
            0 => 0,
            1..=4 => 1,
            5..=8 => 2,
            9..=16 => 3,
            17..=32 => 4,
            33..=64 => 5,
            _ => 6,
        };
        self.0[index] += 1;
    }

    /// Adds the counts of another job.
    pub fn merge(&mut self, other: &Self) {
        merge(&mut self.0, &other.0);
    }

    /// Share of each counter of [`BATCH_LABELS`] in percent.
    pub fn percentages(&self) -> [f64; 7] {
        percentages(&self.0)
    }
}

fn merge(counts: &mut [u64; 7], other: &[u64; 7]) {
    counts.iter_mut().zip(other).for_each(|(count, more)| *count = count.saturating_add(*more));
}

fn percentages(counts: &[u64; 7]) -> [f64; 7] {
    let total = quantity::total(*counts);
    counts.map(|count| match count {
        0 => 0.0,
        _ => (100.0 * count as f64 / total as f64).max(SMALLEST_SHOWN),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_fall_into_fio_counters() {
        let cases = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (7, 2), (31, 4), (32, 5), (63, 5)];
        for (depth, index) in cases.into_iter().chain([(64, 6), (65_535, 6)]) {
            let mut depths = QueueDepths::default();
            depths.record(depth);
            assert_eq!(depths.0[index], 1, "depth {depth}");
        }
    }

    #[test]
    fn batches_fall_into_fio_counters() {
        for (requests, index) in [(0, 0), (1, 1), (4, 1), (5, 2), (16, 3), (33, 5), (65, 6)] {
            let mut batches = BatchSizes::default();
            batches.record(requests);
            assert_eq!(batches.0[index], 1, "batch of {requests}");
        }
    }

    #[test]
    fn shares_are_never_hidden_and_never_undefined() {
        assert_eq!(QueueDepths::default().percentages(), [0.0; 7]);
        assert_eq!(
            QueueDepths([1, 0, 0, 0, 0, 0, 99_999]).percentages()[..2],
            [SMALLEST_SHOWN, 0.0]
        );
    }
}
