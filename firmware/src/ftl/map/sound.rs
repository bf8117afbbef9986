//! The map of a drive in a snapshot.

use borsh::io::{Read, Result, Write};
use contract::state::{expect, Sound};

use super::{Map, Scattered, Table};

impl Map {
    /// Writes both tables.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn put_tables(&self, to: &mut impl Write) -> Result<()> {
        self.to_physical.put(to)?;
        self.to_logical.put(to)
    }

    /// Reads them into a map that is sound. `new` is that of a new drive of the same board.
    ///
    /// # Errors
    /// Those of the reader, and when they are none of such a map.
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
