//! A table of entries one by one, which copies can have in common until one of them writes to it.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut, Range};

use crate::parts::Parts;
use crate::Clones;

/// Binary logarithm of [`PART`].
const SHIFT: u32 = 10;
/// Entries that a copy takes for itself together: of words a page of memory.
pub const PART: usize = 1 << SHIFT;

/// Entries side by side, as [`Parts`] of 1,024 each.
#[derive(Clone, Debug)]
pub struct Table<T>(Parts<T>);

impl<T: Copy> Table<T> {
    /// So many times the same. Zeroes take no memory until they are changed.
    pub fn new(count: usize, entry: T) -> Self {
        Table::from(alloc::vec![entry; count])
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Entries side by side.
    ///
    /// # Panics
    /// If there are no such entries, or if some are shared and they do not lie between two multiples of 1,024.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> &[T] {
        #[cfg(target_pointer_width = "64")]
        if self.0.below.is_none() {
            return &self.0.own[range];
        }
        let (nth, start) = (range.start >> SHIFT, range.start & (PART - 1));
        self.0.part(nth, start..start + range.len())
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// As [`Table::slice`].
    #[inline]
    pub fn slice_mut(&mut self, range: Range<usize>) -> &mut [T] {
        #[cfg(target_pointer_width = "64")]
        if self.0.below.is_none() {
            return &mut self.0.own[range];
        }
        let (nth, start) = (range.start >> SHIFT, range.start & (PART - 1));
        self.0.part_mut(nth, start..start + range.len())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts().flatten()
    }

    /// All of them, by 1,024.
    pub fn parts(&self) -> impl Iterator<Item = &[T]> {
        self.0.iter()
    }

    /// All of them from now on, shared with nobody.
    pub fn fill(&mut self, entry: T) {
        *self = Table::new(self.len(), entry);
    }

    /// As [`Parts::share`].
    pub fn share(&mut self) {
        self.0.share();
    }

    /// As [`Parts::unshare`].
    pub fn unshare(&mut self) {
        self.0.unshare();
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        self.0.set_clones(are);
    }

    /// As [`Parts::own_bytes`].
    pub fn own_bytes(&self) -> usize {
        self.0.own_bytes()
    }
}

impl<T: Copy> Default for Table<T> {
    /// No entries.
    fn default() -> Self {
        Table::from(Vec::new())
    }
}

impl<T: Copy> From<Vec<T>> for Table<T> {
    fn from(entries: Vec<T>) -> Self {
        Table(Parts::new(PART, entries))
    }
}

impl<T: Copy> Index<usize> for Table<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        #[cfg(target_pointer_width = "64")]
        if self.0.below.is_some() {
            return self.shared(at);
        }
        &self.0.own[at]
    }
}

impl<T: Copy> IndexMut<usize> for Table<T> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        #[cfg(target_pointer_width = "64")]
        if self.0.below.is_some() {
            return self.shared_mut(at);
        }
        &mut self.0.own[at]
    }
}

/// Kept out of those who use the table, so that they stay as small as with a vector.
#[cfg(target_pointer_width = "64")]
impl<T: Copy> Table<T> {
    #[inline(never)]
    fn shared(&self, at: usize) -> &T {
        let within = at & (PART - 1);
        &self.0.part(at >> SHIFT, within..within + 1)[0]
    }

    #[inline(never)]
    fn shared_mut(&mut self, at: usize) -> &mut T {
        let within = at & (PART - 1);
        &mut self.0.part_mut(at >> SHIFT, within..within + 1)[0]
    }
}

#[cfg(feature = "state")]
impl<T: Copy + borsh::BorshSerialize> borsh::BorshSerialize for Table<T> {
    fn serialize<W: borsh::io::Write>(&self, writer: &mut W) -> borsh::io::Result<()> {
        (self.len() as u32).serialize(writer)?;
        self.iter().try_for_each(|entry| entry.serialize(writer))
    }
}

#[cfg(feature = "state")]
impl<T: Copy + borsh::BorshDeserialize> borsh::BorshDeserialize for Table<T> {
    fn deserialize_reader<R: borsh::io::Read>(reader: &mut R) -> borsh::io::Result<Self> {
        Vec::deserialize_reader(reader).map(Table::from)
    }
}

#[cfg(test)]
mod tests;
