//! What a load measured.

use contract::Duration;
use report::Latency;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Erase a block.
    Erase,
    /// Program a page.
    Program,
    /// Read a page.
    Read,
}

/// Answers of one kind.
#[derive(Clone, Debug)]
pub struct Answers {
    /// From the forwarding of a request to its answer.
    pub response: Latency,
}

/// What a load measured, after its first part, which is not.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Time that it took.
    pub elapsed: Duration,
    /// Bytes of user data that were read or programmed.
    pub bytes: u64,
    /// Answers of low priority, by [`Kind`].
    pub low: [Answers; 3],
    /// Reads of high priority.
    pub urgent: Answers,
    /// Share of time in which each channel's bus was busy, 0 to 1.
    pub bus_busy: Vec<f64>,
}

impl Outcome {
    /// Bytes of user data a second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / (self.elapsed.as_ps() as f64 / 1e12)
    }
}
