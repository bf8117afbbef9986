//! The words of all LBAs.

use super::word::Word;

/// Words that share a bit of `changed`: a memory page's.
const GROUP_SHIFT: u32 = 10;
/// Words that are reserved at a time, 64 MiB of addresses. They take memory as they are changed.
const CHUNK_SHIFT: u32 = 24;

/// A word for each LBA, from 0.
#[derive(Debug)]
pub(super) struct Table {
    chunks: Vec<Vec<u32>>,
    /// Words of a chunk.
    chunk_words: usize,
    /// A bit a group of words, set once one of them was changed. The words are spread over more
    /// memory than any cache holds; these bits spare a look at those that were never changed.
    changed: Vec<u64>,
}

impl Table {
    /// All words zero. They take memory as they are changed.
    pub(super) fn new(words: u64) -> Self {
        let groups = words.div_ceil(1 << GROUP_SHIFT);
        Table {
            chunks: vec![Vec::new(); words.div_ceil(1 << CHUNK_SHIFT) as usize],
            chunk_words: words.min(1 << CHUNK_SHIFT) as usize,
            changed: vec![0; groups.div_ceil(64) as usize],
        }
    }

    #[inline]
    pub(super) fn get(&self, at: u64) -> Word {
        let group = at >> GROUP_SHIFT;
        if self.changed[(group / 64) as usize] >> (group % 64) & 1 == 0 {
            return Word::default();
        }
        let within = at as usize & ((1 << CHUNK_SHIFT) - 1);
        Word::from_bits(self.chunks[(at >> CHUNK_SHIFT) as usize][within])
    }

    #[inline]
    pub(super) fn set(&mut self, at: u64, word: Word) {
        let group = at >> GROUP_SHIFT;
        self.changed[(group / 64) as usize] |= 1 << (group % 64);
        let chunk = &mut self.chunks[(at >> CHUNK_SHIFT) as usize];
        if chunk.is_empty() {
            *chunk = vec![0; self.chunk_words];
        }
        chunk[at as usize & ((1 << CHUNK_SHIFT) - 1)] = word.bits();
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
