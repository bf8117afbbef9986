//! What a chip says of itself.

/// The status register of a chip (ONFI 4.0, "Status Field Definition").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipStatus(u8);

impl ChipStatus {
    const FAIL: u8 = 1 << 0;
    const FAILC: u8 = 1 << 1;
    const ARDY: u8 = 1 << 5;
    const RDY: u8 = 1 << 6;
    const NOT_PROTECTED: u8 = 1 << 7;

    /// The byte that came. Any is possible: a bus that nobody drives gives a byte, too.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// FAIL: the last operation failed.
    pub const fn fail(self) -> bool {
        self.0 & Self::FAIL != 0
    }

    /// FAILC: the operation before failed, where a cache lets operations overlap.
    pub const fn fail_before(self) -> bool {
        self.0 & Self::FAILC != 0
    }

    /// The chip takes commands, and may be programmed and erased.
    pub const fn takes_writes(self) -> bool {
        let bits = Self::RDY | Self::NOT_PROTECTED;
        self.0 & bits == bits
    }

    /// The same, and its array has ended what it did.
    pub const fn has_ended(self) -> bool {
        self.takes_writes() && self.0 & Self::ARDY != 0
    }
}
