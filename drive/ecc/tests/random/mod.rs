//! Reproducible random data for the tests.

/// A stream of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        ::random::next(&mut self.0)
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
