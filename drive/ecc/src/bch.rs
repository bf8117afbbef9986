//! Binary BCH codec.
//!
//! The code is systematic and shortened to the chunk. Decoding has the steps of a hardware engine,
//! each callable alone: [`Bch::syndromes`], [`ErrorLocator::solve`] (the key equation solver that
//! channels share in Cosmos+ section 5), [`ChienSearch::search`] and [`flip_bits`].

mod chien;
mod decoder;
mod encoder;
mod generator;
mod key_equation;

pub use chien::ChienSearch;
pub use decoder::{flip_bits, Decoded, Scratch};
pub use encoder::MAX_PARITY_BITS;
pub use generator::Generator;
pub use key_equation::ErrorLocator;

use crate::gf::Field;
use core::fmt;
use decoder::OddPowers;
use encoder::Encoder;

/// What a board chooses about its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BchParams {
    /// Data bytes of a chunk.
    pub chunk_bytes: usize,
    /// Bits of a chunk, parity included, that can be corrected.
    pub t: u32,
}

impl Default for BchParams {
    /// 13 bits in 256 bytes (Cosmos+ section 5), which gives m = 12 and 156 parity bits.
    fn default() -> Self {
        Self { chunk_bytes: 256, t: 13 }
    }
}

/// A BCH code with its tables. It is not changed by use, so one serves any number of channels.
#[derive(Clone, Debug)]
pub struct Bch {
    params: BchParams,
    field: Field,
    generator: Generator,
    encoder: Encoder,
    odd_powers: OddPowers,
}

/// Why a code cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BchError {
    /// A chunk of no bytes.
    EmptyChunk,
    /// A code that corrects nothing.
    ZeroStrength,
    /// Data and parity exceed the longest code, 2^16 - 1 bits.
    TooLong {
        /// The parameters that were asked for.
        params: BchParams,
    },
    /// More parity than [`MAX_PARITY_BITS`].
    TooMuchParity {
        /// The parameters that were asked for.
        params: BchParams,
        /// Parity bits that they need.
        parity_bits: u32,
    },
}

impl Bch {
    /// Builds the code of the smallest field that holds a chunk and its parity.
    pub fn new(params: BchParams) -> Result<Self, BchError> {
        if params.chunk_bytes == 0 {
            return Err(BchError::EmptyChunk);
        }
        if params.t == 0 {
            return Err(BchError::ZeroStrength);
        }
        let dimensions = Dimensions::smallest(params).ok_or(BchError::TooLong { params })?;
        let Dimensions { field_degree, parity_bits } = dimensions;
        if parity_bits > MAX_PARITY_BITS {
            return Err(BchError::TooMuchParity { params, parity_bits });
        }
        let field = Field::new(field_degree).expect("chosen among the supported degrees");
        let generator = Generator::new(&field, params.t);
        let encoder = Encoder::new(&generator);
        let odd_powers = OddPowers::new(&field, params.t, parity_bits);
        Ok(Self { params, field, generator, encoder, odd_powers })
    }

    /// The parameters the code was built from.
    pub fn params(&self) -> BchParams {
        self.params
    }

    /// The field that the code is built over.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The generator polynomial.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// Parity bits of a chunk: the degree of the generator, at most m t.
    pub fn parity_bits(&self) -> u32 {
        self.generator.degree()
    }

    /// Parity bytes of a chunk: the parity bits rounded up.
    pub fn parity_bytes(&self) -> usize {
        self.parity_bits().div_ceil(u8::BITS) as usize
    }

    /// The low bits of the last parity byte that carry no parity.
    pub(crate) fn unused_parity_mask(&self) -> u8 {
        let unused = self.parity_bytes() as u32 * u8::BITS - self.parity_bits();
        ((1u16 << unused) - 1) as u8
    }

    /// Writes the parity of a chunk. `data` holds 1 to `chunk_bytes` bytes; fewer are encoded as
    /// if zeros stood before them. `parity` holds [`Bch::parity_bytes`] bytes. Parity bit `k` is
    /// the coefficient of x^(p-1-k), p being the number of parity bits; the unused low bits of the
    /// last byte are written as zero.
    pub fn encode(&self, data: &[u8], parity: &mut [u8]) {
        assert!(!data.is_empty() && data.len() <= self.params.chunk_bytes, "chunk of wrong size");
        assert_eq!(parity.len(), self.parity_bytes(), "parity area of the wrong size");
        self.encoder.encode(data, parity);
    }
}

/// The size of a code.
struct Dimensions {
    field_degree: u32,
    parity_bits: u32,
}

impl Dimensions {
    /// The dimensions of a code over the smallest field that fits, if any does.
    fn smallest(params: BchParams) -> Option<Self> {
        let data_bits = params.chunk_bytes.checked_mul(u8::BITS as usize)?;
        Field::DEGREES.into_iter().find_map(|field_degree| {
            let order = (1u32 << field_degree) - 1;
            if params.t > order / 2 || data_bits >= order as usize {
                return None;
            }
            let parity_bits = generator::generator_degree(field_degree, params.t);
            (data_bits + parity_bits as usize <= order as usize)
                .then_some(Self { field_degree, parity_bits })
        })
    }
}

impl fmt::Display for BchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyChunk => write!(f, "chunk_bytes: found 0, expected at least 1"),
            Self::ZeroStrength => write!(f, "t: found 0, expected at least 1"),
            Self::TooLong { params: BchParams { chunk_bytes, t } } => write!(
                f,
                "chunk_bytes, t: found {chunk_bytes} and {t}, expected chunk and parity to fit \
                 in 65535 bits"
            ),
            Self::TooMuchParity { params: BchParams { chunk_bytes, t }, parity_bits } => write!(
                f,
                "chunk_bytes, t: found {chunk_bytes} and {t}, which need {parity_bits} parity \
                 bits, expected at most {MAX_PARITY_BITS}"
            ),
        }
    }
}

impl core::error::Error for BchError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;

    #[test]
    fn the_smallest_field_that_fits_is_chosen() {
        // (chunk bytes, t, m, parity bits)
        for (chunk_bytes, t, field_degree, parity_bits) in [
            (256, 13, 12, 156),
            (1, 1, 4, 4),
            (2, 3, 5, 15),
            (2, 4, 6, 24),
            (29, 2, 8, 16),
            (30, 2, 9, 18),
            (512, 24, 13, 312),
            (1024, 46, 14, 644),
            (1024, 45, 14, 630),
            (2048, 83, 15, 1245),
            (2048, 86, 15, 1290),
            (4094, 1, 15, 15),
            (4096, 156, 16, 2488),
            (8189, 1, 16, 16),
        ] {
            let code = Bch::new(BchParams { chunk_bytes, t }).unwrap();
            assert_eq!(code.field().degree(), field_degree, "{chunk_bytes} bytes, t = {t}");
            assert_eq!(code.parity_bits(), parity_bits, "{chunk_bytes} bytes, t = {t}");
        }
    }

    #[test]
    fn impossible_codes_are_refused_with_one_line() {
        for (chunk_bytes, t, expected) in [
            (0, 13, "chunk_bytes: found 0, expected at least 1"),
            (256, 0, "t: found 0, expected at least 1"),
            (8190, 1, "found 8190 and 1, expected chunk and parity to fit in 65535 bits"),
            (usize::MAX, 1, "expected chunk and parity to fit in 65535 bits"),
            (256, u32::MAX, "expected chunk and parity to fit in 65535 bits"),
            (1024, 200, "parity bits, expected at most 2560"),
        ] {
            let message = Bch::new(BchParams { chunk_bytes, t }).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
            assert!(!message.contains('\n'));
        }
    }

    #[test]
    fn a_single_data_bit_has_the_generator_as_its_code_word() {
        // x^p mod g is g without its leading term: (31, 21) 3551 octal, (31, 16) 107657 octal.
        for (chunk, t, expected) in
            [(&[1u8][..], 2, [0xda, 0x40]), (&[0, 1], 3, (0o7657u16 << 1).to_be_bytes())]
        {
            let code = Bch::new(BchParams { chunk_bytes: chunk.len(), t }).unwrap();
            let mut parity = vec![0xff; code.parity_bytes()];
            code.encode(chunk, &mut parity);
            assert_eq!(parity, expected, "t = {t}");
        }
    }
}
