//! Random numbers that are the same on any machine: SplitMix64 (Steele, Lea and Flood: "Fast Splittable Pseudorandom Number
//! Generators", OOPSLA 2014). A stream is a number of 64 bits, its state. What a number drawn is used for is up to whoever draws.

#![no_std]

/// What the state of a stream grows by with each draw: 2^64 divided by the golden ratio, made odd.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A permutation of the 64-bit numbers in which every input bit reaches every output bit.
#[inline]
pub const fn mix(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Draws the next 64 bits of the stream with this state. A stream has a period of 2^64.
#[inline]
pub const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GAMMA);
    mix(*state)
}

/// Draws a number in `0..end` from the stream with this state. The bias is below `end` / 2^64.
#[inline]
pub const fn below(state: &mut u64, end: u64) -> u64 {
    ((next(state) as u128 * end as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values that the generator's authors give for a seed of 0.
    #[test]
    fn draws_are_those_of_the_authors() {
        let mut state = 0;
        assert_eq!(next(&mut state), 0xe220_a839_7b1d_cdaf);
        assert_eq!(next(&mut state), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn numbers_below_an_end_are_uniform() {
        let (mut state, mut cells) = (7, [0_u32; 16]);
        for _ in 0..16_000 {
            cells[below(&mut state, 16) as usize] += 1;
        }
        // Chi-square with 15 degrees of freedom: 37.7 is the 0.1 % point.
        let chi: u32 = cells.iter().map(|cell| cell.abs_diff(1000).pow(2)).sum();
        assert!(chi < 37_700, "chi-square {} / 1000", chi);
        assert!(below(&mut state, 1) == 0);
    }
}
