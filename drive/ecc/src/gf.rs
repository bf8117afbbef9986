//! Arithmetic in the finite fields GF(2^m).

use alloc::boxed::Box;
use alloc::vec;
use core::fmt;

/// A field GF(2^m) with its logarithm tables.
///
/// An element is a `u16` whose bit `k` is the coefficient of α^k, where α is a root of the
/// field's primitive polynomial. Every element given to a method lies below 2^m.
#[derive(Clone, Debug)]
pub struct Field {
    degree: u32,
    /// α^i for i in 0..2n, twice the period, so that the sum of two logarithms needs no reduction.
    exp: Box<[u16]>,
    /// Logarithm of each element; the entry of zero is never read.
    log: Box<[u16]>,
}

/// A field degree outside [`Field::DEGREES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedDegree {
    /// The degree that was asked for.
    pub found: u32,
}

/// Primitive polynomials of degree 4 to 16, the leading term included: those with the fewest
/// terms (Lin and Costello, Error Control Coding, Table 2.7).
const PRIMITIVE: [u32; 13] =
    [0x13, 0x25, 0x43, 0x89, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443, 0x8003, 0x1100b];

impl Field {
    /// The degrees m that can be built.
    pub const DEGREES: core::ops::RangeInclusive<u32> = 4..=16;

    /// Builds the tables of GF(2^`degree`).
    pub fn new(degree: u32) -> Result<Self, UnsupportedDegree> {
        if !Self::DEGREES.contains(&degree) {
            return Err(UnsupportedDegree { found: degree });
        }
        let polynomial = PRIMITIVE[(degree - Self::DEGREES.start()) as usize];
        let order = (1usize << degree) - 1;
        let mut exp = vec![0; 2 * order].into_boxed_slice();
        let mut log = vec![0; order + 1].into_boxed_slice();
        let mut power = 1u32;
        for exponent in 0..order {
            exp[exponent] = power as u16;
            exp[exponent + order] = power as u16;
            log[power as usize] = exponent as u16;
            power <<= 1;
            if power >> degree != 0 {
                power ^= polynomial;
            }
        }
        Ok(Self { degree, exp, log })
    }

    /// The degree m.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The number of non-zero elements, 2^m - 1, which is the period of α.
    pub fn order(&self) -> u32 {
        (1 << self.degree) - 1
    }

    /// The primitive polynomial, bit `k` being the coefficient of x^k.
    pub fn primitive_polynomial(&self) -> u32 {
        PRIMITIVE[(self.degree - Self::DEGREES.start()) as usize]
    }

    /// α^`exponent`, for an exponent below twice the order.
    #[inline]
    pub fn exp(&self, exponent: u32) -> u16 {
        self.exp[exponent as usize]
    }

    /// α^`exponent` for any exponent.
    #[inline]
    pub fn exp_reduced(&self, exponent: u64) -> u16 {
        self.exp[(exponent % u64::from(self.order())) as usize]
    }

    /// The logarithm of a non-zero element to the base α, below the order.
    #[inline]
    pub fn log(&self, element: u16) -> u32 {
        debug_assert_ne!(element, 0, "zero has no logarithm");
        u32::from(self.log[usize::from(element)])
    }

    /// The product of two elements.
    #[inline]
    pub fn mul(&self, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.exp(self.log(a) + self.log(b))
    }

    /// The square of an element.
    #[inline]
    pub fn square(&self, a: u16) -> u16 {
        self.mul(a, a)
    }
}

impl fmt::Display for UnsupportedDegree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (Field::DEGREES.start(), Field::DEGREES.end());
        write!(f, "field degree m: found {}, expected {low} to {high}", self.found)
    }
}

impl core::error::Error for UnsupportedDegree {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;

    /// Multiplication by shift and reduce, without tables.
    fn long_multiplication(field: &Field, a: u16, b: u16) -> u16 {
        let (mut product, mut shifted) = (0, u32::from(a));
        for bit in 0..field.degree() {
            if b >> bit & 1 == 1 {
                product ^= shifted;
            }
            shifted <<= 1;
            if shifted >> field.degree() != 0 {
                shifted ^= field.primitive_polynomial();
            }
        }
        product as u16
    }

    #[test]
    fn alpha_generates_every_non_zero_element_once() {
        for degree in Field::DEGREES {
            let field = Field::new(degree).unwrap();
            let mut seen = vec![false; 1 << degree];
            for exponent in 0..field.order() {
                let element = field.exp(exponent);
                assert_eq!(field.log(element), exponent, "m = {degree}");
                assert!(!seen[usize::from(element)], "m = {degree}: α^{exponent} repeats");
                seen[usize::from(element)] = true;
            }
            assert!(!seen[0]);
        }
    }

    #[test]
    fn table_multiplication_equals_long_multiplication() {
        for degree in Field::DEGREES {
            let field = Field::new(degree).unwrap();
            let step = (field.order() as usize / 61).max(1);
            for a in (0..=field.order() as u16).step_by(step) {
                for b in (0..=field.order() as u16).step_by(step) {
                    assert_eq!(field.mul(a, b), long_multiplication(&field, a, b), "m = {degree}");
                }
            }
        }
    }

    #[test]
    fn degrees_outside_the_table_are_refused() {
        for found in [0, 3, 17, u32::MAX] {
            let error = Field::new(found).unwrap_err();
            assert_eq!(error, UnsupportedDegree { found });
            assert!(error.to_string().ends_with("expected 4 to 16"));
        }
    }
}
