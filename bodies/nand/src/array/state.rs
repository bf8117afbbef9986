//! The state of all chips in a snapshot.

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

use super::{Array, Contents};
use crate::blocks::Blocks;

impl<P: BorshSerialize> Array<P> {
    /// Writes all that the chips' past has made of them. What follows from board, payload and seed is left out.
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// If the chips are in an image: what its file holds is one drive's.
    pub fn put_state(&self, to: &mut impl Write) -> Result<()> {
        let Array {
            dies,
            // Board, payload and seed decide this and what else is left out, but for room to work in.
            deviations: _,
            blocks,
            contents,
            wear,
            cells: _,
            wrong: _,
            wrong_per_million: _,
            failures: _,
            hung,
            timeout: _,
            strays,
            aging,
            logical_pages: _,
            units: _,
            programming: _,
            fold: _,
            flash_page_bytes: _,
            block_bytes: _,
            last_works,
            watched,
            image,
        } = self;
        assert!(image.is_none(), "chips in an image are no snapshot's");
        dies.serialize(to)?;
        blocks.serialize(to)?;
        blocks.put_tables(to)?;
        match contents {
            Contents::Stamps(pages) => pages.put_state(to)?,
            Contents::Bytes(pages) => pages.put_state(to)?,
        }
        wear.reached().serialize(to)?;
        hung.serialize(to)?;
        strays.serialize(to)?;
        aging.serialize(to)?;
        last_works.serialize(to)?;
        watched.serialize(to)
    }
}

impl<P: BorshDeserialize> Array<P> {
    /// Brings new chips of the same board, payload and seed into a state that [`Array::put_state`] has written.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such chips.
    pub fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        let dies = Vec::deserialize_reader(from)?;
        if dies.len() != self.dies.len() {
            return Err(Error::new(ErrorKind::InvalidData, "dies of another board"));
        }
        self.dies = dies;
        let mut blocks = Blocks::deserialize_reader(from)?;
        blocks.take_tables(&self.blocks, from)?;
        self.blocks = blocks;
        match &mut self.contents {
            Contents::Stamps(pages) => pages.take_state(from)?,
            Contents::Bytes(pages) => pages.take_state(from)?,
        }
        self.wear.reach_all(u32::deserialize_reader(from)?);
        self.hung = BorshDeserialize::deserialize_reader(from)?;
        self.strays = BorshDeserialize::deserialize_reader(from)?;
        self.aging = BorshDeserialize::deserialize_reader(from)?;
        self.last_works = BorshDeserialize::deserialize_reader(from)?;
        self.watched = BorshDeserialize::deserialize_reader(from)?;
        Ok(())
    }
}
