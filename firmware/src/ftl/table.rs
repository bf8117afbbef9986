//! Large tables of which most is zero.
//!
//! An allocator hands out zeroed memory that takes none until it is written to. A copy that writes only what is not zero
//! keeps that: copies of a drive that was just brought into a state cost what was written to it since.

use alloc::vec::Vec;
#[cfg(not(target_pointer_width = "64"))]
use core::ops::Range;

/// Entries that are looked at together: a page of memory.
const CHUNK: usize = 1024;

/// A table of entries that start as zero, side by side in memory.
#[derive(Debug)]
pub(super) struct Table(Vec<u32>);

impl Table {
    /// So many zeroes.
    pub fn new(entries: usize) -> Self {
        Table(alloc::vec![0; entries])
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

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Keeps the first entries only.
    pub fn truncate(&mut self, entries: usize) {
        self.0.truncate(entries);
        self.0.shrink_to_fit();
    }

    /// Entries side by side, to be changed.
    pub fn flat(&mut self, range: Range<usize>) -> &mut [u32] {
        &mut self.0[range]
    }
}

impl Clone for Table {
    fn clone(&self) -> Self {
        let mut copy = Table::new(self.0.len());
        for (to, from) in copy.0.chunks_mut(CHUNK).zip(self.0.chunks(CHUNK)) {
            if from.iter().any(|&entry| entry != 0) {
                to.copy_from_slice(from);
            }
        }
        copy
    }
}

#[cfg(feature = "state")]
impl borsh::BorshSerialize for Table {
    fn serialize<W: borsh::io::Write>(&self, writer: &mut W) -> borsh::io::Result<()> {
        contract::state::put_words(&self.0, writer)
    }
}

#[cfg(feature = "state")]
impl borsh::BorshDeserialize for Table {
    fn deserialize_reader<R: borsh::io::Read>(reader: &mut R) -> borsh::io::Result<Self> {
        contract::state::take_words(reader).map(Table)
    }
}

impl core::ops::Deref for Table {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl core::ops::DerefMut for Table {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_every_entry_and_one_of_its_own() {
        for entries in [1, CHUNK, 5 * CHUNK + 7] {
            let mut table = Table::new(entries);
            for at in [0, CHUNK - 1, 3 * CHUNK, entries - 1] {
                if at < entries {
                    table[at] = at as u32 + 1;
                }
            }
            let copy = table.clone();
            assert_eq!(copy[..], table[..]);
            table[0] = 0;
            assert_eq!(copy[0], 1);
        }
    }
}
