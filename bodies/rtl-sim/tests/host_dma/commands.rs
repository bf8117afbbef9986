//! Commands with random data pointers, and where their data lies.

use crate::host_dma::rig::{Descriptor, Direction, Moved, Rig};
use rtl_sim::Random;

pub const PAGE: u64 = 4096;
const ENTRY: u64 = 8;

/// Hands out pages of the host and stretches of the drive's memory, none twice.
pub struct Allocator {
    /// Numbers of pages that were given, to be scattered.
    pages: u64,
    memory: u64,
}

/// A command's data pointer and the pages behind it.
pub struct Command {
    pub prp1: u64,
    pub prp2: u64,
    pub length: u64,
    /// The pages of data, the first one with the offset of the data.
    pub pages: Vec<u64>,
}

impl Allocator {
    pub fn new() -> Self {
        Self { pages: 0, memory: 0x10_0000 }
    }

    /// A page of the host, far from the one before, mapped.
    pub fn page(&mut self, rig: &mut Rig) -> u64 {
        self.pages += 1;
        // Odd multipliers scatter without meeting; the upper half of addresses matters too.
        let address = (self.pages.wrapping_mul(0x9_d6e5) % (1 << 20)) << 12 | 0x12_3400_0000_0000;
        rig.host.memory_mut().map(address..address + PAGE);
        address
    }

    /// So many bytes of the drive's memory, at a multiple of 4 that is often one of 512.
    pub fn memory(&mut self, random: &mut Random, bytes: u64) -> u64 {
        let address =
            self.memory + [0, 0, 512, 1024, 4 * random.below(128)][random.below(5) as usize];
        self.memory = (address + bytes).next_multiple_of(1024) + 1024;
        address
    }
}

impl Command {
    /// A command with so many bytes from an offset in its first page on.
    pub fn new(rig: &mut Rig, pages: &mut Allocator, random: &mut Random, shape: Shape) -> Self {
        let Shape { offset, length, list_slot } = shape;
        let count = (offset + length).div_ceil(PAGE);
        let data: Vec<u64> = (0..count).map(|_| pages.page(rig)).collect();
        let prp2 = match count {
            1 => random.next(),
            2 => data[1],
            _ => write_list(rig, pages, &data[1..], list_slot),
        };
        let mut data = data;
        data[0] += offset;
        Self { prp1: data[0], prp2, length, pages: data }
    }

    /// Any that tests should survive: of up to `most` bytes, and with lists that end anywhere.
    pub fn any(rig: &mut Rig, pages: &mut Allocator, random: &mut Random, most: u64) -> Self {
        let length = match random.below(4) {
            0 => 4 * (1 + random.below(1024)),
            1 => PAGE,
            _ => 512 * (1 + random.below(most / 512)),
        };
        let offset = if random.percent(50) { 0 } else { 4 * random.below(PAGE / 4) };
        let list_slot = if random.percent(50) { 0 } else { 512 - 1 - random.below(8) };
        Self::new(rig, pages, random, Shape { offset, length, list_slot })
    }

    /// Where a byte of the data lies.
    pub fn address(&self, byte: u64) -> u64 {
        let first = PAGE - self.prp1 % PAGE;
        if byte < first {
            self.prp1 + byte
        } else {
            self.pages[1 + ((byte - first) / PAGE) as usize] + (byte - first) % PAGE
        }
    }

    pub fn fill(&self, rig: &mut Rig, bytes: &[u8]) {
        for (byte, &value) in (0..).zip(bytes) {
            assert!(rig.host.memory_mut().set(self.address(byte), value));
        }
    }

    pub fn bytes(&self, rig: &Rig, from: u64, length: u64) -> Vec<u8> {
        let memory = rig.host.memory();
        (from..from + length).map(|byte| memory.get(self.address(byte)).unwrap()).collect()
    }

    /// A descriptor for all of it.
    pub fn descriptor(&self, tag: u64, direction: Direction, memory: u64) -> Descriptor {
        Descriptor {
            tag,
            direction,
            source: Moved::Prps,
            prp1: self.prp1,
            prp2: self.prp2,
            host_offset: 0,
            length: self.length,
            command_length: self.length,
            memory,
        }
    }
}

/// The form of a command's data.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Of the data in its first page.
    pub offset: u64,
    pub length: u64,
    /// The entry of its page that the list begins at.
    pub list_slot: u64,
}

/// Writes a list, over as many pages as it needs. Returns its address.
fn write_list(rig: &mut Rig, pages: &mut Allocator, entries: &[u64], slot: u64) -> u64 {
    let start = pages.page(rig) + slot * ENTRY;
    let mut at = start;
    for (nth, &entry) in entries.iter().enumerate() {
        let is_last = nth + 1 == entries.len();
        if at % PAGE == PAGE - ENTRY && !is_last {
            let next = pages.page(rig);
            rig.host.memory_mut().fill(at, &next.to_le_bytes());
            at = next;
        }
        rig.host.memory_mut().fill(at, &entry.to_le_bytes());
        at += ENTRY;
    }
    start
}
