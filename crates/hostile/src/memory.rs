//! Memory of a host that gives little of it, takes down what is touched, and changes what was read: whoever reads
//! the same byte twice finds another.

use nvme::prp::Segment;
use sim::{BusMaster, HostMemory};

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

/// The memory.
#[derive(Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    /// Bytes that the controller has read since the host put them there.
    read: Vec<bool>,
    /// Bytes that it has read again.
    pub read_again: u32,
    /// Whether it may be touched.
    pub gate: Gate,
    /// Whether the controller is bus master.
    pub master: BusMaster,
    /// What was written, in order.
    pub written: Vec<Segment>,
}

impl Memory {
    /// Zeroes.
    pub fn new() -> Self {
        let bytes = vec![0; (PAGES * PAGE) as usize];
        let read = vec![false; bytes.len()];
        Memory {
            bytes,
            read,
            read_again: 0,
            gate: Gate::Open,
            master: BusMaster::Enabled,
            written: Vec::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.fill(0);
        self.read.fill(false);
        (self.gate, self.read_again) = (Gate::Open, 0);
        self.written.clear();
    }

    /// The host's own look at its memory.
    ///
    /// # Panics
    /// When the range was not given.
    pub fn at(&mut self, address: u64, length: usize) -> &mut [u8] {
        let at = (address - BASE) as usize;
        &mut self.bytes[at..at + length]
    }

    /// Puts bytes where they fit, and leaves out what does not.
    pub fn put(&mut self, address: u64, bytes: &[u8]) {
        if let Some(at) = self.place(address, bytes.len(), PAGES) {
            self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            self.read[at..at + bytes.len()].fill(false);
        }
    }

    /// Takes all that is there for fresh.
    pub fn refresh(&mut self) {
        self.read.fill(false);
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
}

/// Pages that may be written.
pub const WRITABLE_PAGES: u64 = PAGES - READ_ONLY_PAGES;

impl HostMemory for Memory {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(at) = self.access(address, bytes.len(), PAGES) else { return false };
        let range = at..at + bytes.len();
        bytes.copy_from_slice(&self.bytes[range.clone()]);
        self.bytes[range.clone()].iter_mut().for_each(|byte| *byte ^= CHANGE);
        let before = self.read[range.clone()].iter().filter(|&&read| read).count();
        self.read_again += before as u32;
        self.read[range].fill(true);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(at) = self.access(address, bytes.len(), WRITABLE_PAGES) else { return false };
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.written.push(Segment { address, length: bytes.len() as u32 });
        true
    }
}
