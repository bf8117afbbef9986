//! Buffer memory for pages of the drive's log, which are bytes whatever the payload is; and what stands behind
//! the data of each entry.

use std::ops::Range;

use contract::{BufferId, Configuration, Metadata};
use nand::{PageMut, PageRef};

use crate::memory::{BufferMemory, Extent};

/// Entries for pages of the log, and metadata of all entries.
#[derive(Debug)]
pub(crate) struct LogMemory {
    entries: Range<u32>,
    page_bytes: usize,
    bytes: Vec<u8>,
    /// By entry.
    metadata: Vec<Option<Metadata>>,
}

impl LogMemory {
    /// Memory of `entries`, all zero, behind the entries for host data.
    pub fn new(config: &Configuration, entries: Range<u32>) -> Self {
        let page_bytes = config.geometry.page_bytes as usize;
        LogMemory {
            bytes: vec![0; entries.len() * page_bytes],
            metadata: vec![None; entries.end as usize],
            entries,
            page_bytes,
        }
    }

    /// What stands behind the data of an entry.
    #[inline]
    pub fn metadata(&self, entry: BufferId) -> Option<Metadata> {
        self.metadata[entry.0 as usize]
    }

    /// Sets it.
    #[inline]
    pub fn set_metadata(&mut self, entry: BufferId, metadata: Option<Metadata>) {
        self.metadata[entry.0 as usize] = metadata;
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
        &'a self,
        buffer: &'a BufferMemory,
        entry: BufferId,
    ) -> (Metadata, PageRef<'a>) {
        let page = match self.place(entry) {
            Some(nth) => PageRef::Log(&self.bytes[nth..nth + self.page_bytes]),
            None => buffer.page(entry),
        };
        (self.metadata(entry).expect("metadata behind what is programmed"), page)
    }

    /// Where a page, or a part of one, is read to.
    #[inline]
    pub fn incoming<'a>(&'a mut self, buffer: &'a mut BufferMemory, to: Extent) -> PageMut<'a> {
        match self.place(to.entry) {
            Some(nth) => PageMut::Log(&mut self.bytes[nth..nth + self.page_bytes]),
            None => buffer.part_mut(to),
        }
    }

    fn place(&self, entry: BufferId) -> Option<usize> {
        self.entries
            .contains(&entry.0)
            .then(|| (entry.0 - self.entries.start) as usize * self.page_bytes)
    }
}
