//! After a power loss: how far each chunk is written, read from its pages.
//!
//! A page of which nothing can be read closes its chunk in front of it ([`look`](crate::placed::look)). Ways are looked at side by side.

use alloc::vec;
use alloc::vec::Vec;
use contract::{BufferId, Hardware};
use nvme::open_channel::ChunkState;

use super::address::Addresses;
use super::Chunks;
use crate::operations::{Ended, Page};
use crate::placed::look::{Look, Seen};
use crate::placed::Ports;

/// A way, and what is known of the block of it that is looked at.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Way {
    block: u32,
    look: Look,
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
        Way { block, look: Look::new(pages), erases: 0, reading: None }
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
            let Some(page) = page.filter(|_| !self.placed.free.is_empty()) else { continue };
            way.reading = Some(page);
            self.placed.probe(ports, Page { die, row: way.block * scan.pages + page });
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
                if let Some(page) = way.look.next(pages) {
                    return Some(page);
                }
                let written = match way.look.last {
                    None => (0, ChunkState::Free),
                    Some((last, Seen::Torn)) => (last, ChunkState::Closed),
                    Some((last, _)) if last + 1 == pages || way.look.is_torn => {
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
        self.placed.free.push(entry);
        let metadata = hw.metadata(entry);
        let Some(scan) = &mut self.scan else { return };
        let way = &mut scan.ways[page.die as usize];
        let nth = way.reading.take().expect("a page of the way is read");
        self.placed.counters.marks_read += 1;
        let seen = Seen::of(ended, metadata);
        way.erases = way.erases.max(metadata.map_or(0, |own| own.sequence as u32));
        way.look.take(nth, seen);
    }
}
