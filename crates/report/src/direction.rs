//! The data directions and the parts of a request's time.

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

/// Part of the drive in which a request spends its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Fetching the command, moving data over PCIe, posting the completion.
    HostInterface,
    /// The processor's work for the request and its waiting for the processor.
    Firmware,
    /// Flash channels and chips, with the waiting for them.
    Storage,
}

impl Part {
    /// All parts in the order a request meets them; the index of each is its discriminant.
    pub const ALL: [Self; 3] = [Self::HostInterface, Self::Firmware, Self::Storage];

    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostInterface => "host interface",
            Self::Firmware => "firmware",
            Self::Storage => "storage",
        }
    }

    /// Name as a JSON key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::HostInterface => "host_interface",
            Self::Firmware => "firmware",
            Self::Storage => "storage",
        }
    }
}
