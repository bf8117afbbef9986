//! The memory of a firmware in a snapshot, and what of it is checked after it was read.
//!
//! A snapshot is of a drive at rest: no operation is under way, no command is with the firmware. So queues and chains are
//! empty, and what is left to check are the tables, which are as large as those of a new drive, and the lists through them.

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{expect, Sound};

use crate::ftl::Ftl;
use crate::{Firmware, FlashLayers, LargeTables, Power};

impl<L: LargeTables + Sound + BorshSerialize + BorshDeserialize> Firmware<L> {
    /// Writes the firmware's memory.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn put_state(&self, to: &mut impl Write) -> Result<()> {
        self.serialize(to)?;
        self.layers.put_tables(to)
    }

    /// Reads what [`Firmware::put_state`] has written, in place of the memory of a new firmware of the same board.
    ///
    /// # Errors
    /// Errors of the reader, and an error when the bytes are of no such firmware.
    pub fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        let mut read = Self::deserialize_reader(from)?;
        expect(read.power == Power::On, "a drive without power")?;
        expect(read.manager.under_way() == 0, "commands of a drive at rest")?;
        read.layers.sound(&self.layers)?;
        read.layers.take_tables(&self.layers, from)?;
        *self = read;
        Ok(())
    }
}

impl<S> Sound for FlashLayers<S> {
    fn sound(&self, new: &Self) -> Result<()> {
        let sizes = |layers: &Self| (layers.unit_bytes, layers.blocks);
        expect(sizes(self) == sizes(new), "a drive of another size")?;
        self.station.sound(&new.station)?;
        self.ftl.sound(&new.ftl)
    }
}

impl Sound for Ftl {
    fn sound(&self, new: &Self) -> Result<()> {
        let parts = |ftl: &Self| (ftl.log.is_some(), ftl.block_bytes());
        expect(parts(self) == parts(new), "an FTL of another board")?;
        self.buffer.sound(&new.buffer)?;
        self.translator.blocks.sound(&new.translator.blocks)?;
        self.translator.map.sound(&new.translator.map)
    }
}
