//! Chien search: the error positions as roots of the locator.

use crate::gf::Field;
use alloc::vec::Vec;

/// The registers of the search and the positions it has found.
#[derive(Clone, Debug)]
pub struct ChienSearch {
    /// Coefficients of the longest locator.
    most: usize,
    terms: Vec<Term>,
    /// The locator divided by the factors of the roots found so far, lowest power first.
    quotient: Vec<u16>,
    locations: Vec<u16>,
}

/// One term of the locator at the current position.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// Logarithm of the term's value.
    log: u32,
    /// What a step to the next position adds to the logarithm: the power of the term.
    step: u32,
}

impl ChienSearch {
    /// Prepares the registers for a code that corrects `t` bits.
    pub fn new(t: u32) -> Self {
        let coefficients = t as usize + 1;
        Self {
            most: coefficients,
            terms: Vec::with_capacity(coefficients),
            quotient: Vec::with_capacity(coefficients),
            locations: Vec::with_capacity(coefficients),
        }
    }

    /// Finds the errors of a word of `length_bits` bits, data and parity together, whose locator
    /// is `locator` (lowest power first, the last coefficient not zero). Returns their bit
    /// indices in ascending order, one for each degree of the locator, or `None` if the locator
    /// has fewer distinct roots within the word: then the word has more than t errors.
    ///
    /// Positions are tried as the bits travel, from the highest power down, as hardware does.
    /// Each root found is divided out, which leaves the rest of the search fewer terms, and the
    /// last root is read off; neither changes the result.
    pub fn search(&mut self, field: &Field, locator: &[u16], length_bits: u32) -> Option<&[u16]> {
        assert!(length_bits <= field.order(), "word longer than the code");
        assert!(locator.len() <= self.most, "locator of another code");
        self.locations.clear();
        self.quotient.clear();
        self.quotient.extend_from_slice(locator);
        let mut untried = length_bits;
        while self.quotient.len() > 1 {
            let power = if self.quotient.len() == 2 {
                self.last_root(field).filter(|&power| power < untried)?
            } else {
                self.next_root(field, untried)?
            };
            self.locations.push((length_bits - 1 - power) as u16);
            self.divide_out(field, power);
            untried = power;
        }
        Some(&self.locations)
    }

    /// The highest power d below `untried` for which α^-d is a root of the quotient.
    fn next_root(&mut self, field: &Field, untried: u32) -> Option<u32> {
        let order = field.order();
        let constant = self.quotient[0];
        self.terms.clear();
        // α^-(untried-1) is where the search goes on.
        let start = u64::from(order - untried.checked_sub(1)?);
        for (step, &coefficient) in (0..).zip(&self.quotient).skip(1) {
            if coefficient != 0 {
                let log = u64::from(field.log(coefficient)) + start * u64::from(step);
                self.terms.push(Term { log: (log % u64::from(order)) as u32, step });
            }
        }
        for power in (0..untried).rev() {
            let mut sum = constant;
            for term in &mut self.terms {
                sum ^= field.exp(term.log);
                let log = term.log + term.step;
                term.log = if log >= order { log - order } else { log };
            }
            if sum == 0 {
                return Some(power);
            }
        }
        None
    }

    /// The power of the only root of a quotient of degree one, if it has one.
    fn last_root(&self, field: &Field) -> Option<u32> {
        let (constant, linear) = (self.quotient[0], self.quotient[1]);
        if constant == 0 || linear == 0 {
            return None;
        }
        Some((field.log(linear) + field.order() - field.log(constant)) % field.order())
    }

    /// Divides the quotient by (1 + α^`power` x), one of its factors.
    fn divide_out(&mut self, field: &Field, power: u32) {
        let factor = field.exp(power);
        for k in 1..self.quotient.len() {
            self.quotient[k] ^= field.mul(factor, self.quotient[k - 1]);
        }
        let remainder = self.quotient.pop();
        debug_assert_eq!(remainder, Some(0), "a root's factor divides the locator");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    /// The product of (1 + α^d x) over the powers d.
    fn locator_of(field: &Field, powers: &[u32]) -> Vec<u16> {
        let mut locator = vec![1];
        for &power in powers {
            locator.push(0);
            for k in (1..locator.len()).rev() {
                locator[k] ^= field.mul(locator[k - 1], field.exp(power));
            }
        }
        locator
    }

    #[test]
    fn finds_exactly_the_roots_within_the_word_in_travelling_order() {
        let field = Field::new(12).unwrap();
        // (powers of the roots, bit indices in a word of 2204 bits)
        let cases: [(&[u32], Option<&[u16]>); 9] = [
            (&[], Some(&[])),
            (&[0], Some(&[2203])),
            (&[2203], Some(&[0])),
            (&[2204], None),
            (&[0, 2203], Some(&[0, 2203])),
            (&[7, 2000, 100, 2196], Some(&[7, 203, 2103, 2196])),
            (&[7, 2000, 2204], None),
            (&[7, 7], None),
            (&[9, 50, 50], None),
        ];
        let mut search = ChienSearch::new(4);
        for (powers, expected) in cases {
            let found = search.search(&field, &locator_of(&field, powers), 2204);
            assert_eq!(found, expected, "roots {powers:?}");
        }
    }

    #[test]
    fn an_irreducible_locator_has_no_positions() {
        let field = Field::new(5).unwrap();
        // x^2 + x + 1 has its roots in GF(4), which GF(32) does not contain.
        assert_eq!(ChienSearch::new(2).search(&field, &[1, 1, 1], 31), None);
    }
}
