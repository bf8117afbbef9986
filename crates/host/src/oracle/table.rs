//! The words of all LBAs.

use super::word::Word;

/// Words that share a bit of `changed`.
const GROUP_SHIFT: u32 = 10;
/// Words of a leaf: 128 bytes, so that an LBA that was changed alone takes no memory page.
const LEAF_SHIFT: u32 = 5;
/// Leaves for which memory is taken at a time: 1 MiB.
const CHUNK_SHIFT: u32 = 13;
/// Words of a chunk of leaves.
const CHUNK_WORDS: usize = 1 << (CHUNK_SHIFT + LEAF_SHIFT);

/// A word for each LBA, from 0. Those around an LBA that was changed have a leaf; the others are zero.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The leaf of each stretch of words, from 1 on; 0 where none was changed.
    leaves: Vec<u32>,
    /// The words of all leaves that there are, in the order in which the leaves came.
    chunks: Vec<Box<[u32]>>,
    /// How many there are.
    count: u32,
    /// A bit a group of words, set once one of them was changed. The leaves are spread over more
    /// memory than any cache holds; these bits spare a look at those that were never changed.
    changed: Vec<u64>,
}

impl Table {
    /// All words zero. They take memory as they are changed.
    pub(super) fn new(words: u64) -> Self {
        let groups = words.div_ceil(1 << GROUP_SHIFT);
        Table {
            leaves: vec![0; words.div_ceil(1 << LEAF_SHIFT) as usize],
            chunks: Vec::new(),
            count: 0,
            changed: vec![0; groups.div_ceil(64) as usize],
        }
    }

    #[inline]
    pub(super) fn get(&self, at: u64) -> Word {
        let group = at >> GROUP_SHIFT;
        if self.changed[(group / 64) as usize] >> (group % 64) & 1 == 0 {
            return Word::default();
        }
        match self.leaves[(at >> LEAF_SHIFT) as usize] {
            0 => Word::default(),
            leaf => {
                let (chunk, word) = place(leaf - 1, at);
                Word::from_bits(self.chunks[chunk][word])
            }
        }
    }

    #[inline]
    pub(super) fn set(&mut self, at: u64, word: Word) {
        let leaf = match self.leaves[(at >> LEAF_SHIFT) as usize] {
            0 => self.add_leaf(at),
            leaf => leaf,
        };
        let (chunk, nth) = place(leaf - 1, at);
        self.chunks[chunk][nth] = word.bits();
    }

    /// Calls `visit` with place and word of each that is not zero, in the order of their places.
    pub(super) fn each(&self, mut visit: impl FnMut(u64, Word)) {
        for (stretch, &leaf) in (0..).zip(&self.leaves).filter(|(_, &leaf)| leaf > 0) {
            let first: u64 = stretch << LEAF_SHIFT;
            let (chunk, nth) = place(leaf - 1, first);
            let words = &self.chunks[chunk][nth..][..1 << LEAF_SHIFT];
            let set = (first..).zip(words).filter(|(_, &word)| word != 0);
            set.for_each(|(at, &word)| visit(at, Word::from_bits(word)));
        }
    }

    /// Gives the words around one a leaf.
    fn add_leaf(&mut self, at: u64) -> u32 {
        let group = at >> GROUP_SHIFT;
        self.changed[(group / 64) as usize] |= 1 << (group % 64);
        if self.count >> CHUNK_SHIFT == self.chunks.len() as u32 {
            self.chunks.push(vec![0; CHUNK_WORDS].into());
        }
        self.count += 1;
        self.leaves[(at >> LEAF_SHIFT) as usize] = self.count;
        self.count
    }
}

/// Where the word of an LBA is: in which chunk, and where in it.
#[inline]
fn place(leaf: u32, at: u64) -> (usize, usize) {
    let in_leaf = at as usize & ((1 << LEAF_SHIFT) - 1);
    let in_chunk = leaf as usize & ((1 << CHUNK_SHIFT) - 1);
    ((leaf >> CHUNK_SHIFT) as usize, in_chunk << LEAF_SHIFT | in_leaf)
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
        for at in [1, 31, 32, 1022, 1025, 69_999, 199_998] {
            assert_eq!(table.get(at), Word::default());
        }
    }

    #[test]
    fn a_word_that_is_changed_alone_takes_a_leaf_and_leaves_fill_chunk_after_chunk() {
        let stretches = (1 << CHUNK_SHIFT) + 3;
        let mut table = Table::new(stretches << LEAF_SHIFT);
        // From the last to the first, so that leaves do not stand in the order of their words.
        for nth in (0..stretches).rev() {
            table.set((nth << LEAF_SHIFT) + nth % 32, Word::contended(nth as u32));
            table.set((nth << LEAF_SHIFT) + nth % 32, Word::contended(nth as u32 + 1));
        }
        assert_eq!((u64::from(table.count), table.chunks.len()), (stretches, 2));
        for nth in 0..stretches {
            let at = (nth << LEAF_SHIFT) + nth % 32;
            assert_eq!(table.get(at), Word::contended(nth as u32 + 1));
            assert_eq!(table.get(at ^ 1), Word::default());
        }
    }
}
