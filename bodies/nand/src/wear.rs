//! How many bits of a page come out wrong, by the wear of its block.

use board::{Board, Scrambler};

use crate::poisson::{Poisson, MEAN_BITS};
use crate::random::Random;

/// The unit of the rates here: wrong bits in 10^17.
const RATE_UNIT: u128 = 100_000_000_000_000_000;
/// Worse than half of the bits no read can be.
const WORST_RATE: u128 = RATE_UNIT / 2;

/// The distribution of wrong bits in a page, for each number of erases that a block has reached.
#[derive(Clone)]
pub(crate) struct Wear {
    page_bits: u32,
    fresh_rate: u128,
    rate_per_cycle: u128,
    laws: Vec<Poisson>,
}

impl Wear {
    /// For pages with `page_bits` of data and parity.
    pub fn new(board: &Board, page_bits: u32) -> Self {
        let errors = &board.errors;
        let growth_percent = match board.ecc.scrambler {
            Scrambler::On => 100,
            Scrambler::Off => errors.unscrambled_growth_percent,
        };
        // 10^12 to 10^17 is 10^5, which a thousand cycles and percents use up.
        let growth = u128::from(errors.raw_bits_per_terabit_per_kilocycle);
        let mut wear = Self {
            page_bits,
            fresh_rate: u128::from(errors.raw_bits_per_terabit) * 100_000,
            rate_per_cycle: growth * u128::from(growth_percent),
            laws: vec![],
        };
        wear.laws.push(wear.law(0));
        wear
    }

    /// Makes sure that a block may have gone through `cycles` erases, at most one more than any
    /// before.
    pub fn reach(&mut self, cycles: u32) {
        let last = self.laws.len() as u32 - 1;
        let grows = self.rate_per_cycle > 0 && self.rate(last) < WORST_RATE;
        if cycles > last && grows {
            let law = self.law(cycles);
            self.laws.push(law);
        }
    }

    /// Makes sure that a block may have gone through any number of erases up to this one.
    pub fn reach_all(&mut self, cycles: u32) {
        let known = self.laws.len() as u32;
        (known..=cycles).for_each(|cycles| self.reach(cycles));
    }

    /// The most erases that a block may have gone through so far.
    pub fn reached(&self) -> u32 {
        self.laws.len() as u32 - 1
    }

    /// Draws the number of wrong bits in a page of a block after `cycles` erases.
    #[inline]
    pub fn wrong_bits(&self, cycles: u32, random: &mut Random) -> u32 {
        let index = (cycles as usize).min(self.laws.len() - 1);
        self.laws[index].draw(random).min(self.page_bits)
    }

    fn rate(&self, cycles: u32) -> u128 {
        (self.fresh_rate + self.rate_per_cycle * u128::from(cycles)).min(WORST_RATE)
    }

    fn law(&self, cycles: u32) -> Poisson {
        let mean = (u128::from(self.page_bits) * self.rate(cycles)) << MEAN_BITS;
        Poisson::new(u64::try_from(mean / RATE_UNIT).expect("at most half of a page's bits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    const PAGE_BITS: u32 = 141_220;

    fn wear(changes: &[(&str, &str)]) -> Wear {
        let owned: Vec<_> = changes.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Wear::new(&Board::resolve("small", &owned).unwrap(), PAGE_BITS)
    }

    fn mean(wear: &Wear, cycles: u32) -> f64 {
        let mut random = Random::stream(1, Purpose::Faults, 0);
        let draws = (0..20_000).map(|_| u64::from(wear.wrong_bits(cycles, &mut random)));
        draws.sum::<u64>() as f64 / 20_000.0
    }

    fn assert_mean(wear: &Wear, cycles: u32, expected: f64) {
        let found = mean(wear, cycles);
        let sigma = (expected / 20_000.0).sqrt();
        assert!((found - expected).abs() < 5.0 * sigma, "{cycles}: {found}, not {expected}");
    }

    #[test]
    fn rate_grows_with_cycles_and_more_without_scrambler() {
        // 10^-6 fresh, 2 x 10^-5 for each thousand cycles.
        let rates = [
            ("errors.raw_bits_per_terabit", "1000000"),
            ("errors.raw_bits_per_terabit_per_kilocycle", "20000000"),
            ("errors.unscrambled_growth_percent", "150"),
        ];
        let mut on = wear(&rates);
        let mut off = wear(&[&rates[..], &[("ecc.scrambler", "off")]].concat());
        for cycles in 1..=500 {
            on.reach(cycles);
            off.reach(cycles);
        }
        let bits = f64::from(PAGE_BITS);
        for (cycles, growth) in [(0, 0.0), (100, 2e-6), (500, 1e-5)] {
            assert_mean(&on, cycles, bits * (1e-6 + growth));
            assert_mean(&off, cycles, bits * (1e-6 + 1.5 * growth));
        }
    }

    #[test]
    fn half_of_the_bits_is_the_worst_and_takes_no_more_tables() {
        let mut worn = wear(&[("errors.raw_bits_per_terabit_per_kilocycle", "100000000000")]);
        for cycles in 1..=6000 {
            worn.reach(cycles);
        }
        assert_eq!(worn.laws.len(), 5001);
        let mut random = Random::stream(1, Purpose::Faults, 0);
        let drawn = worn.wrong_bits(6000, &mut random);
        assert!(drawn.abs_diff(PAGE_BITS / 2) < 2000, "{drawn}");
    }
}
