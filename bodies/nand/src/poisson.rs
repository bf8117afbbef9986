//! The Poisson distribution, drawn in integer arithmetic.

use crate::random::Random;

/// Binary digits of a mean behind the point.
pub(crate) const MEAN_BITS: u32 = 40;
/// Binary digits of a probability behind the point. Four bits are left for a factor of 16.
const PROBABILITY_BITS: u32 = 60;
const ONE: u64 = 1 << PROBABILITY_BITS;

/// Larger means are drawn as a sum, one draw for each 16: e^-16 still has 37 significant bits.
const PIECE: u64 = 16 << MEAN_BITS;
const NONE_IN_PIECE: u64 = exp_minus(PIECE);

/// A Poisson distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Poisson {
    /// Pieces of the mean.
    pieces: u32,
    /// The rest of the mean, below a piece.
    rest: u64,
    /// The probability that the rest draws zero.
    none: u64,
}

impl Poisson {
    /// The distribution of a mean in fixed point with [`MEAN_BITS`] behind the point.
    pub fn new(mean: u64) -> Self {
        let rest = mean % PIECE;
        Self { pieces: (mean / PIECE) as u32, rest, none: exp_minus(rest) }
    }

    /// Draws a count. With a mean below 16, zero takes one random number and one comparison.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u32 {
        let rest = invert(random, self.rest, self.none);
        if self.pieces == 0 {
            return rest;
        }
        (0..self.pieces).fold(rest, |sum, _| sum + invert(random, PIECE, NONE_IN_PIECE))
    }
}

/// Walks the cumulative distribution until it passes a uniform draw. `none` is the probability of
/// zero.
#[inline]
fn invert(random: &mut Random, mean: u64, none: u64) -> u32 {
    let draw = random.next() >> (u64::BITS - PROBABILITY_BITS);
    if draw < none {
        return 0;
    }
    invert_from_one(draw, mean, none)
}

#[inline(never)]
fn invert_from_one(draw: u64, mean: u64, none: u64) -> u32 {
    let (mut count, mut probability, mut cumulative) = (0u64, none, none);
    while draw >= cumulative && probability > 0 {
        count += 1;
        let product = (u128::from(probability) * u128::from(mean)) >> MEAN_BITS;
        probability = product as u64 / count;
        cumulative += probability;
    }
    count as u32
}

/// e^-mean, for means up to a piece: a Taylor series for a 256th of the mean, squared eight times.
const fn exp_minus(mean: u64) -> u64 {
    let fraction = (mean as u128) << (PROBABILITY_BITS - MEAN_BITS - 8);
    let (mut sum, mut term, mut power) = (ONE as u128, ONE as u128, 0);
    while term > 0 {
        power += 1;
        term = ((term * fraction) >> PROBABILITY_BITS) / power;
        sum = if power % 2 == 1 { sum - term } else { sum + term };
    }
    let mut squarings = 0;
    while squarings < 8 {
        sum = (sum * sum) >> PROBABILITY_BITS;
        squarings += 1;
    }
    sum as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn fixed(mean: f64) -> u64 {
        (mean * (1u64 << MEAN_BITS) as f64) as u64
    }

    #[test]
    fn exponential_agrees_with_floating_point() {
        for mean in [0.0, 1e-9, 0.014, 0.5, 1.0, 3.3, 8.0, 15.999, 16.0] {
            let found = exp_minus(fixed(mean)) as f64 / ONE as f64;
            assert!((found / (-mean).exp() - 1.0).abs() < 1e-8, "e^-{mean}: {found}");
        }
        assert_eq!(exp_minus(0), ONE);
    }

    #[test]
    fn shares_of_small_counts_are_those_of_the_formula() {
        const DRAWS: u32 = 200_000;
        for mean in [0.02f64, 0.7, 4.0] {
            let law = Poisson::new(fixed(mean));
            let mut random = Random::stream(2, Purpose::Faults, 0);
            let mut found = [0u32; 4];
            for _ in 0..DRAWS {
                if let Some(found) = found.get_mut(law.draw(&mut random) as usize) {
                    *found += 1;
                }
            }
            let mut share = (-mean).exp();
            for (count, found) in found.into_iter().enumerate() {
                share *= if count == 0 { 1.0 } else { mean / count as f64 };
                let expected = share * f64::from(DRAWS);
                let sigma = (expected * (1.0 - share)).sqrt();
                let off = (f64::from(found) - expected).abs();
                assert!(off <= 5.0 * sigma + 1.0, "mean {mean}, count {count}: {found}");
            }
        }
    }

    #[test]
    fn mean_and_variance_are_equal_also_beyond_a_piece() {
        const DRAWS: usize = 20_000;
        for mean in [0.1, 15.9, 16.0, 50.0, 1400.0] {
            let law = Poisson::new(fixed(mean));
            let mut random = Random::stream(3, Purpose::Faults, 0);
            let draws: Vec<f64> = (0..DRAWS).map(|_| f64::from(law.draw(&mut random))).collect();
            let found = draws.iter().sum::<f64>() / DRAWS as f64;
            assert!((found - mean).abs() < 5.0 * (mean / DRAWS as f64).sqrt(), "{mean}: {found}");
            let squares: f64 = draws.iter().map(|draw| (draw - found).powi(2)).sum();
            let ratio = squares / DRAWS as f64 / mean;
            assert!((0.8..1.2).contains(&ratio), "mean {mean}: variance {ratio} of it");
        }
    }

    #[test]
    fn a_mean_of_zero_draws_zero() {
        let mut random = Random::stream(4, Purpose::Faults, 0);
        assert!((0..1000).all(|_| Poisson::new(0).draw(&mut random) == 0));
    }
}
