//! What the firmware counts, for reports and the SMART log.

/// Counters of the firmware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Counters {
    /// Slices that found their page in the data buffer.
    pub buffer_hits: u64,
    /// Slices that did not.
    pub buffer_misses: u64,
    /// Slices that found their entry of the map in memory, where not all of it is.
    pub map_hits: u64,
    /// Slices that waited for it.
    pub map_misses: u64,
    /// Pages that the host wrote, in mapping units touched.
    pub host_pages: u64,
    /// Pages read from flash, for the host and for collection.
    pub reads: u64,
    /// Pages programmed for host data.
    pub programs: u64,
    /// Pages programmed by collection.
    pub moves: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Reads repeated.
    pub read_retries: u64,
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Chips reset that did not turn ready in time.
    pub chip_resets: u64,
    /// Superblocks collected because their bits went wrong.
    pub refreshes: u64,
    /// Pages read to see whether their bits go wrong.
    pub patrol_reads: u64,
    /// Pages that stayed uncorrectable, or held another page's data.
    pub unreadable_pages: u64,
    /// Blocks gone bad in use.
    pub bad_blocks: u64,
    /// Programs and erases given up.
    pub lost_writes: u64,
    /// Blocks that were looked at for the factory's mark.
    pub marks_read: u64,
}

impl Counters {
    /// Each of them, in the order of their declaration.
    pub fn each(&mut self) -> [&mut u64; 18] {
        let Counters {
            buffer_hits,
            buffer_misses,
            map_hits,
            map_misses,
            host_pages,
            reads,
            programs,
            moves,
            erases,
            read_retries,
            corrected_bits,
            chip_resets,
            refreshes,
            patrol_reads,
            unreadable_pages,
            bad_blocks,
            lost_writes,
            marks_read,
        } = self;
        [
            buffer_hits,
            buffer_misses,
            map_hits,
            map_misses,
            host_pages,
            reads,
            programs,
            moves,
            erases,
            read_retries,
            corrected_bits,
            chip_resets,
            refreshes,
            patrol_reads,
            unreadable_pages,
            bad_blocks,
            lost_writes,
            marks_read,
        ]
    }
}
