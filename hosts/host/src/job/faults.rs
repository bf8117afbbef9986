//! What a job takes for a failure, beside commands that fail.

use super::direction::PerDirection;

/// What a job takes for a failure, beside commands that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The longest latency of a request (`max_latency`).
    pub most_latency_ps: PerDirection<u64>,
    /// Whether reads must find data that somebody has written.
    pub proof: Proof,
    /// Whether the job wants to go on after a failure (`continue_on_error`). It does not, and says so.
    pub after: AfterFault,
}

/// Whether reads must find data that somebody has written (`verify` of a job that only reads).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No: zeroes, and what nobody knows, are as good.
    None,
    /// Yes, with the stamp of its block.
    Written,
}

/// What a job wants to do after a failure (`continue_on_error`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFault {
    /// To end.
    End,
    /// To go on.
    GoOn,
}

impl Default for Faults {
    fn default() -> Self {
        let most_latency_ps = PerDirection { read: u64::MAX, write: u64::MAX, trim: u64::MAX };
        Self { most_latency_ps, proof: Proof::None, after: AfterFault::End }
    }
}
