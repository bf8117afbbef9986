//! Between the chips and the buffer memory: where the mapping units of a page go and come from, pages of the drive's log,
//! which are bytes whatever the payload is, and what stands behind the data of each entry.

use std::ops::Range;

use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{expect, Sound};
use contract::{BufferId, Configuration, Metadata};
use nand::{PageMut, PageRef, Payload};

use crate::memory::{BufferMemory, Extent};
use crate::units::Units;

/// Entries for pages of the log, and metadata of all entries.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct LogMemory {
    entries: Range<u32>,
    page_bytes: usize,
    bytes: Vec<u8>,
    /// By entry.
    metadata: Vec<Option<Metadata>>,
    /// Die and row of what was read to each entry last.
    origins: Vec<(u32, u32)>,
    /// Where pages have several mapping units.
    units: Option<Units>,
}

impl Sound for LogMemory {
    fn sound(&self, new: &Self) -> borsh::io::Result<()> {
        let shape = |log: &Self| {
            let tables = (log.bytes.len(), log.metadata.len(), log.origins.len());
            (log.entries.clone(), log.page_bytes, tables, log.units.is_some())
        };
        expect(shape(self) == shape(new), "the log of another board")
    }
}

impl LogMemory {
    /// Memory of `entries`, all zero, behind the entries for host data.
    pub fn new(config: &Configuration, payload: Payload, entries: Range<u32>) -> Self {
        let page_bytes = config.geometry.page_bytes as usize;
        LogMemory {
            units: Units::new(config, payload, entries.start),
            bytes: vec![0; entries.len() * page_bytes],
            metadata: vec![None; entries.end as usize],
            origins: vec![(0, 0); entries.end as usize],
            entries,
            page_bytes,
        }
    }

    /// What stands behind the data of an entry.
    #[inline]
    pub fn metadata(&self, entry: BufferId) -> Option<&Metadata> {
        self.metadata[entry.0 as usize].as_ref()
    }

    /// Puts metadata behind the data of an entry.
    #[inline]
    pub fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        self.metadata[entry.0 as usize] = Some(metadata);
    }

    /// The bytes of an entry, if it is one for pages of the log.
    pub fn page_mut(&mut self, entry: BufferId) -> Option<&mut [u8]> {
        let nth = self.place(entry)?;
        Some(&mut self.bytes[nth..nth + self.page_bytes])
    }

    /// An entry to be programmed, with its metadata.
    ///
    /// # Panics
    /// If none were set.
    #[inline]
    pub fn outgoing<'a>(
        &'a mut self,
        buffer: &'a mut BufferMemory,
        entry: BufferId,
    ) -> (&'a Metadata, PageRef<'a>) {
        let metadata = self.metadata[entry.0 as usize].as_ref();
        let metadata = metadata.expect("metadata behind what is programmed");
        let page = match (self.place(entry), &mut self.units) {
            (Some(nth), _) => PageRef::Log(&self.bytes[nth..nth + self.page_bytes]),
            (None, None) => buffer.page(entry),
            (None, Some(units)) => units.gather(buffer, entry),
        };
        (metadata, page)
    }

    /// Where a page, or a part of one, is read to, and its metadata. [`LogMemory::arrived`] follows.
    #[inline]
    pub fn incoming<'a>(
        &'a mut self,
        buffer: &'a mut BufferMemory,
        to: Extent,
    ) -> (PageMut<'a>, &'a mut Option<Metadata>) {
        let page = match (self.place(to.entry), &mut self.units) {
            (Some(nth), _) => {
                let page = &mut self.bytes[nth..nth + self.page_bytes];
                PageMut::Log(&mut page[to.offset as usize..][..to.length as usize])
            }
            (None, None) => buffer.part_mut(to),
            (None, Some(units)) => units.part(to.part()),
        };
        (page, &mut self.metadata[to.entry.0 as usize])
    }

    /// Die and row of what was read to an entry last.
    pub fn origin(&self, entry: BufferId) -> (u32, u32) {
        self.origins[entry.0 as usize]
    }

    /// A page, or a part of one, was read from a row of a die.
    #[inline]
    pub fn arrived(&mut self, buffer: &mut BufferMemory, (to, from): (Extent, (u32, u32))) {
        self.origins[to.entry.0 as usize] = from;
        if self.place(to.entry).is_none() {
            if let Some(units) = &mut self.units {
                units.scatter(buffer, to);
            }
        }
    }

    /// Where the mapping units go or come from that the next request for an entry moves.
    pub fn set_units(&mut self, entry: BufferId, units: &[Option<BufferId>]) {
        if let Some(known) = &mut self.units {
            known.set(entry, units);
        }
    }

    fn place(&self, entry: BufferId) -> Option<usize> {
        self.entries
            .contains(&entry.0)
            .then(|| (entry.0 - self.entries.start) as usize * self.page_bytes)
    }
}
