//! Bytes by address, where a test has mapped some.

use std::collections::BTreeMap;
use std::ops::Range;

const PAGE_BYTES: u64 = 4096;

/// Bytes behind a subordinate. Accesses are pieces of beats, so they lie in one page of 4 KiB.
pub trait AddressSpace {
    /// Reads bytes from an address on. False, and nothing read, if they do not exist.
    /// Memory may be somebody else's, so that looking at it changes how it is reached.
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool;
    /// Changes bytes from an address on. False, and nothing changed, if they do not exist.
    fn store(&mut self, address: u64, bytes: &[u8]) -> bool;
}

/// Pages of 4 KiB, none at first. An access where there is none is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pages: BTreeMap<u64, Vec<u8>>,
}

impl Memory {
    /// Maps the pages that a range touches, as zeros where there were none.
    pub fn map(&mut self, range: Range<u64>) {
        for page in range.start / PAGE_BYTES..range.end.div_ceil(PAGE_BYTES) {
            self.pages.entry(page).or_insert_with(|| vec![0; PAGE_BYTES as usize]);
        }
    }

    /// The byte at an address.
    pub fn get(&self, address: u64) -> Option<u8> {
        Some(self.pages.get(&(address / PAGE_BYTES))?[(address % PAGE_BYTES) as usize])
    }

    /// The bytes from an address on.
    ///
    /// # Panics
    /// If one is not mapped.
    pub fn bytes(&self, address: u64, length: usize) -> Vec<u8> {
        let byte = |at| self.get(at).unwrap_or_else(|| panic!("nothing at {at:#x}"));
        (address..address + length as u64).map(byte).collect()
    }

    /// Copies bytes of a page from an address on. False, and nothing copied, if it is not mapped.
    pub fn read(&self, address: u64, into: &mut [u8]) -> bool {
        let Some(page) = self.pages.get(&(address / PAGE_BYTES)) else { return false };
        into.copy_from_slice(&page[(address % PAGE_BYTES) as usize..][..into.len()]);
        true
    }

    /// Changes the byte at an address. False if it is not mapped.
    pub fn set(&mut self, address: u64, value: u8) -> bool {
        match self.pages.get_mut(&(address / PAGE_BYTES)) {
            Some(page) => {
                page[(address % PAGE_BYTES) as usize] = value;
                true
            }
            None => false,
        }
    }

    /// Writes bytes from an address on, and maps what they need.
    pub fn fill(&mut self, address: u64, bytes: &[u8]) {
        self.map(address..address + bytes.len() as u64);
        for (at, &byte) in (address..).zip(bytes) {
            self.set(at, byte);
        }
    }
}

impl AddressSpace for Memory {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        self.read(address, into)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(page) = self.pages.get_mut(&(address / PAGE_BYTES)) else { return false };
        page[(address % PAGE_BYTES) as usize..][..bytes.len()].copy_from_slice(bytes);
        true
    }
}

/// The memory of the host that drives `sim`.
impl AddressSpace for host::Memory {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        let exists = self.holds(address, into.len());
        if exists {
            into.copy_from_slice(self.at(address, into.len()));
        }
        exists
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        let exists = self.holds(address, bytes.len());
        if exists {
            self.at_mut(address, bytes.len()).copy_from_slice(bytes);
        }
        exists
    }
}
