//! What the log did.

/// What the log did since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct LogCounters {
    /// Journal pages written.
    pub journal_pages: u64,
    /// Snapshots written.
    pub snapshots: u64,
    /// Blocks of the log erased.
    pub erases: u64,
    /// Pages read to find the map at start.
    pub recovery_reads: u64,
    /// Records and pages younger than the snapshots that were found then.
    pub recovered: u64,
    /// Parts of the map read, where not all of it is in memory.
    pub parts_read: u64,
    /// Snapshots written so that a part can leave memory.
    pub parts_evicted: u64,
}

impl LogCounters {
    /// Each of them, in the order of their declaration.
    pub fn each(&mut self) -> [&mut u64; 7] {
        let LogCounters {
            journal_pages,
            snapshots,
            erases,
            recovery_reads,
            recovered,
            parts_read,
            parts_evicted,
        } = self;
        [journal_pages, snapshots, erases, recovery_reads, recovered, parts_read, parts_evicted]
    }
}
