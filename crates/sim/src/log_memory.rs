//! Buffer memory for pages of the drive's log, which are bytes whatever the payload is; and what the spare
//! areas of pages say that are in the buffer or leave it.

use std::ops::Range;

use contract::{BufferId, Configuration, Lpn, Metadata};
use nand::{PageMut, PageRef, Spare};

use crate::memory::{BufferMemory, Extent};

/// Entries for pages of the log, and metadata of all entries.
#[derive(Debug)]
pub(crate) struct LogMemory {
    entries: Range<u32>,
    page_bytes: usize,
    bytes: Vec<u8>,
    /// By entry; empty where the drive keeps no log.
    metadata: Vec<Option<Metadata>>,
}

impl LogMemory {
    /// Memory of `entries`, all zero.
    pub fn new(config: &Configuration, entries: Range<u32>) -> Self {
        let page_bytes = config.geometry.page_bytes as usize;
        let described = if entries.is_empty() { 0 } else { entries.end };
        LogMemory {
            bytes: vec![0; entries.len() * page_bytes],
            entries,
            page_bytes,
            metadata: vec![None; described as usize],
        }
    }

    /// What the spare area of the page in an entry says, or is to say.
    pub fn metadata(&self, entry: BufferId) -> Option<Metadata> {
        self.metadata.get(entry.0 as usize).copied().flatten()
    }

    /// Sets it.
    #[inline]
    pub fn set_metadata(&mut self, entry: BufferId, metadata: Option<Metadata>) {
        if let Some(slot) = self.metadata.get_mut(entry.0 as usize) {
            *slot = metadata;
        }
    }

    /// The bytes of an entry, if it is one for pages of the log.
    pub fn page_mut(&mut self, entry: BufferId) -> Option<&mut [u8]> {
        let nth = self.place(entry)?;
        Some(&mut self.bytes[nth..nth + self.page_bytes])
    }

    /// An entry to be programmed, with what its spare area is to say.
    #[inline]
    pub fn outgoing<'a>(
        &'a self,
        buffer: &'a BufferMemory,
        (entry, lpn): (BufferId, Lpn),
    ) -> (Spare, PageRef<'a>) {
        let page = match self.place(entry) {
            Some(nth) => PageRef::Log(&self.bytes[nth..nth + self.page_bytes]),
            None => buffer.page(entry),
        };
        (Spare { lpn, metadata: self.metadata(entry) }, page)
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
