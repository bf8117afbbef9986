//! Stretches of the drive.

/// A stretch of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// Number of bytes, at least one request.
    pub len: u64,
}

/// A stretch that one request covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u64,
}
