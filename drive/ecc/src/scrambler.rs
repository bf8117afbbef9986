//! The data scrambler: page bytes XORed with the output of an LFSR (Cosmos+ section 3.2, Figure 6).

use alloc::boxed::Box;
use core::fmt;

/// What a board chooses about its scrambler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScramblerParams {
    /// Feedback polynomial of degree 8, bit `k` being the coefficient of x^k. Primitive.
    pub polynomial: u16,
    /// How many low bits of the row address make the seed, 8 to 32. More than eight are folded:
    /// the bytes of the selected bits are XORed. With eight, rows that differ only above their
    /// low byte, such as the same page of two blocks of 256 pages, share a sequence.
    pub seed_bits: u32,
}

impl Default for ScramblerParams {
    /// x^8 + x^4 + x^3 + x^2 + 1, seeded with the low byte of the row address. The paper gives
    /// the width of the register, not its taps.
    fn default() -> Self {
        Self { polynomial: 0x11d, seed_bits: u8::BITS }
    }
}

/// Scrambles and descrambles page bytes.
///
/// The register is in Galois form: a step multiplies its state by x modulo the polynomial. The
/// byte at column 0 of a page is XORed with the seed itself; before each further byte the register
/// makes eight steps. Since 8 and 255 have no common factor, the bytes pass through all 255
/// non-zero states before they repeat. The spare area follows the data area in column order.
///
/// The register would stay at zero for ever. A row whose seed is zero, row 0 among them, starts
/// from 0xFF instead.
#[derive(Clone, Debug)]
pub struct Scrambler {
    seed_mask: u32,
    /// The sequence twice, so that a whole period from any phase is contiguous.
    sequence: Box<[u8; 2 * PERIOD]>,
    /// Where each state stands in the sequence; the entry of zero is that of its stand-in.
    phase: [u8; 256],
}

/// Why a scrambler cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScramblerError {
    /// The polynomial is not primitive of degree 8: the sequence would repeat early or die.
    NotPrimitive {
        /// The polynomial that was asked for.
        polynomial: u16,
    },
    /// The seed is narrower than the register or wider than a row address.
    SeedBits {
        /// The width that was asked for.
        found: u32,
    },
}

/// Bytes until the sequence repeats.
pub const PERIOD: usize = 255;

/// The state that a zero seed is replaced by.
const ZERO_SEED: u8 = 0xff;

impl Scrambler {
    /// Builds the table of the sequence.
    pub fn new(params: ScramblerParams) -> Result<Self, ScramblerError> {
        let ScramblerParams { polynomial, seed_bits } = params;
        if !(u8::BITS..=u32::BITS).contains(&seed_bits) {
            return Err(ScramblerError::SeedBits { found: seed_bits });
        }
        if polynomial >> 8 != 1 || period(polynomial) != Some(PERIOD) {
            return Err(ScramblerError::NotPrimitive { polynomial });
        }
        let mut sequence = Box::new([0; 2 * PERIOD]);
        let mut phase = [0; 256];
        let mut state = 1;
        for index in 0..PERIOD {
            sequence[index] = state;
            sequence[index + PERIOD] = state;
            phase[usize::from(state)] = index as u8;
            for _ in 0..u8::BITS {
                state = step(state, polynomial);
            }
        }
        phase[0] = phase[usize::from(ZERO_SEED)];
        Ok(Self { seed_mask: u32::MAX >> (u32::BITS - seed_bits), sequence, phase })
    }

    /// XORs `bytes`, which start at byte `column` of the page at row address `row`, with the
    /// row's sequence. Doing it twice gives the bytes back.
    pub fn apply(&self, row: u32, column: usize, bytes: &mut [u8]) {
        let seed = (row & self.seed_mask).to_le_bytes().into_iter().fold(0, |sum, byte| sum ^ byte);
        let phase = (usize::from(self.phase[usize::from(seed)]) + column % PERIOD) % PERIOD;
        let period = &self.sequence[phase..phase + PERIOD];
        for block in bytes.chunks_mut(PERIOD) {
            for (byte, mask) in block.iter_mut().zip(period) {
                *byte ^= mask;
            }
        }
    }
}

/// One step of the register.
fn step(state: u8, polynomial: u16) -> u8 {
    let shifted = u16::from(state) << 1;
    (if shifted >> 8 == 1 { shifted ^ polynomial } else { shifted }) as u8
}

/// Steps until the register is back at 1; `None` if it never is.
fn period(polynomial: u16) -> Option<usize> {
    let mut state = 1;
    (1..=PERIOD).find(|_| {
        state = step(state, polynomial);
        state == 1
    })
}

impl fmt::Display for ScramblerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPrimitive { polynomial } => write!(
                f,
                "scrambler polynomial: found {polynomial:#x}, expected a primitive one of degree \
                 8 such as 0x11d"
            ),
            Self::SeedBits { found } => {
                write!(f, "scrambler seed_bits: found {found}, expected 8 to 32")
            }
        }
    }
}

impl core::error::Error for ScramblerError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;
    use std::vec::Vec;

    const PAGE_BYTES: usize = 16384 + 1664;

    fn sequence_of(scrambler: &Scrambler, row: u32, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        scrambler.apply(row, 0, &mut bytes);
        bytes
    }

    #[test]
    fn sequence_is_the_register_stepped_a_bit_at_a_time() {
        let scrambler = Scrambler::new(ScramblerParams::default()).unwrap();
        for (row, seed) in [(1, 1), (0xa5, 0xa5), (0x1_00a5, 0xa5), (0, 0xff), (0x300, 0xff)] {
            let mut state: u8 = seed;
            for (column, byte) in sequence_of(&scrambler, row, 600).into_iter().enumerate() {
                assert_eq!(byte, state, "row {row:#x}, column {column}");
                for _ in 0..8 {
                    let carry = state & 0x80 != 0;
                    state <<= 1;
                    state ^= if carry { 0x1d } else { 0 };
                }
            }
        }
    }

    #[test]
    fn every_row_sequence_has_period_255_and_all_non_zero_bytes() {
        let scrambler = Scrambler::new(ScramblerParams::default()).unwrap();
        for row in 0..256 {
            let sequence = sequence_of(&scrambler, row, 2 * PERIOD);
            assert_eq!(sequence[..PERIOD], sequence[PERIOD..]);
            let mut once = sequence[..PERIOD].to_vec();
            once.sort_unstable();
            assert!(once.iter().copied().eq(1..=255), "row {row}");
        }
    }

    #[test]
    fn a_page_of_equal_bytes_becomes_balanced_in_every_bit() {
        let scrambler = Scrambler::new(ScramblerParams::default()).unwrap();
        for fill in [0x00, 0xff, 0x55] {
            for row in 0..256 {
                let mut page = vec![fill; PAGE_BYTES];
                scrambler.apply(row, 0, &mut page);
                for bit in 0..8 {
                    let ones = page.iter().filter(|&byte| byte >> bit & 1 == 1).count();
                    // A period is off by half a bit; the last, partial one by its length at most.
                    let deviation = ones.abs_diff(PAGE_BYTES / 2);
                    let allowed = PAGE_BYTES / PERIOD / 2 + 1 + PAGE_BYTES % PERIOD;
                    assert!(deviation <= allowed, "fill {fill:#x}, row {row}, bit {bit}: {ones}");
                }
            }
        }
    }

    #[test]
    fn twice_is_once_undone_and_parts_equal_the_whole() {
        let scrambler =
            Scrambler::new(ScramblerParams { seed_bits: 24, ..Default::default() }).unwrap();
        let page: Vec<u8> = (0..PAGE_BYTES).map(|i| (i * 37 + i / 251) as u8).collect();
        for row in [0, 1, 255, 256, 0x12_3456, u32::MAX] {
            let mut scrambled = page.clone();
            scrambler.apply(row, 0, &mut scrambled);
            assert_ne!(scrambled, page);
            let split = 16384;
            let (data, spare) = scrambled.split_at_mut(split);
            scrambler.apply(row, 0, data);
            scrambler.apply(row, split, spare);
            assert_eq!(scrambled, page, "row {row:#x}");
        }
    }

    #[test]
    fn folding_makes_rows_differ_by_their_high_bits() {
        let scrambler = |seed_bits| {
            Scrambler::new(ScramblerParams { seed_bits, ..Default::default() }).unwrap()
        };
        let same = |scrambler: &Scrambler| {
            sequence_of(scrambler, 0x0042, 8) == sequence_of(scrambler, 0x0142, 8)
        };
        assert!(same(&scrambler(8)));
        assert!(!same(&scrambler(9)));
        assert!(!same(&scrambler(32)));
    }

    #[test]
    fn exactly_the_sixteen_primitive_polynomials_are_taken() {
        let taken = (0..=u16::MAX)
            .filter(|&polynomial| {
                Scrambler::new(ScramblerParams { polynomial, seed_bits: 8 }).is_ok()
            })
            .count();
        assert_eq!(taken, 16);
    }

    #[test]
    fn bad_parameters_are_refused_with_one_line() {
        for (polynomial, seed_bits, expected) in [
            (0x11b, 8, "scrambler polynomial: found 0x11b, expected a primitive one of degree 8"),
            (0x11d, 7, "scrambler seed_bits: found 7, expected 8 to 32"),
            (0x11d, 33, "scrambler seed_bits: found 33, expected 8 to 32"),
        ] {
            let error = Scrambler::new(ScramblerParams { polynomial, seed_bits }).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }
}
