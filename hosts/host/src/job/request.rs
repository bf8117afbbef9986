//! A request of a job, and what a job says when it is asked for one.

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Reads its bytes.
    Read,
    /// Writes its bytes.
    Write,
    /// Deallocates its bytes.
    Trim,
    /// Makes completed writes durable; has no offset and no length.
    Flush,
    /// Resets the zone whose bytes these are.
    ZoneReset,
}

impl RequestKind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Read => "read",
            RequestKind::Write => "write",
            RequestKind::Trim => "trim",
            RequestKind::Flush => "flush",
            RequestKind::ZoneReset => "zone reset",
        }
    }
}

/// One request to the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to do.
    pub kind: RequestKind,
    /// First byte, from the start of the drive.
    pub offset_bytes: u64,
    /// Number of bytes.
    pub length_bytes: u64,
}

/// What a job does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Issue this request now.
    Io(Request),
    /// Issue nothing before this virtual time; ask again then, or after a completion.
    Wait {
        /// Virtual picoseconds.
        until_ps: u64,
    },
    /// Issue nothing until another job has done something; ask again then, after a completion, or at
    /// this time.
    Held {
        /// Virtual picoseconds.
        until_ps: u64,
    },
    /// Forget what was measured until now, and ask again.
    Remeasure,
    /// Issue nothing until a request in flight has completed; ask again after each.
    Drain,
    /// The job has ended and nothing of it is in flight.
    Done,
}
