//! The normal distribution, as a table of integers.

use std::sync::LazyLock;

/// A standard deviation, in the units of this module.
pub(super) const SIGMA: i64 = 1 << 12;
/// Between two entries of the table.
const STEP: i64 = SIGMA / 128;
/// Nothing is farther out, as far as 64 bits can tell: the tail is 6 x 10^-16.
const FARTHEST: i64 = 8 * SIGMA;

/// The share of a normal distribution that lies more than so far above its mean, in 2^-64: one entry for each
/// [`STEP`] from 0 on. The error function is `libm`'s, which has the same bits on every machine.
static TAILS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let tail = |entry: i64| {
        let deviations = (entry * STEP) as f64 / SIGMA as f64;
        let share = 0.5 * libm::erfc(deviations * std::f64::consts::FRAC_1_SQRT_2);
        (share * 2f64.powi(64)) as u64
    };
    (0..=FARTHEST / STEP).map(tail).collect()
});

/// The share of a normal distribution, in 2^-64, that lies below a place so far above its mean.
#[inline]
pub(super) fn below(deviation: i64) -> u64 {
    let distance = deviation.abs().min(FARTHEST - 1);
    let (entry, rest) = ((distance / STEP) as usize, (distance % STEP) as u64);
    let (near, far) = (TAILS[entry], TAILS[entry + 1]);
    let tail = near - (near - far) / STEP as u64 * rest;
    if deviation < 0 {
        tail
    } else {
        u64::MAX - tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From tables of the standard normal distribution.
    const KNOWN: [(f64, f64); 6] = [
        (0.0, 0.5),
        (1.0, 0.158_655_25),
        (2.0, 0.022_750_13),
        (3.0, 1.349_898e-3),
        (4.0, 3.167_124e-5),
        (6.0, 9.865_876e-10),
    ];

    #[test]
    fn shares_are_those_of_printed_tables_on_both_sides() {
        for (deviations, tail) in KNOWN {
            let at = (deviations * SIGMA as f64) as i64;
            let share = |below: u64| below as f64 / 2f64.powi(64);
            let low = share(below(-at));
            assert!((low / tail - 1.0).abs() < 1e-5, "-{deviations}: {low}");
            let high = share(u64::MAX - below(at));
            assert!((high / tail - 1.0).abs() < 1e-5, "{deviations}: {high}");
        }
    }

    #[test]
    fn between_the_entries_the_share_grows_and_errs_by_less_than_a_thousandth() {
        let mut last = 0;
        for at in -9 * SIGMA..=9 * SIGMA {
            let share = below(at);
            assert!(share >= last, "{at}");
            last = share;
        }
        for at in [-5 * SIGMA + STEP / 2, -2 * SIGMA - 7, -SIGMA / 3] {
            let exact = 0.5
                * libm::erfc(-at as f64 / SIGMA as f64 * std::f64::consts::FRAC_1_SQRT_2)
                * 2f64.powi(64);
            assert!((below(at) as f64 / exact - 1.0).abs() < 1e-3, "{at}");
        }
    }
}
