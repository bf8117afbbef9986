//! Pages that are moved with their metadata at once.

use contract::Metadata;

use super::Array;
use crate::{PageMut, PageRef, Prior, Transferred, Worked};

impl<P: Prior> Array<P> {
    /// Moves the page register, which holds `row`, through descrambler and ECC into `into`. An
    /// erased page gives zeroes. Of an uncorrectable page the blocks with wrong bits are
    /// [`Stamp::CORRUPT`], or the bytes as they came.
    ///
    /// # Panics
    /// If `row` was not read on this die, or if the die was programmed or erased since.
    pub fn transfer(&mut self, die: u32, row: u32, into: PageMut<'_>) -> Transferred {
        self.transfer_part(die, row, (0, into))
    }

    /// The same for a part of the page, from byte `offset` of its data on: as much as there is room for.
    /// Only the chunks of the part are decoded. If it is not the whole page it comes without metadata.
    ///
    /// # Panics
    /// As [`Array::transfer`], or if the part ends behind the page. Parts are whole chunks and blocks.
    pub fn transfer_part(&mut self, die: u32, row: u32, part: (u32, PageMut<'_>)) -> Transferred {
        let mut metadata = None;
        self.transfer_to((die, row), part, &mut metadata).with(metadata)
    }

    /// Programs a page with data and metadata. If it fails, or the chip hangs, the
    /// page is undefined: uncorrectable and without metadata until the block is erased. So it is before the last of the passes in
    /// which chips program it.
    ///
    /// # Panics
    /// If the page is not erased, a higher page of the block was programmed, or the block is bad
    /// from the factory.
    pub fn program(
        &mut self,
        die: u32,
        row: u32,
        metadata: impl Into<Metadata>,
        page: PageRef<'_>,
    ) -> Worked {
        self.program_from(die, row, &metadata.into(), page)
    }
}
