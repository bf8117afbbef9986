//! A bit for each byte of a memory.

use std::ops::Range;

/// Bits that a word of [`Bits`] has.
pub const WORD_BITS: usize = u64::BITS as usize;

/// Bits, all of them 0 at first.
#[derive(Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// So many, in whole words.
    pub fn new(count: usize) -> Self {
        Bits(vec![0; count.div_ceil(WORD_BITS)])
    }

    /// All bits, the first ones in the first word's lowest places.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The words, to be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Sets a range; returns how many of it were set before.
    pub fn set(&mut self, at: usize, count: usize) -> u32 {
        let mut before = 0;
        for (word, mask) in masks(at, count) {
            before += (self.0[word] & mask).count_ones();
            self.0[word] |= mask;
        }
        before
    }

    /// Clears a range.
    pub fn clear(&mut self, at: usize, count: usize) {
        for (word, mask) in masks(at, count) {
            self.0[word] &= !mask;
        }
    }
}

/// Words of a range, and which of their bits are in it.
fn masks(at: usize, count: usize) -> impl Iterator<Item = (usize, u64)> {
    let Range { start, end } = at..at + count;
    let words = if count == 0 { 0..0 } else { start / WORD_BITS..end.div_ceil(WORD_BITS) };
    words.map(move |word| {
        let first = word * WORD_BITS;
        let (low, high) = (start.saturating_sub(first), (end - first).min(WORD_BITS));
        (word, u64::MAX >> (WORD_BITS - (high - low)) << low)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_set_counted_and_cleared_to_the_bit() {
        for (at, count) in
            [(0, 1), (5, 0), (64, 0), (63, 2), (0, 64), (1, 64), (7, 200), (128, 128), (255, 1)]
        {
            let mut bits = Bits::new(256);
            let is_set = |bits: &Bits, nth: usize| bits.0[nth / 64] >> (nth % 64) & 1 == 1;
            assert_eq!(bits.set(at, count), 0);
            (0..256)
                .for_each(|nth| assert_eq!(is_set(&bits, nth), (at..at + count).contains(&nth)));
            assert_eq!(bits.set(0, 256), count as u32);
            bits.clear(at, count);
            (0..256)
                .for_each(|nth| assert_ne!(is_set(&bits, nth), (at..at + count).contains(&nth)));
        }
    }
}
