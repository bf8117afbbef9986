//! What rounds come to, as counts.

/// What a round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Power losses.
    pub cuts: u64,
    /// Commands that ended well.
    pub done: u64,
    /// Compares among them that found a difference.
    pub differed: u64,
    /// Commands that were refused as they had to be.
    pub refused: u64,
    /// Commands that the host took back.
    pub aborted: u64,
    /// Commands that failed because data are lost.
    pub lost: u64,
    /// Commands whose data were to change and that a drive refused which has no spare blocks left.
    pub read_only: u64,
    /// Commands that ran without firmware.
    pub automated: u64,
    /// Pages moved by collection.
    pub moves: u64,
    /// Blocks gone bad in use.
    pub bad_blocks: u64,
    /// Programs and erases given up.
    pub lost_writes: u64,
    /// Reads repeated.
    pub read_retries: u64,
    /// Chips reset that stayed busy.
    pub chip_resets: u64,
    /// Superblocks refreshed.
    pub refreshes: u64,
    /// Journal pages written.
    pub journal_pages: u64,
    /// Pages that recovery read.
    pub recovery_reads: u64,
    /// Programs that were to go astray.
    pub astray: u64,
    /// Mapping units at power losses that such programs had hit since the power loss before.
    pub hit: u64,
    /// Formats that were begun.
    pub formats: u64,
    /// Snapshots that were read.
    pub snapshots: u64,
    /// Hours without power.
    pub hours: u64,
}

impl Outcome {
    /// Both together.
    pub fn and(self, other: Outcome) -> Outcome {
        Outcome {
            cuts: self.cuts + other.cuts,
            done: self.done + other.done,
            differed: self.differed + other.differed,
            refused: self.refused + other.refused,
            aborted: self.aborted + other.aborted,
            lost: self.lost + other.lost,
            read_only: self.read_only + other.read_only,
            automated: self.automated + other.automated,
            moves: self.moves + other.moves,
            bad_blocks: self.bad_blocks + other.bad_blocks,
            lost_writes: self.lost_writes + other.lost_writes,
            read_retries: self.read_retries + other.read_retries,
            chip_resets: self.chip_resets + other.chip_resets,
            refreshes: self.refreshes + other.refreshes,
            journal_pages: self.journal_pages + other.journal_pages,
            recovery_reads: self.recovery_reads + other.recovery_reads,
            astray: self.astray + other.astray,
            hit: self.hit + other.hit,
            formats: self.formats + other.formats,
            snapshots: self.snapshots + other.snapshots,
            hours: self.hours + other.hours,
        }
    }
}
