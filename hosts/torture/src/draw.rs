//! A small generator of numbers, so that a failure names its seed and can be run again.

/// Numbers that a seed decides: a linear congruential generator modulo 2^64 (Knuth's MMIX), its upper bits.
#[derive(Clone, Debug)]
pub struct Draw(pub u64);

impl Draw {
    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Whether something happens that does so once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of some.
    pub fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len() as u64) as usize]
    }
}
