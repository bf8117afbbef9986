//! Reproducible random numbers for test benches.

/// A stream of them.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own, so that one consumer does not disturb another.
    pub fn split(&mut self) -> Self {
        Self(self.next())
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)] // An endless stream needs no `Option`.
    pub fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True in so many of a hundred draws.
    pub fn percent(&mut self, share: u32) -> bool {
        self.below(100) < u64::from(share)
    }

    /// So many random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// `count` different numbers below `bound`, ascending.
    pub fn choose(&mut self, count: usize, bound: usize) -> Vec<u16> {
        let mut chosen = std::collections::BTreeSet::new();
        while chosen.len() < count {
            chosen.insert(self.below(bound as u64) as u16);
        }
        chosen.into_iter().collect()
    }
}
