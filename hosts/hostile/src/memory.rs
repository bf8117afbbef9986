//! Memory of a host that gives little of it, takes down what is touched, and changes what was read: whoever reads
//! the same byte twice finds another.

use machine::{BusMaster, HostMemory};
use nvme::prp::Segment;

use crate::bits::{Bits, WORD_BITS};

/// Bytes of a page.
pub const PAGE: u64 = 4096;
/// First address that the host gives.
pub const BASE: u64 = 0x10_0000;
/// Pages that it gives.
pub const PAGES: u64 = 64;
/// The last of them are to be read only.
const READ_ONLY_PAGES: u64 = 2;

/// Whether the controller may touch memory at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// It is enabled, or on its way to be disabled.
    Open,
    /// It is disabled.
    Shut,
}

/// What becomes of a byte that the controller has read.
const CHANGE: u8 = 0x5a;

/// Host memory of [`PAGES`] pages from [`BASE`] on, and what became of each byte.
#[derive(Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    /// Bytes that the controller has read since the host put them there.
    read: Bits,
    /// Pages that may hold anything but zeroes that nobody has read, a bit each.
    touched: u64,
    /// Bytes that it has read again.
    pub read_again: u32,
    /// Whether it may be touched.
    pub gate: Gate,
    /// Whether the controller is bus master.
    pub master: BusMaster,
    /// What was written, in order.
    pub written: Vec<Segment>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Zeroes.
    pub fn new() -> Self {
        let bytes = vec![0; (PAGES * PAGE) as usize];
        let read = Bits::new(bytes.len());
        Memory {
            bytes,
            read,
            touched: 0,
            read_again: 0,
            gate: Gate::Open,
            master: BusMaster::Enabled,
            written: Vec::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for page in pages_of(self.touched) {
            self.bytes[bytes_of(page)].fill(0);
            self.read.words_mut()[words_of(page)].fill(0);
        }
        (self.touched, self.gate, self.read_again) = (0, Gate::Open, 0);
        self.written.clear();
    }

    /// Becomes what the other is; whatever was not touched in both need not be copied.
    pub fn become_copy(&mut self, of: &Memory) {
        for page in pages_of(self.touched | of.touched) {
            self.bytes[bytes_of(page)].copy_from_slice(&of.bytes[bytes_of(page)]);
            let words = words_of(page);
            self.read.words_mut()[words.clone()].copy_from_slice(&of.read.words()[words]);
        }
        self.touched = of.touched;
        (self.read_again, self.gate, self.master) = (of.read_again, of.gate, of.master);
        self.written.clone_from(&of.written);
    }

    /// The host's own look at its memory.
    ///
    /// # Panics
    /// When the range was not given.
    pub fn at(&self, address: u64, length: usize) -> &[u8] {
        let at = (address - BASE) as usize;
        &self.bytes[at..at + length]
    }

    /// Puts bytes where they fit, and leaves out what does not.
    pub fn put(&mut self, address: u64, bytes: &[u8]) {
        if let Some(at) = self.place(address, bytes.len(), PAGES) {
            self.touch(at, bytes.len());
            self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            self.read.clear(at, bytes.len());
        }
    }

    /// Takes all that is there for fresh.
    pub fn refresh(&mut self) {
        for page in pages_of(self.touched) {
            self.read.words_mut()[words_of(page)].fill(0);
        }
        self.read_again = 0;
        self.written.clear();
    }

    /// A whole entry of 8 bytes, if it was given.
    pub fn entry(&self, address: u64) -> Option<u64> {
        let at = self.place(address, 8, PAGES)?;
        Some(u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("8 bytes")))
    }

    /// Whether a range may be read (or written, for `pages` that may be).
    pub fn gives(&self, segment: Segment, pages: u64) -> bool {
        self.place(segment.address, segment.length as usize, pages).is_some()
    }

    /// All bytes, and which of them were read.
    #[cfg(test)]
    pub fn whole(&self) -> (&[u8], &[u64]) {
        (&self.bytes, self.read.words())
    }

    fn place(&self, address: u64, length: usize, pages: u64) -> Option<usize> {
        let at = address.checked_sub(BASE)?;
        let end = at.checked_add(length as u64)?;
        (end <= pages * PAGE).then_some(at as usize)
    }

    fn access(&self, address: u64, length: usize, pages: u64) -> Option<usize> {
        assert!(self.gate == Gate::Open, "memory is touched at {address:#x} while disabled");
        assert!(self.master == BusMaster::Enabled, "{address:#x} is touched by no bus master");
        self.place(address, length, pages)
    }

    fn touch(&mut self, at: usize, length: usize) {
        let (first, end) = (at / PAGE as usize, (at + length).div_ceil(PAGE as usize));
        for page in first..end {
            self.touched |= 1 << page;
        }
    }
}

/// Pages whose bits are set.
fn pages_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let page = bits.trailing_zeros() as usize;
        bits &= bits.checked_sub(1)?;
        Some(page)
    })
}

fn bytes_of(page: usize) -> std::ops::Range<usize> {
    page * PAGE as usize..(page + 1) * PAGE as usize
}

fn words_of(page: usize) -> std::ops::Range<usize> {
    let words = PAGE as usize / WORD_BITS;
    page * words..(page + 1) * words
}

/// Pages that may be written.
pub const WRITABLE_PAGES: u64 = PAGES - READ_ONLY_PAGES;

impl HostMemory for Memory {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(at) = self.access(address, bytes.len(), PAGES) else { return false };
        self.touch(at, bytes.len());
        let here = &mut self.bytes[at..at + bytes.len()];
        bytes.copy_from_slice(here);
        here.iter_mut().for_each(|byte| *byte ^= CHANGE);
        self.read_again += self.read.set(at, bytes.len());
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(at) = self.access(address, bytes.len(), WRITABLE_PAGES) else { return false };
        self.touch(at, bytes.len());
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.written.push(Segment { address, length: bytes.len() as u32 });
        true
    }
}
