//! The host's end of the link: memory, jobs, and where interrupt messages go.

use crate::axi::AddressSpace;
use host::FioHost;

/// Where vectors send their messages: far from any memory. Vector n has the n-th word from here on.
pub const MESSAGES: u64 = 0xf000_0000_0000_0000;

/// What the controller reaches over the link.
#[derive(Debug, Default)]
pub struct HostSide {
    /// Memory and jobs.
    pub jobs: FioHost,
    /// Vectors whose messages have come and were not taken, the first one first.
    pub messages: Vec<u16>,
}

impl AddressSpace for HostSide {
    fn load(&self, address: u64, into: &mut [u8]) -> bool {
        // What takes messages can be written, so it exists.
        if address >= MESSAGES {
            into.fill(0);
            return true;
        }
        self.jobs.seen_memory().load(address, into)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if address < MESSAGES {
            return sim::Host::memory(&mut self.jobs).store(address, bytes);
        }
        // A message is its vector, in a word of four bytes.
        let vector = bytes.first_chunk().map(|word| u32::from_le_bytes(*word) as u16);
        self.messages.extend(vector);
        vector.is_some()
    }
}
