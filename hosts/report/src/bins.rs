//! Counts by logarithmic bins, as HdrHistogram lays them out for two significant digits.
//!
//! A request is counted in some 17 distributions. So this is written here: a bin is found in a few instructions. The
//! tests hold it against the crate `hdrhistogram`.

/// Values below this have a bin each. From there on each doubling of the value doubles the bins' width.
const SINGLE: u64 = 256;
/// Bins of a doubling.
const EACH: u64 = SINGLE / 2;
/// Binary logarithm of [`SINGLE`].
const SINGLE_BITS: u32 = SINGLE.trailing_zeros();
/// Values from here on count as this: one hour in nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;
/// Bins up to the bin of [`LONGEST`], to the end of its doubling.
const COUNT: usize = ((doublings(LONGEST) as u64 + 2) * EACH) as usize;

/// How often bins have doubled their width up to a value.
#[inline]
const fn doublings(value: u64) -> u32 {
    (u64::BITS - SINGLE_BITS) - (value | (SINGLE - 1)).leading_zeros()
}

/// The bin of a value, which may lie beyond the last.
#[inline]
const fn bin_of(value: u64) -> usize {
    let doublings = doublings(value);
    (doublings as u64 * EACH + (value >> doublings)) as usize
}

/// The lowest value of a bin, and how many values it has.
const fn values_of(bin: usize) -> (u64, u64) {
    let bin = bin as u64;
    if bin < SINGLE {
        return (bin, 1);
    }
    let doublings = bin / EACH - 1;
    ((bin % EACH + EACH) << doublings, 1 << doublings)
}

/// How often values of each bin were counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bins(Box<[u32; COUNT]>);

impl Bins {
    /// Nothing counted. All memory that it will ever need is taken.
    pub(crate) fn new() -> Self {
        let counts = vec![0; COUNT].into_boxed_slice();
        Bins(counts.try_into().expect("as many bins as there are"))
    }

    /// Counts a value.
    #[inline]
    pub(crate) fn count(&mut self, value: u64) {
        self.count_n(value, 1);
    }

    /// Counts a value so many times.
    #[inline]
    pub(crate) fn count_n(&mut self, value: u64, times: u32) {
        let bin = if bin_of(value) < COUNT { bin_of(value) } else { bin_of(LONGEST) };
        self.0[bin] = self.0[bin].saturating_add(times);
    }

    /// Adds what another has counted.
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(other.0.iter()) {
            *own = own.saturating_add(*more);
        }
    }

    /// The highest value of the bin in which the `rank`th of all counted values lies, from 1 on; 0 where there are less.
    pub(crate) fn value_at(&self, rank: u64) -> u64 {
        let mut below = 0;
        let passes = |&count: &u32| {
            below += u64::from(count);
            below >= rank
        };
        self.0.iter().position(passes).map_or(0, |bin| {
            let (lowest, values) = values_of(bin);
            lowest + values - 1
        })
    }

    /// The bins with values, in rising order: the middle of the bin, and how many.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.0.iter().enumerate().filter(|(_, &count)| count > 0).map(|(bin, &count)| {
            let (lowest, values) = values_of(bin);
            (lowest + values / 2, count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    #[test]
    fn bins_follow_each_other_without_a_gap() {
        let mut next = 0;
        for bin in 0..COUNT {
            let (lowest, values) = values_of(bin);
            assert_eq!(lowest, next, "bin {bin}");
            assert_eq!((bin_of(lowest), bin_of(lowest + values - 1)), (bin, bin));
            next = lowest + values;
        }
        assert!((next / 2..next).contains(&LONGEST));
    }

    proptest! {
        #[test]
        fn they_are_those_of_the_crate(
            values in prop::collection::vec((0_u32..64, any::<u64>(), 1_u32..9), 1..120),
            percentile in 0_f64..100.0,
        ) {
            let mut bins = Bins::new();
            let mut crates = Histogram::<u32>::new_with_bounds(1, LONGEST, 2).unwrap();
            for (shift, value, times) in values {
                bins.count_n(value >> shift, times);
                crates.saturating_record_n(value >> shift, times);
            }
            let expected = crates.iter_recorded().map(|bin| {
                (crates.median_equivalent(bin.value_iterated_to()), bin.count_at_value())
            });
            prop_assert!(bins.counted().eq(expected));
            let rank = (percentile / 100.0 * crates.len() as f64).ceil().max(1.0) as u64;
            prop_assert_eq!(bins.value_at(rank), crates.value_at_percentile(percentile));
        }
    }
}
