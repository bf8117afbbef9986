//! The words of all LBAs.

use super::word::Word;

/// Words that share a bit of `changed`: a memory page's.
const GROUP_SHIFT: u32 = 10;

/// A word for each LBA, from 0.
#[derive(Debug)]
pub(super) struct Table {
    words: Vec<u32>,
    /// A bit a group of words, set once one of them was changed. The words are spread over more
    /// memory than any cache holds; these bits spare a look at those that were never changed.
    changed: Vec<u64>,
}

impl Table {
    /// All words zero. They take memory as they are changed.
    pub(super) fn new(words: u64) -> Self {
        let groups = words.div_ceil(1 << GROUP_SHIFT);
        Table { words: vec![0; words as usize], changed: vec![0; groups.div_ceil(64) as usize] }
    }

    #[inline]
    pub(super) fn get(&self, at: u64) -> Word {
        let group = at >> GROUP_SHIFT;
        if self.changed[(group / 64) as usize] >> (group % 64) & 1 == 0 {
            return Word::default();
        }
        Word::from_bits(self.words[at as usize])
    }

    #[inline]
    pub(super) fn set(&mut self, at: u64, word: Word) {
        let group = at >> GROUP_SHIFT;
        self.changed[(group / 64) as usize] |= 1 << (group % 64);
        self.words[at as usize] = word.bits();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_again_and_their_neighbours_stay_zero() {
        let mut table = Table::new(200_000);
        for at in [0, 1023, 1024, 70_000, 199_999] {
            assert_eq!(table.get(at), Word::default());
            table.set(at, Word::contended(at as u32));
        }
        for at in [0, 1023, 1024, 70_000, 199_999] {
            assert_eq!(table.get(at), Word::contended(at as u32));
        }
        for at in [1, 1022, 1025, 69_999, 199_998] {
            assert_eq!(table.get(at), Word::default());
        }
    }
}
