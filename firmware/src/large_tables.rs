//! Tables that grow with the drive, of whichever layers.

use sparse::Clones;

use crate::flash_layers::FlashLayers;
use crate::memory::MemoryLayers;
use crate::placed::layers::PlacedLayers;

/// Layers with tables that grow with the drive.
pub trait LargeTables {
    /// States what clones are of them.
    fn set_clones(&mut self, _: Clones) {}

    /// Writes those of which most may be zero, which are no part of what Borsh writes: whoever reads them knows from the board
    /// how large they are, and takes memory for no more.
    ///
    /// # Errors
    /// The errors of the writer.
    #[cfg(feature = "state")]
    fn put_tables(&self, _: &mut impl borsh::io::Write) -> borsh::io::Result<()> {
        Ok(())
    }

    /// Reads them into layers that are sound. `new` are those of a new drive of the same board.
    ///
    /// # Errors
    /// The errors of the reader, and when they are none of such a drive.
    #[cfg(feature = "state")]
    fn take_tables(&mut self, _new: &Self, _: &mut impl borsh::io::Read) -> borsh::io::Result<()> {
        Ok(())
    }
}

impl<S> LargeTables for FlashLayers<S> {
    #[cfg(feature = "state")]
    fn put_tables(&self, to: &mut impl borsh::io::Write) -> borsh::io::Result<()> {
        self.ftl.translator.map.put_tables(to)
    }

    #[cfg(feature = "state")]
    fn take_tables(
        &mut self,
        new: &Self,
        from: &mut impl borsh::io::Read,
    ) -> borsh::io::Result<()> {
        self.ftl.translator.map.take_tables(&new.ftl.translator.map, from)
    }

    fn set_clones(&mut self, are: Clones) {
        self.ftl.set_clones(are);
    }
}

impl<L, S> LargeTables for PlacedLayers<L, S> {}

impl LargeTables for MemoryLayers {}
