//! The data directions.

/// Data direction of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Data goes from the drive to the host.
    Read,
    /// Data goes from the host to the drive.
    Write,
    /// Blocks are deallocated; no data goes either way.
    Trim,
}

impl Direction {
    /// All directions, in fio's order; the index of each is its discriminant.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];

    /// fio's name of the direction, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
        }
    }
}
