//! Sums, distributions and counts over time, each in memory of fixed size.

use std::collections::BTreeMap;

/// Lengths that are told apart; further ones are rounded up to powers of two.
const MAX_LENGTHS: usize = 1 << 12;
/// Buckets of a histogram for each doubling.
const SUB_BITS: u32 = 6;
const SUBS: u64 = 1 << SUB_BITS;
/// Intervals of a course.
const COURSE: usize = 256;

/// How often each length occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    counts: BTreeMap<u64, u64>,
    last: (u64, u64),
}

impl Lengths {
    #[inline]
    pub(crate) fn record(&mut self, bytes: u64) {
        if self.last.0 != bytes {
            self.keep();
            self.last = (bytes, 0);
        }
        self.last.1 += 1;
    }

    /// Puts the length that was recorded last among the others.
    fn keep(&mut self) {
        let (bytes, count) = self.last;
        if count > 0 {
            let is_known = self.counts.len() < MAX_LENGTHS || self.counts.contains_key(&bytes);
            let bytes = if is_known { bytes } else { bytes.next_power_of_two() };
            *self.counts.entry(bytes).or_insert(0) += count;
        }
        self.last.1 = 0;
    }

    pub(crate) fn finish(&mut self) {
        self.keep();
    }

    /// Lengths in rising order, with how often they occur.
    pub fn list(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(&bytes, &count)| (bytes, count))
    }

    /// The length that a share of all, 0 to 1, does not exceed; zero if there are none.
    pub fn quantile(&self, share: f64) -> u64 {
        let all: u64 = self.counts.values().sum();
        let wanted = (all as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bytes, count) in self.list() {
            seen += count;
            if seen >= wanted {
                return bytes;
            }
        }
        0
    }

    /// The most frequent lengths, the most frequent first.
    pub fn most_frequent(&self, many: usize) -> Vec<(u64, u64)> {
        let mut list: Vec<_> = self.list().collect();
        list.sort_by_key(|&(bytes, count)| (std::cmp::Reverse(count), bytes));
        list.truncate(many);
        list
    }
}

/// A distribution of times, to one part in 64.
#[derive(Clone, Debug)]
pub struct Gaps {
    buckets: Vec<u64>,
    count: u64,
    sum: f64,
    squares: f64,
    max: u64,
}

impl Default for Gaps {
    fn default() -> Self {
        let buckets = vec![0; ((64 - SUB_BITS + 1) as usize) << SUB_BITS];
        Gaps { buckets, count: 0, sum: 0.0, squares: 0.0, max: 0 }
    }
}

impl Gaps {
    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        self.buckets[bucket(ns)] += 1;
        self.count += 1;
        self.sum += ns as f64;
        self.squares += ns as f64 * ns as f64;
        self.max = self.max.max(ns);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean in nanoseconds; zero if there are none.
    pub fn mean_ns(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Their standard deviation over their mean: 1 for a Poisson process, 0 for a clock.
    pub fn variation(&self) -> f64 {
        let mean = self.mean_ns();
        let variance = self.squares / self.count.max(1) as f64 - mean * mean;
        if mean > 0.0 {
            variance.max(0.0).sqrt() / mean
        } else {
            0.0
        }
    }

    /// What a share of all, 0 to 1, does not exceed, to one part in 64.
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let wanted = (self.count as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (ns, _, count) in self.list() {
            seen += count;
            if seen >= wanted {
                return ns.min(self.max);
            }
        }
        self.max
    }

    /// Buckets in rising order: the middle of each, its width, and how many lie in it.
    pub fn list(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let filled = self.buckets.iter().enumerate().filter(|(_, &count)| count > 0);
        filled.map(|(nth, &count)| {
            let (start, width) = bounds(nth as u64);
            (start + width / 2, width, count)
        })
    }
}

#[inline]
fn bucket(ns: u64) -> usize {
    if ns < SUBS {
        return ns as usize;
    }
    let octave = 63 - ns.leading_zeros() - SUB_BITS;
    ((u64::from(octave + 1) << SUB_BITS) + (ns >> octave) - SUBS) as usize
}

/// Start and width of a bucket.
fn bounds(nth: u64) -> (u64, u64) {
    if nth < SUBS {
        return (nth, 1);
    }
    let octave = (nth >> SUB_BITS) - 1;
    ((SUBS + nth % SUBS) << octave, 1 << octave)
}

/// Counts in windows of one second: the largest, and how they vary.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seconds {
    second: u64,
    count: u64,
    windows: u64,
    sum: f64,
    squares: f64,
    peak: u64,
}

impl Seconds {
    #[inline]
    pub(crate) fn record(&mut self, time_ns: u64) {
        let second = time_ns / 1_000_000_000;
        if second != self.second {
            // Seconds without requests add nothing but themselves. The last second is not whole, and not among them.
            self.windows += second - self.second;
            self.sum += self.count as f64;
            self.squares += self.count as f64 * self.count as f64;
            (self.second, self.count) = (second, 0);
        }
        self.count += 1;
        self.peak = self.peak.max(self.count);
    }

    /// The most requests of any second.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Variance over mean of the counts: 1 for a Poisson process, more for bursts; none for less than two seconds.
    pub(crate) fn dispersion(&self) -> Option<f64> {
        let windows = self.windows as f64;
        let mean = self.sum / windows;
        let enough = self.windows >= 2 && mean > 0.0;
        enough.then(|| (self.squares / windows - mean * mean) / mean)
    }
}

/// Requests and bytes over time, in 128 to 256 intervals that double as the trace goes on.
#[derive(Clone, Debug)]
pub struct Course {
    interval_ns: u64,
    counts: Vec<[u64; 2]>,
}

impl Default for Course {
    fn default() -> Self {
        Course { interval_ns: 1 << 10, counts: vec![[0; 2]; COURSE] }
    }
}

impl Course {
    #[inline]
    pub(crate) fn record(&mut self, time_ns: u64, nth: usize) {
        while time_ns / self.interval_ns >= COURSE as u64 {
            for interval in 0..COURSE / 2 {
                let [a, b] = [self.counts[2 * interval], self.counts[2 * interval + 1]];
                self.counts[interval] = [a[0] + b[0], a[1] + b[1]];
            }
            self.counts[COURSE / 2..].fill([0; 2]);
            self.interval_ns *= 2;
        }
        self.counts[(time_ns / self.interval_ns) as usize][nth] += 1;
    }

    /// Width of an interval, and reads and writes in each.
    pub fn intervals(&self) -> (u64, &[[u64; 2]]) {
        let last = self.counts.iter().rposition(|counts| *counts != [0; 2]).unwrap_or(0);
        (self.interval_ns, &self.counts[..=last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_time_lies_within_its_bucket(ns: u64) {
            let (start, width) = bounds(bucket(ns) as u64);
            prop_assert!(start <= ns && ns - start < width);
            prop_assert!(width == 1 || width <= start / 64);
        }

        #[test]
        fn a_course_loses_nothing(times in prop::collection::vec(0_u64..1 << 45, 1..200)) {
            let mut course = Course::default();
            for &time in &times {
                course.record(time, 0);
            }
            let (interval_ns, counts) = course.intervals();
            prop_assert_eq!(counts.iter().map(|c| c[0]).sum::<u64>(), times.len() as u64);
            for (nth, count) in counts.iter().enumerate() {
                let inside = times.iter().filter(|&&t| t / interval_ns == nth as u64).count();
                prop_assert_eq!(count[0], inside as u64);
            }
        }
    }

    #[test]
    fn lengths_are_counted_and_the_rarest_rounded() {
        let mut lengths = Lengths::default();
        for bytes in 1..=MAX_LENGTHS as u64 {
            lengths.record(bytes * 8);
        }
        for _ in 0..3 {
            lengths.record(40_001);
        }
        lengths.record(8);
        lengths.finish();
        let list: Vec<_> = lengths.list().collect();
        assert_eq!(list[0], (8, 2));
        assert_eq!(list.last(), Some(&(65536, 3)));
        assert_eq!(lengths.most_frequent(1), [(65536, 3)]);
        assert_eq!(lengths.quantile(0.0), 8);
        assert_eq!(lengths.quantile(0.5), 16_392);
        assert_eq!(lengths.quantile(1.0), 65536);
    }

    #[test]
    fn seconds_without_requests_count() {
        let mut seconds = Seconds::default();
        for time in [0, 1, 2, 3_000_000_000] {
            seconds.record(time);
        }
        assert_eq!((seconds.peak(), seconds.windows), (3, 3));
        // Counts 3, 0, 0: mean 1, variance 2.
        assert!((seconds.dispersion().unwrap() - 2.0).abs() < 1e-12);
    }
}
