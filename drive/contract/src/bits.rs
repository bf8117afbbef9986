//! Bit fields of packets, and of the registers of a body in hardware.

/// A field of a word. Of a register the word is always 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    word: usize,
    low: u32,
    bits: u32,
}

impl Field {
    /// `bits` bits from `low` on of a word.
    pub const fn new(word: usize, low: u32, bits: u32) -> Self {
        assert!(bits > 0 && low + bits <= u32::BITS, "a field lies in one word");
        Self { word, low, bits }
    }

    /// The largest value that it holds.
    pub const fn max(self) -> u32 {
        u32::MAX >> (u32::BITS - self.bits)
    }

    /// Its bits in its word.
    pub const fn mask(self) -> u32 {
        self.max() << self.low
    }

    /// Its value.
    ///
    /// # Panics
    /// If its word is not among these.
    pub const fn get(self, words: &[u32]) -> u32 {
        (words[self.word] >> self.low) & self.max()
    }

    /// Changes its value and nothing else.
    ///
    /// # Panics
    /// If its word is not among these, or the value has more bits than the field.
    pub const fn set(self, words: &mut [u32], value: u32) {
        assert!(value <= self.max(), "a value fits its field");
        words[self.word] = (words[self.word] & !self.mask()) | value << self.low;
    }
}

#[cfg(test)]
mod tests {
    use super::Field;

    #[test]
    fn a_field_changes_its_own_bits_only() {
        for (low, bits) in [(0, 1), (0, 32), (7, 3), (31, 1), (16, 16)] {
            for before in [0, u32::MAX] {
                let field = Field::new(1, low, bits);
                let mut words = [before; 3];
                field.set(&mut words, !before & field.max());
                assert_eq!(words, [before, before ^ field.mask(), before], "{low} {bits}");
                assert_eq!(field.get(&words), !before & field.max(), "{low} {bits}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "a value fits its field")]
    fn a_value_that_does_not_fit_is_a_bug() {
        Field::new(0, 4, 3).set(&mut [0], 8);
    }
}
