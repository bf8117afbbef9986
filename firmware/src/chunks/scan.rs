//! After a power loss: how far each chunk is written, read from its pages.
//!
//! The pages of a block are programmed in order, so that those that hold something come first. Where its first page is
//! erased, a chunk is free. Else its last page is looked at, and if that is erased the last one that is not is found by
//! halving. A page of which nothing can be read, cut off by the power or by a failure, closes its chunk in front of it: the
//! flash takes nothing there until it is erased. Ways are looked at side by side.

use alloc::vec;
use alloc::vec::Vec;
use contract::{BufferId, Hardware, OperationStep};
use nvme::open_channel::ChunkState;

use super::address::Addresses;
use super::{Chunks, Ports};
use crate::operations::{Ended, Operation, Owner, Page, Task};

/// What a page was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Found {
    Erased,
    /// Something of which nothing can be read.
    Torn,
    /// A page that was written as a whole.
    Written,
}

/// A way, and what is known of the block of it that is looked at.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Way {
    block: u32,
    /// A page that is not erased, and what it holds; none before the first was looked at.
    last: Option<(u32, Found)>,
    /// The first page that is known to be erased.
    erased: u32,
    /// A page behind `last` is torn.
    is_torn: bool,
    /// Erases of the block, as its first page says.
    erases: u32,
    /// The page that is being read.
    reading: Option<u32>,
}

/// How far the look has come.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Scan {
    ways: Vec<Way>,
    blocks: u32,
    pages: u32,
}

impl Way {
    const fn at(block: u32, pages: u32) -> Self {
        Way { block, last: None, erased: pages, is_torn: false, erases: 0, reading: None }
    }

    /// The page to look at next; none if all is known.
    fn next(&self, pages: u32) -> Option<u32> {
        match self.last {
            _ if self.erased == 0 => None,
            None => Some(0),
            // A block whose first page is torn holds nothing.
            Some((0, Found::Torn)) => None,
            Some((0, _)) if self.erased == pages && pages > 1 => Some(pages - 1),
            Some((last, _)) if self.erased > last + 1 => Some((last + self.erased) / 2),
            Some((last, Found::Torn)) => Some(last - 1),
            Some(_) => None,
        }
    }

    /// Takes what a page was found to hold.
    fn take(&mut self, page: u32, found: Found) {
        match found {
            Found::Erased => self.erased = page,
            // In front of what is torn.
            _ if self.last.is_some_and(|(last, _)| page < last) => {
                (self.last, self.erased) = (Some((page, found)), page + 1);
                self.is_torn = true;
            }
            _ => self.last = Some((page, found)),
        }
    }
}

impl Scan {
    /// Of a drive that knows nothing but which blocks are bad from the factory.
    pub fn new(addresses: &Addresses) -> Self {
        let [_, _, blocks] = addresses.counts();
        let pages = addresses.pages();
        Scan { ways: vec![Way::at(0, pages); addresses.dies() as usize], blocks, pages }
    }
}

impl Chunks {
    /// Reads the next page of each way that is to be looked at. True when something was done.
    pub(super) fn look_for_pages(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(mut scan) = self.scan.take() else { return false };
        let (mut busy, mut left) = (false, false);
        for die in 0..self.addresses.dies() {
            let way = &mut scan.ways[die as usize];
            if way.reading.is_some() {
                left = true;
                continue;
            }
            let page = self.next_page(way, die, (scan.blocks, scan.pages));
            left |= page.is_some();
            let (Some(page), Some(&entry)) = (page, self.free.last()) else { continue };
            self.free.pop();
            way.reading = Some(page);
            let row = way.block * scan.pages + page;
            let task = Task::Probe { entry, retries: 0 };
            let op = Operation::flash(Owner::Drive, Page { die, row }, task);
            let id = ports.station.reserve(ports.hw, op);
            id.step(ports.hw, OperationStep::Released { by: None });
            ports.station.release(id);
            busy = true;
        }
        if left {
            self.scan = Some(scan);
        }
        busy | !left
    }

    /// The page of a way that is to be looked at next; blocks of which all is known are noted.
    fn next_page(&mut self, way: &mut Way, die: u32, (blocks, pages): (u32, u32)) -> Option<u32> {
        while way.block < blocks {
            let chunk = self.addresses.chunk_of(Page { die, row: way.block * pages });
            let is_offline = self.table.of(chunk).state == ChunkState::Offline;
            if !is_offline {
                if let Some(page) = way.next(pages) {
                    return Some(page);
                }
                let written = match way.last {
                    None => (0, ChunkState::Free),
                    Some((last, Found::Torn)) => (last, ChunkState::Closed),
                    Some((last, _)) if last + 1 == pages || way.is_torn => {
                        (last + 1, ChunkState::Closed)
                    }
                    Some((last, _)) => (last + 1, ChunkState::Open),
                };
                let (page_count, state) = written;
                let blocks = page_count * self.addresses.units();
                self.table.found(chunk, (blocks, state), way.erases);
            }
            *way = Way::at(way.block + 1, pages);
        }
        None
    }

    /// A page was read.
    pub(super) fn probed(
        &mut self,
        hw: &mut impl Hardware,
        (page, entry): (Page, BufferId),
        ended: Ended,
    ) {
        self.give_back(entry);
        let metadata = hw.metadata(entry);
        let Some(scan) = &mut self.scan else { return };
        let way = &mut scan.ways[page.die as usize];
        let nth = way.reading.take().expect("a page of the way is read");
        self.counters.marks_read += 1;
        let found = match (ended, &metadata) {
            (_, Some(_)) => Found::Written,
            (Ended::Well, None) => Found::Erased,
            (Ended::Failed(_), None) => Found::Torn,
        };
        way.erases = way.erases.max(metadata.map_or(0, |own| own.sequence as u32));
        way.take(nth, found);
    }
}
