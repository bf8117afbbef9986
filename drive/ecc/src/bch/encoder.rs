//! Systematic encoder: division by the generator polynomial, eight bytes at a time.

use super::generator::Generator;
use alloc::boxed::Box;
use alloc::vec;

/// The longest parity that an encoder computes, in bits.
pub const MAX_PARITY_BITS: u32 = 40 * u64::BITS;

/// The division circuit of a code.
///
/// The register is kept left-aligned: the coefficient of the highest power of the remainder is
/// the top bit of word 0, and bits below the parity are zero. A register may therefore be wider
/// than the parity, and a few widths serve all codes with loops unrolled by the compiler.
#[derive(Clone, Debug)]
pub(super) enum Encoder {
    W1(Divider<1>),
    W2(Divider<2>),
    W3(Divider<3>),
    W4(Divider<4>),
    W8(Divider<8>),
    W16(Divider<16>),
    W32(Divider<32>),
    W40(Divider<40>),
}

impl Encoder {
    /// Builds the tables for a generator of at most [`MAX_PARITY_BITS`].
    pub(super) fn new(generator: &Generator) -> Self {
        match generator.degree().div_ceil(u64::BITS) {
            1 => Self::W1(Divider::new(generator)),
            2 => Self::W2(Divider::new(generator)),
            3 => Self::W3(Divider::new(generator)),
            4 => Self::W4(Divider::new(generator)),
            5..=8 => Self::W8(Divider::new(generator)),
            9..=16 => Self::W16(Divider::new(generator)),
            17..=32 => Self::W32(Divider::new(generator)),
            33..=40 => Self::W40(Divider::new(generator)),
            words => panic!("parity of {words} words exceeds {MAX_PARITY_BITS} bits"),
        }
    }

    /// Writes the remainder of data(x) x^p divided by the generator of degree p. Bits of the last
    /// byte below the remainder become zero.
    pub(super) fn encode(&self, data: &[u8], parity: &mut [u8]) {
        match self {
            Self::W1(divider) => divider.encode(data, parity),
            Self::W2(divider) => divider.encode(data, parity),
            Self::W3(divider) => divider.encode(data, parity),
            Self::W4(divider) => divider.encode(data, parity),
            Self::W8(divider) => divider.encode(data, parity),
            Self::W16(divider) => divider.encode(data, parity),
            Self::W32(divider) => divider.encode(data, parity),
            Self::W40(divider) => divider.encode(data, parity),
        }
    }
}

/// Bytes taken in one step.
const STEP: usize = size_of::<u64>();
/// Byte values a table of one byte position holds.
const VALUES: usize = 256;

/// A register of `W` words and its tables.
#[derive(Clone, Debug)]
pub(super) struct Divider<const W: usize> {
    /// Row `position * 256 + byte` is what a byte that leaves the register at `position` of a
    /// step adds to the register at the end of that step: byte(x) x^(8 (7 - position)) x^p mod g.
    rows: Box<[[u64; W]; STEP * VALUES]>,
}

impl<const W: usize> Divider<W> {
    fn new(generator: &Generator) -> Self {
        let feedback = left_aligned::<W>(generator);
        let rows = vec![[0; W]; STEP * VALUES].into_boxed_slice();
        let mut divider = Self { rows: rows.try_into().expect("one row for each byte value") };
        for byte in 0..VALUES {
            let mut register = [0; W];
            register[0] = (byte as u64) << (u64::BITS - u8::BITS);
            for _ in 0..u8::BITS {
                let leaving = register[0] >> (u64::BITS - 1);
                shift_left(&mut register, 1);
                if leaving == 1 {
                    add(&mut register, &feedback);
                }
            }
            divider.rows[(STEP - 1) * VALUES + byte] = register;
        }
        for row in (0..(STEP - 1) * VALUES).rev() {
            let mut register = divider.rows[row + VALUES];
            divider.shift_in(&mut register, 0);
            divider.rows[row] = register;
        }
        divider
    }

    #[inline]
    fn encode(&self, data: &[u8], parity: &mut [u8]) {
        let register = self.divide(data);
        for (bytes, word) in parity.chunks_mut(size_of::<u64>()).zip(register) {
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
    }

    #[inline]
    fn divide(&self, data: &[u8]) -> [u64; W] {
        let mut register = [0; W];
        let (odd_bytes, steps) = data.split_at(data.len() % STEP);
        for &byte in odd_bytes {
            self.shift_in(&mut register, byte);
        }
        for bytes in steps.chunks_exact(STEP) {
            let word = u64::from_be_bytes(bytes.try_into().expect("a whole step"));
            let leaving = (register[0] ^ word).to_be_bytes();
            register.copy_within(1.., 0);
            register[W - 1] = 0;
            for (position, byte) in leaving.into_iter().enumerate() {
                add(&mut register, &self.rows[position * VALUES + usize::from(byte)]);
            }
        }
        register
    }

    /// Advances the register by one byte of data.
    #[inline]
    fn shift_in(&self, register: &mut [u64; W], byte: u8) {
        let leaving = (register[0] >> (u64::BITS - u8::BITS)) as u8 ^ byte;
        shift_left(register, u8::BITS);
        add(register, &self.rows[(STEP - 1) * VALUES + usize::from(leaving)]);
    }
}

/// The generator without its leading term, the next coefficient in the top bit of word 0.
fn left_aligned<const W: usize>(generator: &Generator) -> [u64; W] {
    let mut words = [0; W];
    let below_leading = generator.coefficients().iter().rev().skip(1);
    for (bit, _) in below_leading.enumerate().filter(|(_, &set)| set) {
        words[bit / 64] |= 1 << (63 - bit % 64);
    }
    words
}

#[inline]
fn add<const W: usize>(register: &mut [u64; W], row: &[u64; W]) {
    for (word, addend) in register.iter_mut().zip(row) {
        *word ^= addend;
    }
}

/// Shifts by 1 to 63 bits towards the highest power.
#[inline]
fn shift_left<const W: usize>(register: &mut [u64; W], bits: u32) {
    for word in 0..W {
        let below = if word + 1 < W { register[word + 1] >> (u64::BITS - bits) } else { 0 };
        register[word] = register[word] << bits | below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gf::Field;
    use std::vec;
    use std::vec::Vec;

    /// Division a bit at a time, on booleans, highest power first.
    fn long_division(generator: &Generator, data: &[u8]) -> Vec<u8> {
        let parity_bits = generator.degree() as usize;
        let bit = |k: usize| data[k / 8] & (0x80 >> (k % 8)) != 0;
        let mut dividend: Vec<bool> = (0..data.len() * 8).map(bit).collect();
        dividend.resize(data.len() * 8 + parity_bits, false);
        for start in 0..data.len() * 8 {
            if dividend[start] {
                for (k, &set) in generator.coefficients().iter().rev().enumerate() {
                    dividend[start + k] ^= set;
                }
            }
        }
        let mut parity = vec![0; parity_bits.div_ceil(8)];
        for (k, _) in dividend[data.len() * 8..].iter().enumerate().filter(|(_, &set)| set) {
            parity[k / 8] |= 0x80 >> (k % 8);
        }
        parity
    }

    #[test]
    fn every_register_width_divides_as_long_division_does() {
        // (field degree, t): 4, 10, 64, 65, 156, 255, 312, 644, 1290 and 2488 parity bits and more.
        for (degree, t) in [
            (4, 1),
            (5, 2),
            (8, 8),
            (13, 5),
            (12, 13),
            (15, 17),
            (13, 24),
            (14, 46),
            (15, 86),
            (16, 156),
        ] {
            let generator = Generator::new(&Field::new(degree).unwrap(), t);
            let encoder = Encoder::new(&generator);
            for length in [1, 7, 8, 9, 31] {
                let data: Vec<u8> = (0..length).map(|i| (i * 151 + 77) as u8).collect();
                let expected = long_division(&generator, &data);
                let mut parity = vec![0xff; expected.len()];
                encoder.encode(&data, &mut parity);
                assert_eq!(parity, expected, "m = {degree}, t = {t}, {length} bytes");
            }
        }
    }
}
