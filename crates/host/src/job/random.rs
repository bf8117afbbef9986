//! The random numbers of a job: SplitMix64, one independent stream a purpose.

/// Mixes 64 bits so that every input bit moves every output bit (the finaliser of SplitMix64).
pub(super) const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

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
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// A number in `0..bound`. The bias is below `bound` / 2^64, beyond what any run can see.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
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
