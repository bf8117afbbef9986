//! Data of commands, scattered over host memory, and the PRPs that name it.

use host::Memory;
use nvme::command::DataPointer;
use rtl_sim::Random;

pub const PAGE: u64 = 4096;
const ENTRY: u64 = 8;
const ENTRIES: u64 = PAGE / ENTRY;

/// Pages of host memory that nobody uses.
pub struct Pages {
    free: Vec<u64>,
}

/// Pages of a command, and the bytes in them.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub pointer: DataPointer,
    /// Address and length of each piece of the data.
    pieces: Vec<(u64, u64)>,
    /// All pages: of data, then of lists.
    pages: Vec<u64>,
}

/// The form of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of data.
    pub length: u64,
    /// Of the data in its first page, a multiple of 4.
    pub offset: u64,
    /// Entry of its page that a list begins at.
    pub slot: u64,
}

impl Shape {
    /// Any that the specification allows.
    pub fn any(random: &mut Random, length: u64) -> Self {
        let offset = if random.percent(50) { 0 } else { 4 * random.below(PAGE / 4) };
        // Often at the end of a page, so that lists are chained.
        let slot = if random.percent(50) { 0 } else { ENTRIES - 1 - random.below(8) };
        Self { length, offset, slot }
    }

    pub fn plain(length: u64) -> Self {
        Self { length, offset: 0, slot: 0 }
    }
}

impl Pages {
    /// So many pages, in a random order. Memory has to have room for them.
    pub fn new(count: u64, memory: &mut Memory, random: &mut Random) -> Self {
        let base = memory.allocate(count * PAGE);
        let mut free: Vec<u64> = (0..count).map(|page| base + page * PAGE).collect();
        for last in (1..free.len()).rev() {
            free.swap(last, random.below(last as u64 + 1) as usize);
        }
        Self { free }
    }

    /// Pages that are left.
    pub fn left(&self) -> u64 {
        self.free.len() as u64
    }

    /// Takes a page.
    pub fn take(&mut self) -> u64 {
        self.free.pop().expect("tests take no more pages than there are")
    }

    /// Takes the pages of a buffer, and writes its lists.
    pub fn buffer(&mut self, shape: Shape, memory: &mut Memory) -> Buffer {
        let Shape { length, offset, slot } = shape;
        let count = (offset + length).div_ceil(PAGE);
        let mut pages: Vec<u64> = (0..count).map(|_| self.take()).collect();
        let mut left = length;
        let piece = |(nth, &page): (usize, &u64)| {
            let start = if nth == 0 { offset } else { 0 };
            let bytes = left.min(PAGE - start);
            left -= bytes;
            (page + start, bytes)
        };
        let pieces: Vec<(u64, u64)> = pages.iter().enumerate().map(piece).collect();
        let prp2 = match count {
            1 => 0,
            2 => pages[1],
            _ => {
                let (address, lists) = self.list(&pages[1..], slot, memory);
                pages.extend(lists);
                address
            }
        };
        Buffer { pointer: DataPointer { prp1: pages[0] + offset, prp2 }, pieces, pages }
    }

    /// Gives the pages of a buffer back.
    pub fn release(&mut self, buffer: Buffer) {
        // The oldest are used again last, as late accesses would tell.
        self.free.splice(0..0, buffer.pages);
    }

    /// Writes a list from an entry of a page on; its address and its pages.
    fn list(&mut self, entries: &[u64], slot: u64, memory: &mut Memory) -> (u64, Vec<u64>) {
        let mut pages = vec![self.take()];
        let start = pages[0] + slot * ENTRY;
        let mut at = start;
        for (nth, entry) in entries.iter().enumerate() {
            if at % PAGE == PAGE - ENTRY && nth + 1 < entries.len() {
                let next = self.take();
                pages.push(next);
                write_entry(memory, at, next);
                at = next;
            }
            write_entry(memory, at, *entry);
            at += ENTRY;
        }
        (start, pages)
    }
}

/// Writes a PRP entry.
pub fn write_entry(memory: &mut Memory, at: u64, entry: u64) {
    memory.at_mut(at, ENTRY as usize).copy_from_slice(&entry.to_le_bytes());
}

impl Buffer {
    /// What is in it.
    pub fn bytes(&self, memory: &Memory) -> Vec<u8> {
        let piece = |&(at, bytes): &(u64, u64)| memory.at(at, bytes as usize).to_vec();
        self.pieces.iter().flat_map(piece).collect()
    }

    /// Writes bytes into its pieces in host memory, from the first piece on.
    pub fn fill(&self, memory: &mut Memory, bytes: &[u8]) {
        let mut from = 0;
        for &(at, length) in &self.pieces {
            let length = length as usize;
            memory.at_mut(at, length).copy_from_slice(&bytes[from..from + length]);
            from += length;
        }
    }

    /// Where its data is.
    pub fn pieces(&self) -> &[(u64, u64)] {
        &self.pieces
    }
}
