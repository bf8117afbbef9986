//! How latencies are spread over virtual time: a row a step of time, a column a step of latency.
//!
//! Steps of time are those of [`Series`](crate::Series), [`BINS_A_ROW`] of them a row. Steps of latency are those of
//! [`LatencySteps`].

use machine::LatencySteps;
use serde::{Deserialize, Serialize};

/// Rows of a map.
pub(crate) const ROWS: usize = 64;
/// Bins of the series that a row covers.
pub(crate) const BINS_A_ROW: usize = 16;

/// Requests of one direction by time and latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LatencyMap(Box<[LatencySteps; ROWS]>);

impl LatencyMap {
    /// No request. All memory that it will ever need is taken.
    pub fn new() -> Self {
        let rows = vec![LatencySteps::default(); ROWS].into_boxed_slice();
        LatencyMap(rows.try_into().expect("as many rows as there are"))
    }

    /// Counts a request in a row.
    #[inline(always)]
    pub fn count(&mut self, row: usize, latency_ps: u64) {
        self.0[row].count(latency_ps);
    }

    /// Joins neighbouring rows: each covers twice the time.
    pub fn halve(&mut self) {
        for row in 0..ROWS {
            let mut joined = LatencySteps::default();
            if row < ROWS / 2 {
                joined.add(&self.0[2 * row]);
                joined.add(&self.0[2 * row + 1]);
            }
            self.0[row] = joined;
        }
    }

    /// The latencies of a row of time.
    pub fn row(&self, row: usize) -> &LatencySteps {
        &self.0[row]
    }
}

/// A [`LatencyMap`] in a file: the rows that are not empty, by number.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LatencyMapRecord(Vec<(usize, LatencySteps)>);

impl From<&LatencyMap> for LatencyMapRecord {
    fn from(map: &LatencyMap) -> Self {
        let rows = map.0.iter().enumerate().filter(|(_, steps)| !steps.is_nothing());
        LatencyMapRecord(rows.map(|(row, steps)| (row, steps.clone())).collect())
    }
}

impl TryFrom<LatencyMapRecord> for LatencyMap {
    type Error = String;

    fn try_from(LatencyMapRecord(rows): LatencyMapRecord) -> Result<Self, String> {
        let mut map = LatencyMap::new();
        for (row, steps) in rows {
            let own = map.0.get_mut(row);
            let own =
                own.ok_or_else(|| format!("latencies in row {row}, expected below {ROWS}"))?;
            *own = steps;
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            let found = map.row(3).percentile_ps(percentile).unwrap() as f64;
            prop_assert!((found / exact - 1.0).abs() <= 0.126, "{found} is not {exact}");
            prop_assert_eq!(map.row(2).percentile_ps(percentile), None);
            let record = LatencyMapRecord::from(&map);
            prop_assert_eq!(&LatencyMap::try_from(record).unwrap(), &map);
            map.halve();
            let counts = map.row(1).counted().map(|(_, count)| count as usize);
            prop_assert_eq!(counts.sum::<usize>(), values.len());
        }
    }
}
