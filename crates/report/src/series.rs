//! Throughput over time in fixed memory.

use crate::direction::Direction;

/// Bins of a series.
const BINS: usize = 1024;

/// Binary logarithm of the first bin width in picoseconds: about one microsecond.
const FIRST_SHIFT: u32 = 20;

/// Work that completed in one bin, by [`Direction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Bytes by direction.
    pub bytes: [u64; 3],
    /// Requests by direction.
    pub ios: [u64; 3],
}

impl Bin {
    /// Adds the work of another bin.
    pub(crate) fn add(&mut self, other: &Self) {
        for direction in 0..3 {
            self.bytes[direction] += other.bytes[direction];
            self.ios[direction] += other.ios[direction];
        }
    }
}

/// Bytes and requests completed over virtual time.
///
/// 1,024 bins from time zero. When a time falls past the last bin, neighbours are joined and all
/// bins become twice as wide, so that memory stays the same (48 KiB) however long the run.
#[derive(Clone, Debug)]
pub struct Series {
    shift: u32,
    end_ps: u64,
    bins: Box<[Bin; BINS]>,
}

impl Series {
    /// A series without requests.
    pub fn new() -> Self {
        Self { shift: FIRST_SHIFT, end_ps: 0, bins: Box::new([Bin::default(); BINS]) }
    }

    /// Counts a request of `bytes` that completed at `at_ps`.
    #[inline]
    pub fn record(&mut self, at_ps: u64, direction: Direction, bytes: u64) {
        while at_ps >> self.shift >= BINS as u64 {
            self.double_width();
        }
        self.end_ps = self.end_ps.max(at_ps);
        let bin = &mut self.bins[(at_ps >> self.shift) as usize];
        bin.bytes[direction as usize] += bytes;
        bin.ios[direction as usize] += 1;
    }

    #[cold]
    fn double_width(&mut self) {
        self.shift += 1;
        for joined in 0..BINS / 2 {
            let mut bin = self.bins[2 * joined];
            bin.add(&self.bins[2 * joined + 1]);
            self.bins[joined] = bin;
        }
        self.bins[BINS / 2..].fill(Bin::default());
    }

    /// Width of a bin in picoseconds.
    pub fn bin_width_ps(&self) -> u64 {
        1 << self.shift
    }

    /// Time of the last request in picoseconds.
    pub fn end_ps(&self) -> u64 {
        self.end_ps
    }

    /// All bins up to the last that holds a request; empty without requests.
    pub fn bins(&self) -> &[Bin] {
        let used = self.bins.iter().rposition(|bin| bin.ios != [0; 3]).map_or(0, |last| last + 1);
        &self.bins[..used]
    }

    /// The same work in at most `most` bins, with their width in picoseconds.
    pub fn coarsened(&self, most: usize) -> (u64, Vec<Bin>) {
        let bins = self.bins();
        let joined = bins.len().div_ceil(most.max(1)).max(1);
        let coarse = bins.chunks(joined).map(|chunk| {
            let mut sum = Bin::default();
            chunk.iter().for_each(|bin| sum.add(bin));
            sum
        });
        (self.bin_width_ps().saturating_mul(joined as u64), coarse.collect())
    }
}

impl Default for Series {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(bins: &[Bin]) -> Bin {
        let mut sum = Bin::default();
        bins.iter().for_each(|bin| sum.add(bin));
        sum
    }

    #[test]
    fn a_late_request_doubles_the_width_and_moves_nothing_else() {
        let mut series = Series::new();
        let width_ps = series.bin_width_ps();
        series.record(0, Direction::Read, 10);
        series.record(3 * width_ps, Direction::Write, 20);
        series.record(BINS as u64 * width_ps, Direction::Trim, 30);
        assert_eq!(series.bin_width_ps(), 2 * width_ps);
        assert_eq!(series.bins().len(), BINS / 2 + 1);
        assert_eq!(series.bins()[0].bytes, [10, 0, 0]);
        assert_eq!(series.bins()[1].bytes, [0, 20, 0]);
        assert_eq!(series.bins()[BINS / 2].ios, [0, 0, 1]);
    }

    #[test]
    fn the_end_of_the_clock_is_still_a_bin() {
        let mut series = Series::new();
        series.record(u64::MAX, Direction::Read, 1);
        assert_eq!(series.bins().len(), BINS);
    }

    proptest! {
        #[test]
        fn totals_survive_doubling_and_coarsening(
            requests in prop::collection::vec((0u64..1 << 45, 0usize..3, 1u64..1 << 20), 0..200),
            most in 1usize..300,
        ) {
            let mut series = Series::new();
            let mut expected = Bin::default();
            for &(at_ps, direction, bytes) in &requests {
                series.record(at_ps, Direction::ALL[direction], bytes);
                expected.bytes[direction] += bytes;
                expected.ios[direction] += 1;
            }
            let (width_ps, coarse) = series.coarsened(most);
            prop_assert_eq!(total(series.bins()), expected);
            prop_assert_eq!(total(&coarse), expected);
            prop_assert!(coarse.len() <= most && width_ps >= series.bin_width_ps());
        }
    }
}
