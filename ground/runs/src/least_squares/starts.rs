//! Where fits begin: at the study's own place, and at others spread over the ranges. A fit that ends
//! elsewhere from elsewhere has found a valley of several, and its values mean less.

use crate::least_squares::fit::{Fitted, Range};

/// A base for each parameter; Halton's sequence needs them to have no common divisor.
const PRIMES: [i64; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// The ranges of each of `count` fits: the first begins where the study says, the others at the places of
/// Halton's sequence, which fill the ranges evenly however many there are.
pub fn spread(ranges: &[Range], count: u32) -> Vec<Vec<Range>> {
    let others = (1..i64::from(count)).map(|nth| {
        let parameters = ranges.iter().zip(PRIMES.iter().cycle());
        parameters
            .map(|(range, base)| Range { start: placed(range, nth, *base), ..*range })
            .collect()
    });
    std::iter::once(ranges.to_vec()).chain(others).collect()
}

/// The place in a range that is `nth` with its digits to this base in reverse order, as a share.
fn placed(range: &Range, mut nth: i64, base: i64) -> i64 {
    let (mut numerator, mut denominator) = (0, 1);
    while nth > 0 {
        (numerator, denominator) = (numerator * base + nth % base, denominator * base);
        nth /= base;
    }
    range.low + (range.high - range.low) * numerator / denominator
}

/// The one of the least sum of squares; the first of several.
pub fn best(fits: &[Fitted]) -> usize {
    let costs = fits.iter().map(Fitted::cost).enumerate();
    costs.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(nth, _)| nth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_the_study_s_own_and_the_others_fill_the_ranges() {
        let ranges = [Range { start: 7, low: 0, high: 8 }, Range { start: 0, low: -9, high: 0 }];
        let starts: Vec<Vec<i64>> = spread(&ranges, 4)
            .iter()
            .map(|fit| fit.iter().map(|range| range.start).collect())
            .collect();
        // One half, one quarter, three quarters; one third, two thirds, one ninth.
        assert_eq!(starts, [vec![7, 0], vec![4, -6], vec![2, -3], vec![6, -8]]);
        assert_eq!(spread(&ranges, 1), [ranges.to_vec()]);
    }
}
