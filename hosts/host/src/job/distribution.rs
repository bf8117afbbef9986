//! Skewed choices of a block: Zipf, Pareto and normal.
//!
//! A draw yields a *rank*; the caller scatters ranks over the range, as fio does by hashing, so that
//! hot blocks are not neighbours. Zipf and Pareto ranks come from a table built once: ranks are
//! grouped into bins no wider than 1/64 of their rank, and bins are chosen by Walker's alias method
//! with integer thresholds. The weights use `libm` (pure Rust), never the platform's mathematics, so
//! a seed draws the same blocks on every machine.

use super::random::Prng;

/// Ranks from this one on share bins.
const FIRST_SHARED: u64 = 64;

/// A source of ranks in `0..len`.
#[derive(Clone, Debug)]
pub(super) enum Ranks {
    /// Zipf and Pareto.
    Table(AliasTable),
    /// fio's normal distribution: the mean of twelve uniform draws, plus a uniform deviation.
    Normal {
        /// Number of ranks.
        len: u64,
        /// Width of the deviation in ranks, at most half of `len`.
        spread: u64,
    },
}

impl Ranks {
    /// Rank `r` (from 0) has weight `(r + 1)^-theta`. `theta` is positive and not 1.
    pub(super) fn zipf(len: u64, theta: f64) -> Self {
        let power = 1.0 - theta;
        Self::Table(AliasTable::new(len, |first, end| {
            if end - first == 1 {
                return libm::pow(end as f64, -theta);
            }
            // The sum over a bin, by the midpoint rule: its error is far below a bin's width.
            let (low, high) = (first as f64 + 0.5, end as f64 + 0.5);
            (libm::pow(high, power) - libm::pow(low, power)) / power
        }))
    }

    /// The first share `h` of the ranks gets a share `1 - h` of the draws: 0.2 is the 80/20 rule.
    /// `h` lies between 0 and 1, both excluded.
    pub(super) fn pareto(len: u64, h: f64) -> Self {
        let power = libm::log(1.0 - h) / libm::log(h);
        let share = |rank: u64| libm::pow(rank as f64 / len as f64, power);
        Self::Table(AliasTable::new(len, |first, end| share(end) - share(first)))
    }

    /// Bell-shaped around `len / 2` with a deviation of `percent` of `len`, 0 to 100.
    pub(super) fn normal(len: u64, percent: f64) -> Self {
        let spread = libm::ceil(len as f64 * percent / 100.0) as u64;
        Self::Normal { len, spread: spread.min(len / 2) }
    }

    /// The next rank.
    pub(super) fn draw(&self, random: &mut Prng) -> u64 {
        match self {
            Self::Table(table) => table.draw(random),
            Self::Normal { len, spread } => draw_normal(*len, *spread, random),
        }
    }
}

fn draw_normal(len: u64, spread: u64, random: &mut Prng) -> u64 {
    // Twelve 32-bit numbers of mean 2^31: their sum has 36 bits.
    let sum: u64 = (0..6)
        .map(|_| {
            let bits = random.bits();
            (bits >> 32) + (bits & u64::from(u32::MAX))
        })
        .sum();
    let centre = (u128::from(sum) * u128::from(len) / (12 << 32)) as u64;
    let moved = centre + random.below(spread + 1);
    moved.saturating_sub(spread / 2).min(len - 1)
}

/// A piecewise constant density over ranks, drawn from in constant time.
#[derive(Clone, Debug)]
pub(super) struct AliasTable {
    bins: Box<[Bin]>,
}

#[derive(Clone, Copy, Debug)]
struct Bin {
    first: u64,
    width: u64,
    /// Keep this bin when 32 random bits lie below; else take `alias`.
    keep: u64,
    alias: u32,
}

impl AliasTable {
    /// `weight(first, end)` is the weight of ranks `first..end`.
    fn new(len: u64, weight: impl Fn(u64, u64) -> f64) -> Self {
        let mut bins = Vec::new();
        let mut weights = Vec::new();
        let mut first = 0;
        while first < len {
            let width = (first / FIRST_SHARED).max(1).min(len - first);
            weights.push(weight(first, first + width));
            bins.push(Bin { first, width, keep: 1 << 32, alias: bins.len() as u32 });
            first += width;
        }
        let total: f64 = weights.iter().sum();
        let mean = total / bins.len() as f64;
        let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
            (0..bins.len()).partition(|&n| weights[n] < mean);
        // Each poor bin is filled up by a rich one. What rounding leaves over keeps itself.
        while let (Some(&needy), Some(&donor)) = (poor.last(), rich.last()) {
            poor.pop();
            bins[needy].keep = (weights[needy] / mean * 4_294_967_296.0) as u64;
            bins[needy].alias = donor as u32;
            weights[donor] -= mean - weights[needy];
            if weights[donor] < mean {
                rich.pop();
                poor.push(donor);
            }
        }
        Self { bins: bins.into() }
    }

    fn draw(&self, random: &mut Prng) -> u64 {
        let bits = random.bits();
        let slot = ((bits >> 32) * self.bins.len() as u64) >> 32;
        let mut bin = &self.bins[slot as usize];
        if bits & u64::from(u32::MAX) >= bin.keep {
            bin = &self.bins[bin.alias as usize];
        }
        match bin.width {
            1 => bin.first,
            width => bin.first + random.below(width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 200_000;

    fn share(ranks: &Ranks, wanted: impl Fn(u64) -> bool) -> f64 {
        let mut random = Prng::new(3, 0);
        let hits = (0..DRAWS).filter(|_| wanted(ranks.draw(&mut random))).count();
        hits as f64 / f64::from(DRAWS)
    }

    #[test]
    fn zipf_gives_each_rank_its_weight() {
        let len = 100_000_u64;
        for theta in [0.6, 0.99, 1.2, 2.0] {
            let ranks = Ranks::zipf(len, theta);
            let total: f64 = (1..=len).map(|r| (r as f64).powf(-theta)).sum();
            let below = |end: u64| (1..=end).map(|r| (r as f64).powf(-theta)).sum::<f64>() / total;
            for end in [1, 2, 10, 100, 1000, 50_000] {
                let (found, expected) = (share(&ranks, |r| r < end), below(end));
                assert!((found - expected).abs() < 0.005, "{theta} {end}: {found} {expected}");
            }
            assert!(share(&ranks, |r| r >= len) == 0.0);
        }
    }

    #[test]
    fn pareto_follows_the_eighty_twenty_rule() {
        let ranks = Ranks::pareto(1_000_000, 0.2);
        let found = share(&ranks, |r| r < 200_000);
        assert!((found - 0.8).abs() < 0.005, "{found}");
        // Self-similar: 64 % of the draws go to the first 4 %.
        let found = share(&ranks, |r| r < 40_000);
        assert!((found - 0.64).abs() < 0.005, "{found}");
    }

    #[test]
    fn normal_is_centred_with_the_deviation_of_twelve_uniforms() {
        let len = 1_000_000_u64;
        let rows = [(0.0, 1.0 / 12.0), (20.0, (1.0 / 144.0 + 0.04 / 12.0_f64).sqrt())];
        for (percent, expected) in rows {
            let ranks = Ranks::normal(len, percent);
            let mut random = Prng::new(5, 0);
            let draws: Vec<f64> =
                (0..DRAWS).map(|_| ranks.draw(&mut random) as f64 / len as f64).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(DRAWS);
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(DRAWS);
            assert!((mean - 0.5).abs() < 0.002, "mean {mean}");
            assert!((variance.sqrt() - expected).abs() < 0.002, "deviation {}", variance.sqrt());
        }
    }

    #[test]
    fn tiny_ranges_stay_inside() {
        for len in 1..10 {
            for ranks in [Ranks::zipf(len, 1.2), Ranks::pareto(len, 0.3), Ranks::normal(len, 99.0)]
            {
                assert_eq!(share(&ranks, |r| r < len), 1.0);
            }
        }
    }

    #[test]
    fn tables_stay_small_for_huge_ranges() {
        let Ranks::Table(table) = Ranks::zipf(1 << 40, 1.1) else { panic!("zipf is a table") };
        assert!(table.bins.len() < 2500, "{} bins", table.bins.len());
    }
}
