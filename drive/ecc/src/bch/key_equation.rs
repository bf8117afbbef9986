//! Key equation solver: inversionless Berlekamp-Massey for binary codes.

use crate::gf::Field;
use alloc::vec;
use alloc::vec::Vec;

/// The error locator polynomial of a received word, and the registers of its solver.
///
/// With errors at the powers d_1 … d_e of the code polynomial, the locator is a non-zero constant
/// times the product of (1 + α^(d_l) x). The constant comes from leaving out the divisions of the
/// algorithm, as hardware does; it does not move the roots.
#[derive(Clone, Debug)]
pub struct ErrorLocator {
    /// Λ, lowest power first, t + 1 entries.
    coefficients: Vec<u16>,
    /// x^k B: the locator before the last change of length, shifted. Powers above t fall out; a
    /// word in which they would count has a register length above t and is given up.
    shifted: Vec<u16>,
}

impl ErrorLocator {
    /// Prepares the registers for a code that corrects `t` bits, `t` at least 1.
    pub fn new(t: u32) -> Self {
        let registers = t as usize + 1;
        Self { coefficients: vec![0; registers], shifted: vec![0; registers] }
    }

    /// Solves the key equation for the syndromes S_1 … S_2t (`syndromes[j - 1]` is S_j) and
    /// returns the locator, lowest power first, its last coefficient not zero. `None` says that
    /// no error pattern of at most t bits has these syndromes.
    ///
    /// One iteration costs one odd syndrome, since in a binary code every second discrepancy of
    /// Berlekamp-Massey is zero. Iteration r computes, with register length L and the last
    /// discrepancy δ that changed it:
    ///
    /// ```text
    /// d  = sum over i in 0..=L of Λ_i S_(2r+1-i)
    /// Λ' = δ Λ + d τ
    /// if d is not 0 and L <= r:  τ' = x^2 Λ,  δ' = d,  L' = 2r + 1 - L
    /// otherwise:                 τ' = x^2 τ
    /// ```
    ///
    /// from Λ = 1, τ = x, δ = 1, L = 0.
    pub fn solve(&mut self, field: &Field, syndromes: &[u16]) -> Option<&[u16]> {
        let t = self.coefficients.len() - 1;
        assert_eq!(syndromes.len(), 2 * t, "syndromes of another code");
        self.reset();
        let mut scale = 1;
        let mut length = 0;
        for iteration in 0..t {
            let newest = 2 * iteration;
            let discrepancy = (0..=length)
                .fold(0, |sum, i| sum ^ field.mul(self.coefficients[i], syndromes[newest - i]));
            if discrepancy != 0 && length <= iteration {
                self.step(Update { field, scale, discrepancy, kept: Kept::Locator });
                scale = discrepancy;
                length = newest + 1 - length;
                if length > t {
                    return None;
                }
            } else {
                self.step(Update { field, scale, discrepancy, kept: Kept::Shifted });
            }
        }
        // τ has degree 2r + 1 - L, never L itself, so the top coefficient is never cancelled.
        debug_assert_ne!(self.coefficients[length], 0);
        Some(&self.coefficients[..=length])
    }

    fn reset(&mut self) {
        self.coefficients.fill(0);
        self.coefficients[0] = 1;
        self.shifted.fill(0);
        self.shifted[1] = 1;
    }

    /// Λ' = scale Λ + discrepancy τ, and τ' = x^2 times the polynomial that is kept.
    fn step(&mut self, update: Update) {
        let Update { field, scale, discrepancy, kept } = update;
        let registers = self.coefficients.len();
        for power in (0..registers).rev() {
            let (locator, shifted) = (self.coefficients[power], self.shifted[power]);
            self.coefficients[power] = field.mul(scale, locator) ^ field.mul(discrepancy, shifted);
            if power + 2 < registers {
                self.shifted[power + 2] = match kept {
                    Kept::Locator => locator,
                    Kept::Shifted => shifted,
                };
            }
        }
        self.shifted[..2].fill(0);
    }
}

/// One iteration's inputs.
struct Update<'a> {
    field: &'a Field,
    scale: u16,
    discrepancy: u16,
    kept: Kept,
}

/// The polynomial that the next iterations correct with.
#[derive(Clone, Copy)]
enum Kept {
    /// The locator before this iteration: its register becomes longer.
    Locator,
    /// The locator that was used so far.
    Shifted,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn syndromes_of(field: &Field, powers: &[u32], t: u32) -> Vec<u16> {
        let term = |power: u32, j: u32| field.exp_reduced(u64::from(power) * u64::from(j));
        (1..=2 * t).map(|j| powers.iter().fold(0, |sum, &power| sum ^ term(power, j))).collect()
    }

    #[test]
    fn locator_is_a_multiple_of_the_product_over_the_error_positions() {
        let field = Field::new(12).unwrap();
        let mut locator = ErrorLocator::new(13);
        let powers = [0, 1, 5, 44, 155, 156, 400, 987, 1024, 1500, 2047, 2201, 2203];
        for errors in 1..=powers.len() {
            let powers = &powers[..errors];
            let found = locator.solve(&field, &syndromes_of(&field, powers, 13)).unwrap();
            let mut expected = std::vec![found[0]];
            for &power in powers {
                expected.push(0);
                for k in (1..expected.len()).rev() {
                    expected[k] ^= field.mul(expected[k - 1], field.exp(power));
                }
            }
            assert_eq!(found, expected, "{errors} errors");
        }
    }

    #[test]
    fn syndromes_that_no_small_pattern_has_are_given_up() {
        let field = Field::new(5).unwrap();
        // S_1 = S_2 = 0 with S_3 not 0 needs three errors at least; t is 2.
        assert_eq!(ErrorLocator::new(2).solve(&field, &[0, 0, 7, 0]), None);
    }
}
