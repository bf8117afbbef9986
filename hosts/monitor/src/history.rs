//! The course of a run in memory that does not grow with it.

use crate::interval::Interval;

/// Most intervals of a history.
pub const MOST_INTERVALS: usize = 256;

/// Intervals in order. When there are too many, neighbours are joined, so that all of a run is
/// there, more coarsely.
#[derive(Clone, Debug)]
pub struct History {
    intervals: Vec<Interval>,
    /// Most intervals that are kept, an even number.
    most: usize,
    /// Readings that each interval but the last stands for.
    stride: usize,
    /// Readings in the last.
    in_last: usize,
}

impl History {
    /// A history of nothing, which will keep [`MOST_INTERVALS`].
    pub fn new() -> Self {
        Self::keeping(MOST_INTERVALS)
    }

    /// A history of nothing, which will keep `most` intervals, an even number.
    pub fn keeping(most: usize) -> Self {
        History { intervals: Vec::new(), most, stride: 1, in_last: 0 }
    }

    /// Adds what follows.
    pub fn push(&mut self, interval: Interval) {
        match self.intervals.last_mut() {
            Some(last) if self.in_last < self.stride => {
                *last = interval.joined(last);
                self.in_last += 1;
            }
            _ => {
                if self.intervals.len() == self.most {
                    self.halve();
                }
                self.intervals.push(interval);
                self.in_last = 1;
            }
        }
    }

    fn halve(&mut self) {
        let pairs = self.intervals.chunks_exact(2).map(|pair| pair[1].joined(&pair[0]));
        self.intervals = pairs.collect();
        self.stride *= 2;
    }

    /// The intervals, the earliest first.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The intervals themselves.
    pub fn into_intervals(self) -> Vec<Interval> {
        self.intervals
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_or_moved_however_long_the_run(count in 0u64..3_000) {
            let mut history = History::new();
            for nth in 0..count {
                let mut interval = Interval {
                    from_ps: nth * 10, to_ps: nth * 10 + 10, span_ps: 10, ..Interval::default()
                };
                interval.counts.requests = nth;
                history.push(interval);
            }
            let all = history.intervals();
            prop_assert!(all.len() <= MOST_INTERVALS);
            prop_assert!(all.windows(2).all(|pair| pair[0].to_ps == pair[1].from_ps));
            prop_assert_eq!(all.iter().map(|i| i.span_ps).sum::<u64>(), count * 10);
            let requests: u64 = all.iter().map(|i| i.counts.requests).sum();
            prop_assert_eq!(requests, count * count.saturating_sub(1) / 2);
        }
    }
}
