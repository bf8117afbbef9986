//! Large tables of which single entries change all over.
//!
//! A processor that has its memory for itself has flat tables (`table.rs`). Where memory comes in pages when it is first used, as
//! on the computer that simulates a drive of a terabyte, a flat table takes a page for each entry that changes alone; so a large
//! one takes memory around changed entries there. Machines of 32-bit addresses cannot hold so large a table, and have only flat ones.

use core::ops::Range;
use sparse::{Clones, Words};

use super::table::Table;

/// Tables of more entries than these take memory around changed ones alone.
const MOST_FLAT: usize = 1 << 24;

/// A table of entries that start as zero, and of which single ones change all over it.
// A drive has one, so what the smaller form leaves unused is of no account.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(super) enum Scattered {
    Flat(Table),
    /// Too large to be flat.
    Sparse(Words),
}

impl Scattered {
    /// So many zeroes.
    pub fn new(entries: usize) -> Self {
        if entries > MOST_FLAT {
            Scattered::Sparse(Words::new(entries as u64))
        } else {
            Scattered::Flat(Table::new(entries))
        }
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> u32 {
        match self {
            Scattered::Flat(table) => table[at],
            Scattered::Sparse(words) => words.get(at as u64),
        }
    }

    #[inline(always)]
    pub fn set(&mut self, at: usize, entry: u32) {
        match self {
            Scattered::Flat(table) => table[at] = entry,
            Scattered::Sparse(words) => words.set(at as u64, entry),
        }
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        match self {
            Scattered::Flat(table) => table.clear(),
            Scattered::Sparse(words) => words.clear(),
        }
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        match self {
            Scattered::Flat(table) => table.set_clones(are),
            Scattered::Sparse(words) => words.set_clones(are),
        }
    }

    /// Keeps the first entries only, in a flat table from now on.
    pub fn truncate(&mut self, entries: usize) {
        let all = match self {
            Scattered::Flat(table) => table.len(),
            Scattered::Sparse(words) => words.count() as usize,
        };
        let mut kept = Table::new(entries.min(all));
        (0..kept.len()).for_each(|at| kept[at] = self.get(at));
        *self = Scattered::Flat(kept);
    }

    /// Entries side by side, to be changed.
    ///
    /// # Panics
    /// If the table is not flat, as those are that [`Scattered::truncate`] has left.
    pub fn flat(&mut self, range: Range<usize>) -> &mut [u32] {
        match self {
            Scattered::Flat(table) => table.flat(range),
            Scattered::Sparse(_) => panic!("parts of a map are in a flat table"),
        }
    }
}

impl Default for Scattered {
    fn default() -> Self {
        Scattered::Flat(Table::default())
    }
}

#[cfg(feature = "state")]
impl Scattered {
    /// Writes whether the table is flat or sparse; then all entries of a flat table, or the place and the value of each entry of a sparse
    /// table that is not zero, and 2^64 - 1.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn put(&self, to: &mut impl borsh::io::Write) -> borsh::io::Result<()> {
        use borsh::BorshSerialize;
        match self {
            Scattered::Flat(table) => {
                false.serialize(to)?;
                table.put(to)
            }
            Scattered::Sparse(words) => {
                true.serialize(to)?;
                let mut written = Ok(());
                words.each(|at, entry| {
                    if written.is_ok() {
                        written = (at, entry).serialize(to);
                    }
                });
                written?;
                u64::MAX.serialize(to)
            }
        }
    }

    /// Reads a table of so many entries.
    ///
    /// # Errors
    /// Errors of the reader, and an error when the table has another number of entries.
    pub fn take(entries: usize, from: &mut impl borsh::io::Read) -> borsh::io::Result<Self> {
        use borsh::BorshDeserialize;
        if !bool::deserialize_reader(from)? {
            return Table::take(entries, from).map(Scattered::Flat);
        }
        let count = entries as u64;
        let mut words = Words::new(count);
        loop {
            let at = u64::deserialize_reader(from)?;
            if at == u64::MAX {
                return Ok(Scattered::Sparse(words));
            }
            contract::state::expect(at < count, "an entry that the map does not have")?;
            words.set(at, u32::deserialize_reader(from)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_too_large_to_be_flat_tells_the_same_as_a_flat_one() {
        for entries in [MOST_FLAT, MOST_FLAT + 1] {
            let mut table = Scattered::new(entries);
            assert_eq!(matches!(table, Scattered::Sparse(_)), entries > MOST_FLAT);
            for at in [0, 1, 5000, entries - 1] {
                table.set(at, at as u32 + 7);
            }
            let mut copy = table.clone();
            table.clear();
            assert_eq!((table.get(5000), copy.get(5000)), (0, 5007));
            assert_eq!((copy.get(entries - 1), copy.get(2)), (entries as u32 + 6, 0));
            copy.truncate(5001);
            assert_eq!(copy.flat(4999..5001), [0, 5007]);
        }
    }
}
