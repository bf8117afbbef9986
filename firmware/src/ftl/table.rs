//! Large tables of words, most of which are zero.
//!
//! An allocator hands out zeroed memory that takes none until it is written to. Clones of a drive that was brought into a state
//! can have a table in common until they write to it.

use core::ops::Range;

/// A table of words that start as zero, side by side in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Table(sparse::Table<u32>);

impl Table {
    /// So many zeroes.
    pub fn new(entries: usize) -> Self {
        Table(sparse::Table::new(entries, 0))
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Entries side by side, to be changed. The table shares nothing.
    pub fn flat(&mut self, range: Range<usize>) -> &mut [u32] {
        self.0.slice_mut(range)
    }
}

/// What a table is asked for that another machine might keep in another form (`scattered.rs`).
#[cfg(not(target_pointer_width = "64"))]
impl Table {
    #[inline]
    pub fn get(&self, at: usize) -> u32 {
        self.0[at]
    }

    #[inline]
    pub fn set(&mut self, at: usize, entry: u32) {
        self.0[at] = entry;
    }

    /// Keeps the first entries only.
    pub fn truncate(&mut self, entries: usize) {
        self.0 = self.0.slice(0..entries.min(self.0.len())).to_vec().into();
    }
}

#[cfg(feature = "state")]
impl Table {
    /// Writes all entries.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn put(&self, to: &mut impl borsh::io::Write) -> borsh::io::Result<()> {
        contract::state::put_words(self.0.len(), self.0.parts(), to)
    }

    /// Reads a table of so many entries.
    ///
    /// # Errors
    /// Errors of the reader, and an error when the table has another number of entries.
    pub fn take(entries: usize, from: &mut impl borsh::io::Read) -> borsh::io::Result<Self> {
        let words = contract::state::take_words(entries, from)?;
        contract::state::expect(words.len() == entries, "a table of another size")?;
        Ok(Table(words.into()))
    }
}

impl core::ops::Deref for Table {
    type Target = sparse::Table<u32>;

    #[inline(always)]
    fn deref(&self) -> &sparse::Table<u32> {
        &self.0
    }
}

impl core::ops::DerefMut for Table {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut sparse::Table<u32> {
        &mut self.0
    }
}
