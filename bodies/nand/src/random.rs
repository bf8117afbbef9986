//! Streams of random numbers by what they decide.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::Duration;
use random::mix;

/// A stream of random numbers.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(crate) struct Random(u64);

/// What a stream decides. Streams of different purposes have nothing to do with one another.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    DieOffset = 1,
    Timing,
    Faults,
    FactoryBad,
    Payload,
    Cells,
}

impl Random {
    /// The stream of item `index`, such as a die, for one purpose of a run.
    pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self(mix(mix(mix(seed).wrapping_add(purpose as u64)) ^ index))
    }

    /// A stream that starts from a random number.
    pub const fn starting_at(state: u64) -> Self {
        Self(state)
    }

    /// 64 random bits.
    #[inline]
    pub fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        random::below(&mut self.0, end.into()) as u32
    }

    /// A deviation in picoseconds of at most `largest` either way, bell-shaped around zero: the
    /// sum of four uniform draws, with a standard deviation of 0.29 of `largest`.
    #[inline]
    pub fn bell(&mut self, largest: Duration) -> i64 {
        const WIDEST: i64 = 4 * u16::MAX as i64;
        let draw = self.next();
        let sum: u64 = [0, 16, 32, 48].iter().map(|shift| draw >> shift & 0xffff).sum();
        // No time on a board is longer than a second, 10^12 ps.
        largest.as_ps() as i64 * (2 * sum as i64 - WIDEST) / WIDEST
    }
}

/// The number that a share of all 64-bit draws lies below.
pub(crate) fn threshold(share: u64, of: u64) -> u64 {
    let below = (u128::from(share) << 64) / u128::from(of);
    u64::try_from(below).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_keeps_its_bounds_mean_and_width() {
        let largest = Duration::from_us(20);
        let bound = largest.as_ps() as i64;
        let mut random = Random::stream(1, Purpose::Timing, 0);
        let draws: Vec<i64> = (0..100_000).map(|_| random.bell(largest)).collect();
        assert!(draws.iter().all(|draw| draw.abs() <= bound));
        let mean = draws.iter().sum::<i64>() / draws.len() as i64;
        // One standard deviation of a draw is bound / sqrt(12).
        let deviation = bound as f64 / 12f64.sqrt();
        assert!((mean as f64).abs() < 5.0 * deviation / (draws.len() as f64).sqrt());
        let within = draws.iter().filter(|draw| draw.abs() as f64 <= deviation).count();
        assert!((64_000..70_000).contains(&within), "{within} of 100,000 within one deviation");
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| Random::stream(seed, purpose, index).next();
        let mut draws = vec![];
        for seed in 0..4 {
            for index in 0..64 {
                draws.push(first(seed, Purpose::Timing, index));
                draws.push(first(seed, Purpose::Faults, index));
            }
        }
        let all = draws.len();
        draws.sort_unstable();
        draws.dedup();
        assert_eq!(draws.len(), all);
    }

    #[test]
    fn thresholds_span_never_to_always() {
        assert_eq!(threshold(0, 1_000_000_000), 0);
        assert_eq!(threshold(500_000_000, 1_000_000_000), 1 << 63);
        assert_eq!(threshold(1_000_000_000, 1_000_000_000), u64::MAX);
    }
}
