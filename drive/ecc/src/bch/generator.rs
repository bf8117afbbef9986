//! The generator polynomial of a binary BCH code.

use crate::gf::Field;
use alloc::vec;
use alloc::vec::Vec;

/// The generator polynomial: the polynomial over GF(2) of the least degree that has
/// α, α^2, … α^2t as roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    /// Entry `k` is the coefficient of x^k; the last entry is true.
    coefficients: Vec<bool>,
}

impl Generator {
    /// Builds the generator polynomial for `t` correctable bits over `field`. `t` is at least 1
    /// and 2t lies below the order of the field.
    pub fn new(field: &Field, t: u32) -> Self {
        assert!(t >= 1 && 2 * t < field.order(), "no BCH code with t = {t} over this field");
        let mut product = vec![1u16];
        for leader in coset_leaders(field.degree(), t) {
            for conjugate in coset(field.degree(), leader) {
                multiply_by_root(field, &mut product, field.exp(conjugate));
            }
        }
        let coefficients = product
            .into_iter()
            .map(|coefficient| {
                assert!(coefficient <= 1, "conjugate roots leave a binary polynomial");
                coefficient == 1
            })
            .collect();
        Self { coefficients }
    }

    /// The degree, which is the number of parity bits.
    pub fn degree(&self) -> u32 {
        self.coefficients.len() as u32 - 1
    }

    /// The coefficients, that of x^k at index `k`, up to the leading one.
    pub fn coefficients(&self) -> &[bool] {
        &self.coefficients
    }
}

/// The degree of the generator polynomial, found without building the field. 2t lies below 2^m.
pub(super) fn generator_degree(field_degree: u32, t: u32) -> u32 {
    coset_leaders(field_degree, t).map(|leader| coset(field_degree, leader).count() as u32).sum()
}

/// The least exponents of the conjugacy classes that α, α^3, … α^(2t-1) lie in. The even powers
/// are conjugates of these.
fn coset_leaders(field_degree: u32, t: u32) -> impl Iterator<Item = u32> {
    (1..2 * t)
        .step_by(2)
        .filter(move |&leader| coset(field_degree, leader).all(|exponent| exponent >= leader))
}

/// The exponents of the conjugates of α^`leader`: `leader` doubled modulo 2^m - 1 until it returns.
fn coset(field_degree: u32, leader: u32) -> impl Iterator<Item = u32> {
    let order = (1 << field_degree) - 1;
    core::iter::successors(Some(leader), move |&exponent| {
        let next = exponent * 2 % order;
        (next != leader).then_some(next)
    })
}

/// Multiplies a polynomial, lowest power first, by (x + `root`).
fn multiply_by_root(field: &Field, polynomial: &mut Vec<u16>, root: u16) {
    polynomial.push(0);
    for power in (0..polynomial.len()).rev() {
        let lower = if power == 0 { 0 } else { polynomial[power - 1] };
        polynomial[power] = lower ^ field.mul(polynomial[power], root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(field: &Field, generator: &Generator, exponent: u32) -> u16 {
        let mut sum = 0;
        for (power, _) in generator.coefficients().iter().enumerate().filter(|(_, &set)| set) {
            sum ^= field.exp_reduced(power as u64 * u64::from(exponent));
        }
        sum
    }

    /// Lin and Costello, Error Control Coding, Appendix C: (n, k, t) and g(x) in octal.
    const TEXTBOOK: [(u32, u32, u32, u64); 15] = [
        (15, 11, 1, 0o23),
        (15, 7, 2, 0o721),
        (15, 5, 3, 0o2467),
        (31, 26, 1, 0o45),
        (31, 21, 2, 0o3551),
        (31, 16, 3, 0o107657),
        (31, 11, 5, 0o5423325),
        (63, 51, 2, 0o12471),
        (63, 45, 3, 0o1701317),
        (63, 39, 4, 0o166623567),
        (127, 113, 2, 0o41567),
        (127, 106, 3, 0o11554743),
        (255, 247, 1, 0o435),
        (255, 239, 2, 0o267543),
        (255, 231, 3, 0o156720665),
    ];

    #[test]
    fn small_codes_have_the_generators_of_the_textbook() {
        for (n, k, t, expected) in TEXTBOOK {
            let field_degree = (n + 1).ilog2();
            let generator = Generator::new(&Field::new(field_degree).unwrap(), t);
            let found = generator
                .coefficients()
                .iter()
                .rev()
                .fold(0u64, |bits, &set| bits << 1 | u64::from(set));
            assert_eq!(found, expected, "({n}, {k}) found {found:o}");
            assert_eq!(generator.degree(), n - k);
            assert_eq!(generator_degree(field_degree, t), n - k);
        }
    }

    #[test]
    fn default_code_has_degree_156_and_exactly_the_designed_consecutive_roots() {
        let field = Field::new(12).unwrap();
        let generator = Generator::new(&field, 13);
        assert_eq!(generator.degree(), 156);
        for exponent in 1..=26 {
            assert_eq!(evaluate(&field, &generator, exponent), 0, "α^{exponent}");
        }
        for exponent in [0, 27] {
            assert_ne!(evaluate(&field, &generator, exponent), 0, "α^{exponent}");
        }
    }
}
