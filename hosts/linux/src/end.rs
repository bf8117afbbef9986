//! How a guest's life ends.

/// Why a guest runs no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Its script has ended, and it powered off.
    PoweredOff,
    /// Whoever runs it wants it to stop.
    Stopped,
    /// It cannot run on this machine, for this reason.
    Unable(String),
    /// It cannot go on, for this reason.
    Fault(String),
}
