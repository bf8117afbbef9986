//! Where and when something is done to a drive.

/// When something happened, as the host counts.
pub type Moment = u64;

/// Blocks that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The first.
    pub lba: u64,
    /// How many.
    pub blocks: u64,
}

impl Extent {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.lba as usize..(self.lba + self.blocks) as usize
    }
}
