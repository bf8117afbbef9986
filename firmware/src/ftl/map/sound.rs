//! The map of a drive in a snapshot.

use borsh::io::{Read, Result, Write};
use contract::state::{expect, Sound};

use super::{Map, Scattered, Table};

impl Map {
    /// Writes both tables.
    ///
    /// # Errors
    /// Errors of the writer.
    pub(crate) fn put_tables(&self, to: &mut impl Write) -> Result<()> {
        self.to_physical.put(to)?;
        self.to_logical.put(to)
    }

    /// Reads both tables into a map that is sound. `new` is the map of a new drive of the same board.
    ///
    /// # Errors
    /// Errors of the reader, and an error when the tables are of no such map.
    pub(crate) fn take_tables(&mut self, new: &Self, from: &mut impl Read) -> Result<()> {
        let kept = self.paged.as_ref().map_or(self.pages as usize, |paged| paged.kept());
        self.to_physical = Scattered::take(kept.min(self.pages as usize), from)?;
        self.to_logical = Table::take(new.to_logical.len(), from)?;
        Ok(())
    }
}

impl Sound for Map {
    fn sound(&self, new: &Self) -> Result<()> {
        let sizes = |map: &Self| (map.pages, map.units, map.rows_per_way);
        expect(sizes(self) == sizes(new), "the map of another drive")?;
        expect(self.mapped <= self.pages, "a map of more pages than the drive has")?;
        match &self.paged {
            Some(paged) => paged.sound(self.pages, new.to_logical.len()),
            None => Ok(()),
        }
    }
}
