//! The latest errors, and what the SMART log counts.

use alloc::vec;
use alloc::vec::Vec;
use contract::{Duration, Hardware, Instant};
use nvme::log::ErrorEntry;

use crate::nvme::backend::IoKind;
use crate::nvme::identify::ERROR_ENTRIES;

/// Ring of the latest errors.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct ErrorLog {
    pub(in crate::nvme) ring: Vec<ErrorEntry>,
    pub(in crate::nvme) count: u64,
}

impl ErrorLog {
    /// No errors so far.
    pub fn new() -> Self {
        ErrorLog { ring: vec![ErrorEntry::zeroed(); usize::from(ERROR_ENTRIES)], count: 0 }
    }

    /// Numbers an error and keeps it in the place of the oldest.
    pub fn record(&mut self, entry: ErrorEntry) {
        self.count += 1;
        let index = (self.count - 1) as usize % self.ring.len();
        self.ring[index] = ErrorEntry { count: self.count, ..entry };
    }

    /// Writes the log, the latest error first.
    pub(in crate::nvme) fn emit(&self, page: &mut [u8; 4096]) {
        page.fill(0);
        let ring = self.ring.len() as u64;
        let latest = (0..self.count.min(ring)).map(|age| (self.count - 1 - age) % ring);
        for (chunk, index) in page.chunks_exact_mut(ErrorEntry::BYTES).zip(latest) {
            let mut bytes = [0; ErrorEntry::BYTES];
            self.ring[index as usize].emit(&mut bytes);
            chunk.copy_from_slice(&bytes);
        }
    }
}

/// What the SMART log counts.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Counters {
    pub(in crate::nvme) sectors_read: u64,
    pub(in crate::nvme) sectors_written: u64,
    pub(in crate::nvme) reads: u64,
    pub(in crate::nvme) writes: u64,
    pub(in crate::nvme) busy: Duration,
    pub(in crate::nvme) busy_since: Instant,
    /// I/O commands under way.
    pub io_in_flight: u32,
    /// I/O commands that have ended.
    pub io_ended: u64,
}

impl Counters {
    /// An I/O command begins.
    pub fn io_begins(&mut self, hw: &mut impl Hardware) {
        if self.io_in_flight == 0 {
            self.busy_since = hw.now();
        }
        self.io_in_flight += 1;
    }

    /// An I/O command ends.
    pub fn io_ends(&mut self, hw: &mut impl Hardware) {
        let left = self.io_in_flight.checked_sub(1);
        self.io_in_flight = left.expect("more I/O commands ended than begun");
        self.io_ended += 1;
        if self.io_in_flight == 0 {
            self.busy += hw.now().since(self.busy_since);
        }
    }

    /// A command moved `bytes` of user data.
    pub fn moved(&mut self, kind: IoKind, bytes: u64) {
        match kind {
            IoKind::Read | IoKind::Compare => {
                self.reads += 1;
                self.sectors_read += bytes / 512;
            }
            IoKind::Write => {
                self.writes += 1;
                self.sectors_written += bytes / 512;
            }
            // Data Units Read count what is verified, too, and Host Read Commands do not (NVMe 1.4 section 5.14.1.2).
            IoKind::Verify => self.sectors_read += bytes / 512,
            IoKind::WriteZeroes | IoKind::Deallocate | IoKind::Flush => {}
        }
    }

    pub(in crate::nvme) fn busy_until(&self, now: Instant) -> Duration {
        if self.io_in_flight > 0 {
            self.busy + now.since(self.busy_since)
        } else {
            self.busy
        }
    }
}
