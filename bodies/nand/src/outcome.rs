//! How operations end. Media faults are data.

use contract::{Duration, Metadata};

/// How long a chip is busy that stays so until it is reset.
pub const FOREVER: Duration = Duration::from_ps(u64::MAX);

/// How a program or an erase ends. One that takes [`FOREVER`] is broken off by the reset, and has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worked {
    /// How long the chip is busy.
    pub busy: Duration,
    /// Whether the chip reports a failure.
    pub failed: bool,
}

/// What comes out of the page register, through descrambler and ECC, beside the data. Metadata are large: where they go to a
/// place of their own, there are none here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transferred<M = Option<Metadata>> {
    /// What the page says of itself; none if it is erased, they are lost, or only a part was read.
    pub metadata: M,
    /// Bits that ECC corrected.
    pub corrected_bits: u32,
    /// Most of them in a chunk.
    pub most_bits: u32,
    /// Chunks that were not clean, those beyond correction included.
    pub chunks_with_errors: u32,
    /// Whether some chunk is beyond correction. Its data came as it was.
    pub uncorrectable: bool,
    /// Whether what was read is erased.
    pub erased: bool,
}

impl<M> Transferred<M> {
    /// With other metadata, or with none.
    pub(crate) fn with<N>(self, metadata: N) -> Transferred<N> {
        Transferred {
            metadata,
            corrected_bits: self.corrected_bits,
            most_bits: self.most_bits,
            chunks_with_errors: self.chunks_with_errors,
            uncorrectable: self.uncorrectable,
            erased: self.erased,
        }
    }
}

impl Transferred<()> {
    /// From an erased page.
    pub(crate) const ERASED: Self = Transferred {
        metadata: (),
        corrected_bits: 0,
        most_bits: 0,
        chunks_with_errors: 0,
        uncorrectable: false,
        erased: true,
    };

    /// From a page of which no bit is wrong.
    pub(crate) const CLEAN: Self = Transferred { erased: false, ..Transferred::ERASED };

    /// From a page whose program failed, so many chunks of it.
    pub(crate) fn undefined(chunks: u32) -> Self {
        Transferred { chunks_with_errors: chunks, uncorrectable: true, ..Transferred::CLEAN }
    }
}
