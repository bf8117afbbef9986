//! The random numbers of a job, one independent stream a purpose.

pub(super) use random::mix;
use random::GAMMA;

/// A deterministic generator of 64-bit numbers with a period of 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prng {
    state: u64,
}

impl Prng {
    /// The stream `purpose` of `seed`. Different purposes give unrelated sequences.
    pub(super) fn new(seed: u64, purpose: u64) -> Self {
        Self { state: mix(seed ^ mix(purpose.wrapping_mul(GAMMA).wrapping_add(GAMMA))) }
    }

    /// The next 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        random::next(&mut self.state)
    }

    /// A number in `0..bound`. The bias is below `bound` / 2^64, beyond what any run can see.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        random::below(&mut self.state, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_streams_unrelated() {
        let mut a = Prng::new(7, 0);
        let mut b = Prng::new(7, 1);
        let mut cells = [0_u32; 16];
        let mut equal = 0;
        for _ in 0..16_000 {
            let (x, y) = (a.below(16), b.below(16));
            cells[x as usize] += 1;
            equal += u32::from(x == y);
        }
        // Chi-square with 15 degrees of freedom: 37.7 is the 0.1 % point.
        let chi: f64 = cells.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 37.7, "chi-square {chi}");
        assert!((850..1150).contains(&equal), "{equal} of 16000 equal");
    }
}
