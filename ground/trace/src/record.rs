//! What a trace says of one request.

/// The most bytes that a read or a write may have; a longer one is not read.
pub const MAX_DATA_BYTES: u64 = 1 << 30;
/// The longest time after the first record, about 106 days; a later one is not read.
pub const MAX_SPAN_NS: u64 = (u64::MAX >> 1) / 1000;
/// Stands for a response time that a trace does not tell.
pub const UNKNOWN: u64 = u64::MAX;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads its bytes.
    Read,
    /// Writes its bytes.
    Write,
    /// Discards its bytes.
    Trim,
    /// Makes what was written durable; has no address and no length.
    Flush,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Read, Kind::Write, Kind::Trim, Kind::Flush];

    /// Its plural, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "reads",
            Kind::Write => "writes",
            Kind::Trim => "trims",
            Kind::Flush => "flushes",
        }
    }
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it arrived, in nanoseconds from the first record. Never less than that of the record before: a time that
    /// goes back is read as the latest time so far, and counted.
    pub time_ns: u64,
    /// How long it took, in nanoseconds; [`UNKNOWN`] where the trace does not tell.
    pub response_ns: u64,
    /// The volume, by its number in [`crate::Volumes`].
    pub volume: u32,
    /// What it does.
    pub kind: Kind,
    /// First byte, from the start of the volume.
    pub offset: u64,
    /// Number of bytes; zero for a flush, and for no other.
    pub length: u64,
}

impl Record {
    /// The byte behind its last one.
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }
}

/// A request as its line tells it: the time has the unit of the format, and counts from wherever the format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) ticks: u64,
    pub(crate) response_ns: u64,
    pub(crate) kind: Kind,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}
