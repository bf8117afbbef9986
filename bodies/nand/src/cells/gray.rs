//! Which bits the levels of a cell stand for.

/// Most bits of a cell: SLC, MLC, TLC and QLC have one to four.
pub(super) const MOST_BITS: usize = 4;
/// Most levels of a cell.
pub(super) const MOST_LEVELS: usize = 1 << MOST_BITS;

/// A reflected Gray code: levels next to each other differ in the bit of one page. Erased cells are ones in all pages. Page 0 is
/// the lower one, which halves the levels; each further page has twice as many references.
///
/// A *word* is the bits of a cell in all pages of its word line, page 0 in bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GrayCode {
    bits: u32,
    word_of: [u8; MOST_LEVELS],
    level_of: [u8; MOST_LEVELS],
}

impl GrayCode {
    /// The code of cells of so many bits, 1 to [`MOST_BITS`].
    pub fn new(bits: u32) -> Self {
        assert!((1..=MOST_BITS as u32).contains(&bits), "{bits} bits of a cell");
        let (mut word_of, mut level_of) = ([0; MOST_LEVELS], [0; MOST_LEVELS]);
        for level in 0..1u8 << bits {
            let reflected = level ^ level >> 1;
            let bit = |page: u32| u8::from(reflected >> (bits - 1 - page) & 1 == 0) << page;
            let word: u8 = (0..bits).map(bit).sum();
            word_of[usize::from(level)] = word;
            level_of[usize::from(word)] = level;
        }
        Self { bits, word_of, level_of }
    }

    /// Bits of a cell, which are the pages of a word line.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Levels of a cell.
    pub fn levels(&self) -> usize {
        1 << self.bits
    }

    /// The level of a word.
    #[inline]
    pub fn level(&self, word: u8) -> usize {
        usize::from(self.level_of[usize::from(word)])
    }

    /// A level's bit in a page.
    pub fn bit(&self, level: usize, page: u32) -> bool {
        self.word_of[level] >> page & 1 == 1
    }

    /// The references that a page is read at, each by the level below it.
    pub fn references(&self, page: u32) -> impl Iterator<Item = usize> + '_ {
        let differ = move |&below: &usize| self.bit(below, page) != self.bit(below + 1, page);
        (0..self.levels() - 1).filter(differ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_mlc_are_11_01_00_10_with_the_upper_page_first() {
        let code = GrayCode::new(2);
        let words: Vec<String> = (0..4)
            .map(|level| [1, 0].map(|page| u8::from(code.bit(level, page)).to_string()).concat())
            .collect();
        assert_eq!(words, ["11", "01", "00", "10"]);
        assert_eq!(code.references(0).collect::<Vec<_>>(), [1], "one for the lower page");
        assert_eq!(code.references(1).collect::<Vec<_>>(), [0, 2], "two for the upper page");
    }

    #[test]
    fn neighbours_differ_in_one_page_and_erased_cells_are_ones() {
        for bits in 1..=MOST_BITS as u32 {
            let code = GrayCode::new(bits);
            assert!((0..bits).all(|page| code.bit(0, page)), "{bits} bits: level 0");
            for level in 0..code.levels() {
                assert_eq!(code.level(code.word_of[level]), level, "{bits} bits");
            }
            for below in 0..code.levels() - 1 {
                let pages = (0..bits).filter(|&page| code.references(page).any(|at| at == below));
                assert_eq!(pages.count(), 1, "{bits} bits: levels {below} and {}", below + 1);
            }
            for page in 0..bits {
                assert_eq!(code.references(page).count(), 1 << page, "{bits} bits, page {page}");
            }
        }
    }
}
