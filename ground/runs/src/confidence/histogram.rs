//! A distribution of integers, fine enough for intervals of a per cent.

/// Bits of a value below its leading one that are kept: bins are at most 0.2 % wide.
const KEPT_BITS: u32 = 9;
const BINS: usize = 1 << KEPT_BITS;
/// One of values below [`BINS`], which are kept as they are, and one for each leading bit from there on.
const OCTAVES: usize = 64 - KEPT_BITS as usize + 1;

/// Counts of values by bins that are equally wide within an octave. Octaves take room once a value is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    octaves: [Option<Box<[u32; BINS]>>; OCTAVES],
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { octaves: std::array::from_fn(|_| None) }
    }
}

impl Histogram {
    /// Counts a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bits = 64 - value.leading_zeros();
        let shift = bits.saturating_sub(KEPT_BITS + 1);
        let octave = if bits > KEPT_BITS { shift + 1 } else { 0 };
        let bin = (value >> shift) as usize % BINS;
        self.octaves[octave as usize].get_or_insert_with(|| Box::new([0; BINS]))[bin] += 1;
    }

    /// Adds all values of another one.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, more) in self.octaves.iter_mut().zip(&other.octaves) {
            match (own, more) {
                (Some(own), Some(more)) => {
                    own.iter_mut().zip(more.iter()).for_each(|(own, more)| *own += more);
                }
                (own @ None, Some(more)) => *own = Some(more.clone()),
                (_, None) => {}
            }
        }
    }

    /// The value that this share of all is not above, between the edges of its bin by proportion; none without values.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let all = || self.octaves.iter().flatten().flat_map(|bins| bins.iter());
        let count: u64 = all().map(|&count| u64::from(count)).sum();
        let wanted = (share * count as f64).clamp(0.0, count as f64);
        let mut below = 0_u64;
        for (octave, bins) in self.octaves.iter().enumerate() {
            let Some(bins) = bins else { continue };
            for (bin, &count) in bins.iter().enumerate() {
                if count > 0 && (below + u64::from(count)) as f64 >= wanted {
                    let (first, width) = edges(octave, bin);
                    let within = ((wanted - below as f64) / f64::from(count)).max(0.0);
                    return Some(first + width * within);
                }
                below += u64::from(count);
            }
        }
        None
    }
}

/// Least value of a bin, and its width.
fn edges(octave: usize, bin: usize) -> (f64, f64) {
    match octave {
        0 => (bin as f64, 1.0),
        _ => {
            let width = (1_u64 << (octave - 1)) as f64;
            ((BINS + bin) as f64 * width, width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_bin_of_the_sorted_values() {
        let values: Vec<u64> = (0..10_000_u64).map(|nth| nth * nth * 37 + 5).collect();
        let mut histogram = Histogram::default();
        values.iter().for_each(|&value| histogram.record(value));
        for share in [0.01_f64, 0.5, 0.9, 0.99, 0.999] {
            let exact = values[(share * 10_000.0).round() as usize - 1] as f64;
            let found = histogram.quantile(share).expect("there are values");
            assert!((found / exact - 1.0).abs() < 0.002, "{share}: {found}, {exact}");
        }
    }

    #[test]
    fn ends_of_the_range_have_bins() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), None);
        histogram.record(0);
        assert!(histogram.quantile(0.5).expect("a value") <= 1.0);
        histogram.record(u64::MAX);
        assert!(histogram.quantile(1.0).expect("values") >= u64::MAX as f64 * 0.998);
    }

    #[test]
    fn merged_is_as_if_counted_together() {
        let (mut left, mut right, mut all) =
            (Histogram::default(), Histogram::default(), Histogram::default());
        for value in (0..1000_u64).map(|nth| nth.pow(3)) {
            if value % 3 == 0 { &mut left } else { &mut right }.record(value);
            all.record(value);
        }
        left.merge(&right);
        assert_eq!(left, all);
    }
}
