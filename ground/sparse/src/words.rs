//! A table of words that start as zero, and that takes memory around those alone that were set.
//!
//! Words are in groups of 32, and groups in stretches of 32. A stretch knows which of its groups were set in, and a group
//! which of its words were set, by a bit each; what is there stands side by side in one pool. A word that was set far from any
//! other takes 8 bytes, and so does each stretch. A table that was set all over takes little more than a flat one if that was done
//! in order, less than half as much more if at random, and somewhat more than twice as much at worst. Reading a word takes one
//! load if nothing was set near it, three at most.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::Clones;

/// Binary logarithm of the words of a group, and of the groups of a stretch.
const SHIFT: u32 = 5;
/// Words of a group, groups of a stretch.
const EACH: u32 = 1 << SHIFT;
/// A group with more words than this has room for all of them, each at its place.
const MOST_PACKED: u32 = EACH / 4;
/// Words that a group takes in the pool.
const OF_GROUP: u32 = 2;
/// Words of the largest array in the pool, and one more.
const SIZES: usize = (EACH * OF_GROUP) as usize + 1;

/// Which parts of a stretch or of a group are there, and where.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// A bit each.
    present: u32,
    /// Where their array is in the pool. The word itself where a group has one.
    at: u32,
}

impl Node {
    #[inline(always)]
    fn of([present, at]: [u32; 2]) -> Self {
        Node { present, at }
    }

    #[inline(always)]
    fn has(self, nth: u32) -> bool {
        self.present >> nth & 1 != 0
    }

    /// Parts that are there before one.
    #[inline(always)]
    fn rank(self, nth: u32) -> u32 {
        (self.present & ((1 << nth) - 1)).count_ones()
    }

    fn count(self) -> u32 {
        self.present.count_ones()
    }
}

/// Words that are zero until they are set, from 0 on.
#[derive(Clone, Debug)]
pub struct Words {
    /// A node each, as an array of words: an allocator that hands out zeroes has them at once.
    stretches: Vec<[u32; 2]>,
    /// Arrays of groups, and of words. The first word is none of them.
    pool: Vec<u32>,
    /// The first array that was given back, by its words; it begins with where the next one is. 0 for none.
    free: [u32; SIZES],
    count: u64,
    /// What a word is that is not there, if clones have that in common.
    below: Option<Arc<Words>>,
}

impl Words {
    /// So many zeroes.
    pub fn new(count: u64) -> Self {
        let stretches = count.div_ceil(u64::from(EACH * EACH)) as usize;
        let stretches = alloc::vec![[0; 2]; stretches];
        Words { stretches, pool: alloc::vec![0], free: [0; SIZES], count, below: None }
    }

    /// How many words there are, zeroes among them.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of memory that arrays take; stretches take eight each beside.
    pub fn pool_bytes(&self) -> usize {
        self.pool.len() * size_of::<u32>()
    }

    /// The word at a place.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn get(&self, place: u64) -> u32 {
        let Place { stretch, group, word } = Place::of(place);
        let node = Node::of(self.stretches[stretch]);
        if !node.has(group) {
            return self.get_below(place);
        }
        let node = self.group(node.at + OF_GROUP * node.rank(group));
        if !node.has(word) {
            return self.get_below(place);
        }
        match self.word_at(node, word) {
            None => node.at,
            Some(at) => self.pool[at as usize],
        }
    }

    /// Sets the word at a place.
    ///
    /// # Panics
    /// As [`Words::get`]; if the pool grows beyond 16 GiB.
    #[inline]
    pub fn set(&mut self, place: u64, value: u32) {
        let Place { stretch, group, word } = Place::of(place);
        let node = Node::of(self.stretches[stretch]);
        if node.has(group) {
            let own = node.at + OF_GROUP * node.rank(group);
            let node = self.group(own);
            if node.has(word) {
                let at = self.word_at(node, word).unwrap_or(own + 1);
                self.pool[at as usize] = value;
                return;
            }
        }
        if value != self.get_below(place) {
            self.insert(place, value);
        }
    }

    /// The word at a place that is not there.
    #[inline(always)]
    fn get_below(&self, place: u64) -> u32 {
        match &self.below {
            None => 0,
            Some(below) => below.get(place),
        }
    }

    /// Calls `visit` with place and value of each word that is not zero, in the order of their places.
    pub fn each(&self, mut visit: impl FnMut(u64, u32)) {
        let Some(below) = &self.below else {
            return self.each_own(|place, value| {
                if value != 0 {
                    visit(place, value);
                }
            });
        };
        let of_stretch = u64::from(EACH * EACH);
        let both = self.stretches.iter().zip(&below.stretches);
        for (first, _) in (0..)
            .step_by(of_stretch as usize)
            .zip(both)
            .filter(|(_, (&own, &below))| [own, below] != [[0; 2]; 2])
        {
            for place in first..self.count.min(first + of_stretch) {
                match self.get(place) {
                    0 => {}
                    value => visit(place, value),
                }
            }
        }
    }

    /// Clones have all words in common from now on, each until it sets one.
    pub fn share(&mut self) {
        let whole = self.take_whole();
        *self = Words { below: Some(Arc::new(whole)), ..Words::new(self.count) };
    }

    /// Shares nothing any more, if no clone is left that it could share with.
    pub fn unshare(&mut self) {
        if self.below.as_ref().is_some_and(|below| Arc::strong_count(below) == 1) {
            *self = self.take_whole();
        }
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        match are {
            Clones::Sharing => self.share(),
            Clones::Whole => self.unshare(),
        }
    }

    /// All words in a table that shares nothing. Zeroes are left here. Copies what others have too.
    fn take_whole(&mut self) -> Words {
        let mut own = core::mem::replace(self, Words::new(self.count));
        let Some(below) = own.below.take() else { return own };
        let mut whole = Arc::unwrap_or_clone(below);
        own.each_own(|place, value| whole.set(place, value));
        whole
    }

    /// The words that are there.
    fn each_own(&self, mut visit: impl FnMut(u64, u32)) {
        let parts = |node: Node| (0..EACH).filter(move |&nth| node.has(nth));
        for (first, &stretch) in (0..).step_by((EACH * EACH) as usize).zip(&self.stretches) {
            let stretch = Node::of(stretch);
            for group in parts(stretch) {
                let node = self.group(stretch.at + OF_GROUP * stretch.rank(group));
                for word in parts(node) {
                    let at = self.word_at(node, word);
                    let value = at.map_or(node.at, |at| self.pool[at as usize]);
                    visit(first + u64::from(group * EACH + word), value);
                }
            }
        }
    }

    /// Makes all words zero.
    pub fn clear(&mut self) {
        *self = Words::new(self.count);
    }

    #[inline(always)]
    fn group(&self, at: u32) -> Node {
        let words = &self.pool[at as usize..][..OF_GROUP as usize];
        Node { present: words[0], at: words[1] }
    }

    /// Where a word is that a group has; `None` if the group has it itself.
    #[inline(always)]
    fn word_at(&self, node: Node, word: u32) -> Option<u32> {
        match node.count() {
            1 => None,
            ..=MOST_PACKED => Some(node.at + node.rank(word)),
            _ => Some(node.at + word),
        }
    }

    /// Sets a word that is not there.
    #[inline(never)]
    fn insert(&mut self, place: u64, value: u32) {
        let Place { stretch, group, word } = Place::of(place);
        let node = Node::of(self.stretches[stretch]);
        let nth = node.rank(group);
        if !node.has(group) {
            let fresh = [1 << word, value];
            let at = self.widened((node.at, node.count()), nth, fresh);
            self.stretches[stretch] = [node.present | 1 << group, at];
            return;
        }
        let own = node.at + OF_GROUP * nth;
        let node = self.group(own);
        let count = node.count();
        let at = match count {
            1 => {
                let (nth, old) = (node.rank(word), node.at);
                let at = self.take(2);
                self.pool[(at + nth) as usize] = value;
                self.pool[(at + 1 - nth) as usize] = old;
                at
            }
            2..MOST_PACKED => self.widened((node.at, count), node.rank(word), [value]),
            MOST_PACKED => self.spread(node, (word, value)),
            _ => {
                self.pool[(node.at + word) as usize] = value;
                node.at
            }
        };
        self.pool[own as usize] = node.present | 1 << word;
        self.pool[own as usize + 1] = at;
    }

    /// Puts an item before the `nth` of an array of so many. Returns where the array is now.
    fn widened<const N: usize>(
        &mut self,
        (old, count): (u32, u32),
        nth: u32,
        item: [u32; N],
    ) -> u32 {
        let size = N as u32;
        let at = self.take((count + 1) * size);
        let (before, all) = ((nth * size) as usize, (count * size) as usize);
        let (from, to) = (old as usize, at as usize);
        self.pool.copy_within(from..from + before, to);
        self.pool[to + before..][..N].copy_from_slice(&item);
        self.pool.copy_within(from + before..from + all, to + before + N);
        self.give(old, count * size);
        at
    }

    /// Gives each word of a group its place, and sets one more.
    fn spread(&mut self, node: Node, (word, value): (u32, u32)) -> u32 {
        let at = self.take(EACH);
        self.pool[at as usize..][..EACH as usize].fill(0);
        for (nth, word) in (0..EACH).filter(|&word| node.has(word)).enumerate() {
            self.pool[(at + word) as usize] = self.pool[node.at as usize + nth];
        }
        self.pool[(at + word) as usize] = value;
        self.give(node.at, node.count());
        at
    }

    /// Memory for an array of so many words.
    fn take(&mut self, words: u32) -> u32 {
        let first = &mut self.free[words as usize];
        if *first != 0 {
            return core::mem::replace(first, self.pool[*first as usize]);
        }
        let at = self.pool.len();
        assert!(at <= (u32::MAX - words) as usize, "a table of less than 16 GiB");
        self.pool.resize(at + words as usize, 0);
        at as u32
    }

    /// An array is needed no more.
    fn give(&mut self, at: u32, words: u32) {
        if words > 0 {
            self.pool[at as usize] = core::mem::replace(&mut self.free[words as usize], at);
        }
    }
}

/// Where a word is.
#[derive(Clone, Copy)]
struct Place {
    stretch: usize,
    /// In its stretch.
    group: u32,
    /// In its group.
    word: u32,
}

impl Place {
    #[inline(always)]
    fn of(place: u64) -> Self {
        let low = place as u32;
        Place {
            stretch: (place >> (2 * SHIFT)) as usize,
            group: low >> SHIFT & (EACH - 1),
            word: low & (EACH - 1),
        }
    }
}

#[cfg(test)]
mod tests;
