//! How latencies are spread over virtual time: a row a step of time, a column a step of latency.
//!
//! Steps of time are those of [`Series`](crate::Series), [`BINS_A_ROW`] of them a row. A doubling of latency has eight
//! steps, so that a percentile lies within an eighth of what it is.

use serde::{Deserialize, Serialize};

/// Rows of a map.
pub(crate) const ROWS: usize = 64;
/// Bins of the series that a row covers.
pub(crate) const BINS_A_ROW: usize = 16;
/// Steps of a doubling, as a power of two.
const STEP_BITS: u32 = 3;
/// Latencies below this have a step together, about 65 ns; as a binary logarithm in picoseconds.
const LEAST_BITS: u32 = 16;
/// Steps of latency, up to about 281 s.
const STEPS: usize = 256;

/// Requests of one direction by time and latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LatencyMap(Box<[[u32; STEPS]; ROWS]>);

/// The step of a latency.
#[inline(always)]
pub(crate) fn step_of(latency_ps: u64) -> usize {
    let value = (latency_ps >> (LEAST_BITS - STEP_BITS)).max(1 << STEP_BITS);
    let doublings = 63 - STEP_BITS - value.leading_zeros();
    let within = (value >> doublings) as usize - (1 << STEP_BITS);
    (((doublings as usize) << STEP_BITS) + within).min(STEPS - 1)
}

/// Where a step begins, in picoseconds.
pub(crate) fn edge_ps(step: usize) -> u64 {
    let (doublings, within) = (step >> STEP_BITS, (step % (1 << STEP_BITS)) as u64);
    ((1 << STEP_BITS) + within) << (doublings as u32 + LEAST_BITS - STEP_BITS)
}

impl LatencyMap {
    /// No request. All memory that it will ever need is taken.
    pub fn new() -> Self {
        let rows = vec![[0; STEPS]; ROWS].into_boxed_slice();
        LatencyMap(rows.try_into().expect("as many rows as there are"))
    }

    /// Counts a request in a row.
    #[inline(always)]
    pub fn count(&mut self, row: usize, latency_ps: u64) {
        let count = &mut self.0[row][step_of(latency_ps)];
        *count = count.saturating_add(1);
    }

    /// Joins neighbouring rows: each covers twice the time.
    pub fn halve(&mut self) {
        for row in 0..ROWS {
            let joined = match row < ROWS / 2 {
                true => {
                    let [one, other] = [self.0[2 * row], self.0[2 * row + 1]];
                    std::array::from_fn(|step| one[step].saturating_add(other[step]))
                }
                false => [0; STEPS],
            };
            self.0[row] = joined;
        }
    }

    /// The steps of a row with requests, rising: step, and how many.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.0[row].iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// Latency in picoseconds that `percentile` (0 to 100) of a row's requests do not exceed, `None` without requests.
    pub fn percentile_ps(&self, row: usize, percentile: f64) -> Option<u64> {
        let all: u64 = self.row(row).map(|(_, count)| u64::from(count)).sum();
        let rank = ((percentile / 100.0 * all as f64).ceil() as u64).max(1);
        let mut below = 0;
        for (step, count) in self.row(row) {
            let count = u64::from(count);
            if below + count >= rank {
                let (from, to) = (edge_ps(step), edge_ps(step + 1));
                let share = (rank - below) as f64 / count as f64;
                return Some(from + ((to - from) as f64 * share) as u64);
            }
            below += count;
        }
        None
    }
}

/// A [`LatencyMap`] in a file: row, step and count of what is not zero.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LatencyMapRecord(Vec<(usize, Vec<(usize, u32)>)>);

impl From<&LatencyMap> for LatencyMapRecord {
    fn from(map: &LatencyMap) -> Self {
        let rows = (0..ROWS).map(|row| (row, map.row(row).collect::<Vec<_>>()));
        LatencyMapRecord(rows.filter(|(_, steps)| !steps.is_empty()).collect())
    }
}

impl TryFrom<LatencyMapRecord> for LatencyMap {
    type Error = String;

    fn try_from(LatencyMapRecord(rows): LatencyMapRecord) -> Result<Self, String> {
        let mut map = LatencyMap::new();
        for (row, steps) in rows {
            for (step, count) in steps {
                let cell = map.0.get_mut(row).and_then(|row| row.get_mut(step));
                *cell.ok_or_else(|| format!("latencies in row {row}, step {step}"))? = count;
            }
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_follow_each_other_without_a_gap() {
        for step in 1..STEPS {
            assert_eq!(step_of(edge_ps(step)), step);
            assert_eq!(step_of(edge_ps(step) - 1), step - 1);
        }
        assert_eq!((step_of(0), step_of(u64::MAX)), (0, STEPS - 1));
    }

    proptest! {
        #[test]
        fn percentiles_lie_within_an_eighth(
            mut values in prop::collection::vec(1_u64 << 17..1 << 40, 1..200),
            percentile in 0_f64..100.0,
        ) {
            let mut map = LatencyMap::new();
            values.iter().for_each(|&value| map.count(3, value));
            values.sort_unstable();
            let rank = (percentile / 100.0 * values.len() as f64).ceil().max(1.0) as usize;
            let exact = values[rank - 1] as f64;
            let found = map.percentile_ps(3, percentile).unwrap() as f64;
            prop_assert!((found / exact - 1.0).abs() <= 0.126, "{found} is not {exact}");
            prop_assert_eq!(map.percentile_ps(2, percentile), None);
            let record = LatencyMapRecord::from(&map);
            prop_assert_eq!(&LatencyMap::try_from(record).unwrap(), &map);
            map.halve();
            prop_assert_eq!(map.row(1).map(|(_, count)| count as usize).sum::<usize>(), values.len());
        }
    }
}
