//! The decoder: syndromes, key equation, Chien search, correction.

use super::chien::ChienSearch;
use super::key_equation::ErrorLocator;
use super::{Bch, BchParams};
use alloc::vec;
use alloc::vec::Vec;

/// What decoding one chunk gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// The chunk was a code word.
    Clean,
    /// So many bits of data and parity, 1 to t, were wrong and are now right.
    Corrected(u32),
    /// No code word lies within t bits. Data and parity are as they came.
    Uncorrectable,
}

/// Working memory of the decoder, made once by [`Bch::scratch`] and used for any number of chunks.
#[derive(Clone, Debug)]
pub struct Scratch {
    params: BchParams,
    remainder: Vec<u8>,
    odd_syndromes: Vec<u16>,
    syndromes: Vec<u16>,
    locator: ErrorLocator,
    chien: ChienSearch,
}

impl Bch {
    /// Allocates the working memory that decoding with this code needs.
    pub fn scratch(&self) -> Scratch {
        let t = self.params.t;
        Scratch {
            params: self.params,
            remainder: vec![0; self.parity_bytes()],
            odd_syndromes: vec![0; t as usize],
            syndromes: vec![0; 2 * t as usize],
            locator: ErrorLocator::new(t),
            chien: ChienSearch::new(t),
        }
    }

    /// Corrects up to t wrong bits of a chunk in place. Lengths are as for [`Bch::encode`];
    /// `scratch` was made by a code of the same parameters. The unused bits of the last parity
    /// byte are ignored and left alone.
    ///
    /// More than t wrong bits are either found uncorrectable or, for a share of at most about
    /// 1/t! of such words, taken for a neighbouring code word: no decoder can tell.
    pub fn decode(&self, data: &mut [u8], parity: &mut [u8], scratch: &mut Scratch) -> Decoded {
        if self.syndromes(data, parity, scratch).is_none() {
            return Decoded::Clean;
        }
        let length_bits = data.len() as u32 * u8::BITS + self.parity_bits();
        let field = &self.field;
        let locations = scratch
            .locator
            .solve(field, &scratch.syndromes)
            .and_then(|locator| scratch.chien.search(field, locator, length_bits));
        match locations {
            Some(locations) => {
                flip_bits(data, parity, locations);
                Decoded::Corrected(locations.len() as u32)
            }
            None => Decoded::Uncorrectable,
        }
    }

    /// The syndromes of a received chunk, S_j at index `j - 1` for j in 1..=2t, where S_j is the
    /// received polynomial at α^j; `None` if all are zero, that is, if the chunk is a code word.
    ///
    /// Hardware evaluates the whole word while it streams by. Here the word is first divided by
    /// the generator, at the encoder's speed. The generator has α^j as a root, so the remainder
    /// has the same value there as the word, and it is zero exactly for code words.
    pub fn syndromes<'s>(
        &self,
        data: &[u8],
        parity: &[u8],
        scratch: &'s mut Scratch,
    ) -> Option<&'s [u16]> {
        assert_eq!(scratch.params, self.params, "scratch of another code");
        self.divide_received(data, parity, &mut scratch.remainder);
        if scratch.remainder.iter().all(|&byte| byte == 0) {
            return None;
        }
        scratch.odd_syndromes.fill(0);
        for (index, &byte) in scratch.remainder.iter().enumerate() {
            let mut bits = byte;
            while bits != 0 {
                let bit = bits.leading_zeros() as usize;
                bits &= !(0x80 >> bit);
                let powers = self.odd_powers.of_parity_bit(index * 8 + bit);
                for (syndrome, power) in scratch.odd_syndromes.iter_mut().zip(powers) {
                    *syndrome ^= power;
                }
            }
        }
        // Squaring is linear in a field of characteristic 2: S_2j is the square of S_j.
        for (j, &odd) in scratch.odd_syndromes.iter().enumerate() {
            scratch.syndromes[2 * j] = odd;
            scratch.syndromes[2 * j + 1] = self.field.square(scratch.syndromes[j]);
        }
        Some(&scratch.syndromes)
    }

    /// The received word modulo the generator, left-aligned as parity is.
    fn divide_received(&self, data: &[u8], parity: &[u8], remainder: &mut [u8]) {
        self.encode(data, remainder);
        assert_eq!(parity.len(), remainder.len(), "parity area of the wrong size");
        for (byte, received) in remainder.iter_mut().zip(parity) {
            *byte ^= received;
        }
        if let Some(last) = remainder.last_mut() {
            *last &= !self.unused_parity_mask();
        }
    }
}

/// Inverts the bits at the given bit indices of a word, data first, then parity.
pub fn flip_bits(data: &mut [u8], parity: &mut [u8], locations: &[u16]) {
    for &location in locations {
        let (byte, mask) = (usize::from(location / 8), 0x80 >> (location % 8));
        match byte.checked_sub(data.len()) {
            None => data[byte] ^= mask,
            Some(parity_byte) => parity[parity_byte] ^= mask,
        }
    }
}

/// The odd powers of α that each parity bit adds to the odd syndromes.
#[derive(Clone, Debug)]
pub(super) struct OddPowers {
    t: usize,
    /// Entry `k * t + j` is α^(d (2j+1)), where d is the power of parity bit `k`.
    powers: Vec<u16>,
}

impl OddPowers {
    pub(super) fn new(field: &crate::gf::Field, t: u32, parity_bits: u32) -> Self {
        let odd = (1..2 * t).step_by(2);
        let powers = (0..parity_bits)
            .rev()
            .flat_map(|d| odd.clone().map(move |j| field.exp_reduced(u64::from(d) * u64::from(j))))
            .collect();
        Self { t: t as usize, powers }
    }

    #[inline]
    fn of_parity_bit(&self, bit: usize) -> &[u16] {
        &self.powers[bit * self.t..][..self.t]
    }
}
