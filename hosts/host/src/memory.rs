//! The memory of the simulated host.

use machine::HostMemory;

/// Bytes of a memory page (CC.MPS 0).
pub const PAGE_BYTES: u64 = 4096;

/// Where host memory starts, as the drive sees it: beyond 4 GiB, so that the upper half of every
/// address matters.
const BASE: u64 = 0x1_0000_0000;

/// Host memory: one stretch of zeroes from a high address on, at first without a byte. Pages cost
/// nothing until touched.
#[derive(Debug, Default)]
pub struct Memory {
    bytes: Vec<u8>,
    taken: u64,
}

impl Memory {
    /// Bytes that [`Memory::allocate`] takes for a region of `bytes`.
    pub const fn rounded(bytes: u64) -> u64 {
        bytes.next_multiple_of(PAGE_BYTES)
    }

    /// Makes room for `bytes` more. What is allocated already stays where it is.
    pub fn reserve(&mut self, bytes: u64) {
        // Fresh zeroed memory instead of growing: the system hands it out untouched.
        let mut grown = vec![0; (self.taken + Self::rounded(bytes)) as usize];
        grown[..self.taken as usize].copy_from_slice(&self.bytes[..self.taken as usize]);
        self.bytes = grown;
    }

    /// Takes a region that starts on a page and returns its address.
    ///
    /// # Panics
    /// When less was reserved.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let address = BASE + self.taken;
        self.taken += Self::rounded(bytes);
        assert!(self.taken <= self.bytes.len() as u64, "an allocation beyond what was reserved");
        address
    }

    /// The host's own view of `bytes` bytes at `address`.
    ///
    /// # Panics
    /// When they are not all the host's.
    #[inline]
    pub fn at(&self, address: u64, bytes: usize) -> &[u8] {
        &self.bytes[(address - BASE) as usize..][..bytes]
    }

    /// As [`Memory::at`], to be changed.
    ///
    /// # Panics
    /// As [`Memory::at`].
    #[inline]
    pub fn at_mut(&mut self, address: u64, bytes: usize) -> &mut [u8] {
        &mut self.bytes[(address - BASE) as usize..][..bytes]
    }

    /// Copies bytes of the host's own.
    ///
    /// # Panics
    /// As [`Memory::at`].
    #[inline]
    pub fn copy(&mut self, from: u64, to: u64, bytes: usize) {
        let (from, to) = ((from - BASE) as usize, (to - BASE) as usize);
        self.bytes.copy_within(from..from + bytes, to);
    }

    /// The first `N` bytes at `address`.
    ///
    /// # Panics
    /// As [`Memory::at`].
    #[inline]
    pub fn array<const N: usize>(&self, address: u64) -> &[u8; N] {
        self.at(address, N).first_chunk().expect("a slice of N bytes")
    }

    /// All addresses that exist.
    pub fn addresses(&self) -> std::ops::Range<u64> {
        BASE..BASE + self.bytes.len() as u64
    }

    /// Whether so many bytes exist at an address.
    pub fn holds(&self, address: u64, bytes: usize) -> bool {
        self.range(address, bytes).is_some()
    }

    /// Every page, for tests that spoil data.
    #[cfg(test)]
    pub fn pages_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.bytes.chunks_exact_mut(PAGE_BYTES as usize)
    }

    fn range(&self, address: u64, length: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(BASE)?).ok()?;
        let end = start.checked_add(length)?;
        (end <= self.bytes.len()).then_some(start..end)
    }
}

impl HostMemory for Memory {
    #[inline]
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(range) = self.range(address, bytes.len()) else { return false };
        bytes.copy_from_slice(&self.bytes[range]);
        true
    }

    #[inline]
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(range) = self.range(address, bytes.len()) else { return false };
        self.bytes[range].copy_from_slice(bytes);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_start_on_pages_and_survive_a_second_reservation() {
        let mut memory = Memory::default();
        memory.reserve(5000);
        let first = memory.allocate(100);
        let second = memory.allocate(4096);
        assert_eq!((first % PAGE_BYTES, second), (0, first + PAGE_BYTES));
        memory.at_mut(second, 3).copy_from_slice(&[1, 2, 3]);
        memory.reserve(1);
        assert_eq!(memory.allocate(1), second + PAGE_BYTES);
        assert_eq!(memory.at(second, 4), [1, 2, 3, 0]);
    }

    #[test]
    fn what_the_host_has_not_is_refused_and_not_touched() {
        let mut memory = Memory::default();
        memory.reserve(PAGE_BYTES);
        let start = memory.allocate(PAGE_BYTES);
        let end = start + PAGE_BYTES;
        let mut bytes = [7; 8];
        for bad in [0, 8, start - 1, start - 8, end - 7, end, u64::MAX, u64::MAX - 7] {
            assert!(!memory.read(bad, &mut bytes), "{bad:#x}");
            assert!(!memory.write(bad, &bytes), "{bad:#x}");
        }
        assert_eq!(bytes, [7; 8]);
        assert!(memory.at(start, PAGE_BYTES as usize).iter().all(|&byte| byte == 0));
        assert!(memory.write(end - 8, &bytes));
        assert!(memory.read(end - 8, &mut [0; 8]));
    }
}
