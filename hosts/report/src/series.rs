//! Throughput and latency over time in fixed memory.

use crate::direction::Direction;
use crate::latency_map::{LatencyMap, LatencyMapRecord, BINS_A_ROW, ROWS};
use serde::{Deserialize, Serialize};

/// Bins of a series.
const BINS: usize = ROWS * BINS_A_ROW;

/// Binary logarithm of the first bin width in picoseconds: about one microsecond.
const FIRST_SHIFT: u32 = 20;

/// Work that completed in one bin, by [`Direction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// Bytes by direction.
    pub bytes: [u64; 3],
    /// Requests by direction.
    pub ios: [u64; 3],
    /// Sum of their completion latencies in picoseconds, by direction.
    pub latency_ps: [u64; 3],
    /// The longest of these, by direction.
    pub longest_ps: [u64; 3],
}

impl Bin {
    /// Adds the work of another bin.
    pub(crate) fn add(&mut self, other: &Self) {
        for direction in 0..3 {
            let add = |sum: &mut [u64; 3], more: &[u64; 3]| {
                sum[direction] = sum[direction].saturating_add(more[direction]);
            };
            add(&mut self.bytes, &other.bytes);
            add(&mut self.ios, &other.ios);
            add(&mut self.latency_ps, &other.latency_ps);
            let longest_ps = &mut self.longest_ps[direction];
            *longest_ps = other.longest_ps[direction].max(*longest_ps);
        }
    }
}

/// A request that completed.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// Where its data went.
    pub direction: Direction,
    /// Size of the request.
    pub bytes: u64,
    /// Its completion latency.
    pub latency_ps: u64,
}

/// Bytes and requests completed over virtual time, and their latencies.
///
/// 1,024 bins from time zero. When a time falls past the last bin, neighbours are joined and all
/// bins become twice as wide, so that memory stays the same (96 KiB, and 64 KiB a direction) however long the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "SeriesRecord", try_from = "SeriesRecord")]
pub struct Series {
    shift: u32,
    end_ps: u64,
    bins: Box<[Bin; BINS]>,
    /// By direction, of those in which a request completed.
    latencies: [Option<LatencyMap>; 3],
}

impl Series {
    /// A series without requests.
    pub fn new() -> Self {
        Self {
            shift: FIRST_SHIFT,
            end_ps: 0,
            bins: Box::new([Bin::default(); BINS]),
            latencies: [None, None, None],
        }
    }

    /// Counts a request that completed at `at_ps`.
    #[inline]
    pub fn record(&mut self, at_ps: u64, served: Served) {
        while at_ps >> self.shift >= BINS as u64 {
            self.double_width();
        }
        self.end_ps = self.end_ps.max(at_ps);
        let at = (at_ps >> self.shift) as usize;
        let bin = &mut self.bins[at];
        let nth = served.direction as usize;
        bin.bytes[nth] += served.bytes;
        bin.ios[nth] += 1;
        bin.latency_ps[nth] = bin.latency_ps[nth].saturating_add(served.latency_ps);
        bin.longest_ps[nth] = bin.longest_ps[nth].max(served.latency_ps);
        let map = self.latencies[nth].get_or_insert_with(LatencyMap::new);
        map.count(at / BINS_A_ROW, served.latency_ps);
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
        self.latencies.iter_mut().flatten().for_each(LatencyMap::halve);
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

    /// How the latencies of a direction are spread over time, if a request completed in it.
    pub(crate) fn latencies(&self, direction: Direction) -> Option<&LatencyMap> {
        self.latencies[direction as usize].as_ref()
    }

    /// The work of each row of these maps up to the last that holds a request, with the width of a row in picoseconds.
    pub(crate) fn rows(&self) -> (u64, Vec<Bin>) {
        let sum = |chunk: &[Bin]| {
            let mut sum = Bin::default();
            chunk.iter().for_each(|bin| sum.add(bin));
            sum
        };
        let width_ps = self.bin_width_ps().saturating_mul(BINS_A_ROW as u64);
        (width_ps, self.bins().chunks(BINS_A_ROW).map(sum).collect())
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

/// A [`Series`] in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeriesRecord {
    bin_width_ps: u64,
    end_ps: u64,
    /// Up to the last that holds a request.
    bins: Vec<Bin>,
    /// By direction.
    #[serde(default, skip_serializing_if = "are_none")]
    latencies: [Option<LatencyMapRecord>; 3],
}

fn are_none(latencies: &[Option<LatencyMapRecord>; 3]) -> bool {
    latencies.iter().all(Option::is_none)
}

impl From<Series> for SeriesRecord {
    fn from(series: Series) -> Self {
        let bins = series.bins().to_vec();
        let latencies = series.latencies.each_ref().map(|map| map.as_ref().map(Into::into));
        Self { bin_width_ps: series.bin_width_ps(), end_ps: series.end_ps, bins, latencies }
    }
}

impl TryFrom<SeriesRecord> for Series {
    type Error = String;

    fn try_from(record: SeriesRecord) -> Result<Self, String> {
        let SeriesRecord { bin_width_ps, end_ps, bins, latencies } = record;
        if !bin_width_ps.is_power_of_two() || bins.len() > BINS {
            return Err(format!("{} bins of {bin_width_ps} ps", bins.len()));
        }
        let mut series = Self { shift: bin_width_ps.trailing_zeros(), end_ps, ..Self::new() };
        series.bins[..bins.len()].copy_from_slice(&bins);
        for (own, record) in series.latencies.iter_mut().zip(latencies) {
            *own = record.map(LatencyMap::try_from).transpose()?;
        }
        Ok(series)
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

    /// A request that took thrice as many picoseconds as it has bytes.
    fn served(direction: Direction, bytes: u64) -> Served {
        Served { direction, bytes, latency_ps: 3 * bytes }
    }

    #[test]
    fn a_late_request_doubles_the_width_and_moves_nothing_else() {
        let mut series = Series::new();
        let width_ps = series.bin_width_ps();
        series.record(0, served(Direction::Read, 10));
        series.record(3 * width_ps, served(Direction::Write, 20));
        series.record(BINS as u64 * width_ps, served(Direction::Trim, 30));
        assert_eq!(series.bin_width_ps(), 2 * width_ps);
        assert_eq!(series.bins().len(), BINS / 2 + 1);
        assert_eq!(series.bins()[0].bytes, [10, 0, 0]);
        assert_eq!(series.bins()[1].bytes, [0, 20, 0]);
        assert_eq!(series.bins()[BINS / 2].ios, [0, 0, 1]);
    }

    #[test]
    fn the_end_of_the_clock_is_still_a_bin() {
        let mut series = Series::new();
        series.record(u64::MAX, served(Direction::Read, 1));
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
                series.record(at_ps, served(Direction::ALL[direction], bytes));
                expected.bytes[direction] += bytes;
                expected.ios[direction] += 1;
                expected.latency_ps[direction] += 3 * bytes;
                let longest_ps = &mut expected.longest_ps[direction];
                *longest_ps = (3 * bytes).max(*longest_ps);
            }
            let (width_ps, coarse) = series.coarsened(most);
            prop_assert_eq!(total(series.bins()), expected);
            prop_assert_eq!(total(&coarse), expected);
            prop_assert!(coarse.len() <= most && width_ps >= series.bin_width_ps());
            let text = serde_json::to_string(&series).unwrap();
            let read: Series = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.bins(), series.bins());
            prop_assert_eq!(&read.latencies, &series.latencies);
            for direction in Direction::ALL {
                let rows = series.rows().1;
                let counted = series.latencies(direction).map_or(Vec::<u64>::new(), |map| {
                    (0..rows.len()).map(|row| map.row(row).counted().map(|(_, n)| u64::from(n)).sum()).collect()
                });
                let ios: Vec<_> = rows.iter().map(|row| row.ios[direction as usize]).collect();
                prop_assert!(counted == ios || ios.iter().all(|&ios| ios == 0) && counted.is_empty());
            }
            prop_assert_eq!((read.shift, read.end_ps), (series.shift, series.end_ps));
        }
    }
}
