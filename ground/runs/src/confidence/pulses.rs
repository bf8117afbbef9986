//! Means of a few requests each, over the whole of a run: what warm-up is seen in.

use crate::confidence::warm_up::warm_up;

/// Requests of a pulse at first: five, as MSER-5 has it.
const FIRST_REQUESTS: u64 = 5;
/// Pulses from which on two become one.
const MOST: usize = 4096;

/// Mean latencies of so many requests after one another.
#[derive(Clone, Debug)]
pub(crate) struct Pulses {
    means: Vec<f64>,
    /// Requests of a pulse.
    requests: u64,
    sum: u128,
    count: u64,
}

impl Pulses {
    pub fn new() -> Self {
        Pulses { means: Vec::with_capacity(MOST), requests: FIRST_REQUESTS, sum: 0, count: 0 }
    }

    /// Takes a request's latency.
    #[inline]
    pub fn record(&mut self, latency: u64) {
        self.sum += u128::from(latency);
        self.count += 1;
        if self.count == self.requests {
            self.close();
        }
    }

    fn close(&mut self) {
        self.means.push(self.sum as f64 / self.requests as f64);
        (self.sum, self.count) = (0, 0);
        if self.means.len() == MOST {
            for pair in 0..MOST / 2 {
                self.means[pair] = (self.means[2 * pair] + self.means[2 * pair + 1]) / 2.0;
            }
            self.means.truncate(MOST / 2);
            self.requests *= 2;
        }
    }

    /// Requests at the front that are warm-up; none if that cannot be told yet.
    pub fn warm_up(&self) -> Option<u64> {
        Some(warm_up(&self.means)? as u64 * self.requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulses_join_and_the_cut_stays_where_it_was() {
        let mut pulses = Pulses::new();
        for nth in 0..200_000_u64 {
            let early = if nth < 10_000 { 5_000 } else { 0 };
            pulses.record(1_000 + nth * 7919 % 101 + early);
        }
        assert!(pulses.means.len() < MOST);
        assert_eq!(pulses.means.len() as u64 * pulses.requests, 200_000);
        let cut = pulses.warm_up().expect("it has settled");
        assert!((10_000..10_500).contains(&cut), "{cut}");
    }
}
