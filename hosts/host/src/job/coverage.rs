//! A random order that visits every block once, without a map of what was visited.
//!
//! fio keeps a bitmap and draws until it meets a free block. For a drive of terabytes that map is
//! large and the search slow near the end, so a keyed permutation of the block numbers is walked
//! instead: a Feistel network over pairs (high, low) where `low` has a power of two of values and
//! `high` as many as are needed to hold all blocks. The few pairs beyond the last block are skipped
//! by applying the network again (cycle walking).

use super::random::Prng;

const ROUNDS: usize = 3;

/// A keyed bijection of `0..len` onto itself; `len` is at most 2^63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permutation {
    len: u64,
    low_bits: u32,
    low_mask: u64,
    /// Number of values of `high`.
    highs: u64,
    keys: [[u64; 2]; ROUNDS],
}

impl Permutation {
    /// The permutation of `0..len` whose keys are drawn from `random`.
    ///
    /// # Panics
    /// If `len` is zero.
    pub(super) fn new(len: u64, random: &mut Prng) -> Self {
        assert!(len > 0, "a permutation of nothing");
        let low_bits = (u64::BITS - (len - 1).leading_zeros()) / 2;
        Self {
            len,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            highs: len.div_ceil(1 << low_bits),
            keys: std::array::from_fn(|_| [random.bits(), random.bits()]),
        }
    }

    /// Number of elements.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The image of `index`, which must be below `len`.
    pub(super) fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.len);
        let mut cell = index;
        loop {
            cell = self.shuffle(cell);
            if cell < self.len {
                return cell;
            }
        }
    }

    fn shuffle(&self, cell: u64) -> u64 {
        let (mut high, mut low) = (cell >> self.low_bits, cell & self.low_mask);
        for [key_high, key_low] in self.keys {
            // `high` moves by an amount below `highs`, around the end; `low` flips bits. Each step
            // depends on the other half alone, so it can be undone: the whole is a bijection.
            high += (blend(low, key_high) * self.highs) >> 32;
            high -= if high >= self.highs { self.highs } else { 0 };
            low ^= blend(high, key_low) & self.low_mask;
        }
        high << self.low_bits | low
    }
}

/// Round function of 32 bits: these bits of the product depend on every bit of `half`.
fn blend(half: u64, key: u64) -> u64 {
    (half ^ key).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn is_a_bijection(len in 1_u64..5000, seed: u64) {
            let order = Permutation::new(len, &mut Prng::new(seed, 0));
            let mut seen = vec![false; len as usize];
            for index in 0..len {
                let cell = order.at(index) as usize;
                prop_assert!(!seen[cell], "cell {cell} twice");
                seen[cell] = true;
            }
        }

        #[test]
        fn stays_inside_ranges_too_large_to_list(len in 1_u64..=1 << 52, seed: u64, at: u64) {
            let order = Permutation::new(len, &mut Prng::new(seed, 0));
            prop_assert!(order.at(at % len) < len);
        }
    }

    /// Two properties that a drive would notice: the first steps spread evenly over the range, and
    /// neighbours in time are not neighbours in space.
    #[test]
    fn looks_random() {
        for len in [1_000_003, 1 << 20, 1 << 31] {
            let order = Permutation::new(len, &mut Prng::new(1, 0));
            let mut cells = [0_u32; 64];
            let (mut near, mut rising) = (0, 0);
            let mut last = order.at(0);
            for index in 1..64_001 {
                let cell = order.at(index);
                cells[(cell * 64 / len) as usize] += 1;
                near += u32::from(cell.abs_diff(last) < len / 1000);
                rising += u32::from(cell > last);
                last = cell;
            }
            let chi: f64 = cells.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
            // 63 degrees of freedom: 103.4 is the 0.1 % point.
            assert!(chi < 103.4, "{len}: chi-square {chi}");
            assert!((90..170).contains(&near), "{len}: {near} of 64000 steps are short");
            assert!((31_500..32_500).contains(&rising), "{len}: {rising} of 64000 steps rise");
        }
    }
}
