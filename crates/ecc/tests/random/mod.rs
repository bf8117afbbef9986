//! Reproducible random data for the tests.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// `count` different bit indices within `range`, ascending.
    pub fn bit_indices(&mut self, range: std::ops::Range<usize>, count: usize) -> Vec<u16> {
        let mut indices = std::collections::BTreeSet::new();
        while indices.len() < count {
            let offset = (self.next() % range.len() as u64) as usize;
            indices.insert((range.start + offset) as u16);
        }
        indices.into_iter().collect()
    }
}
