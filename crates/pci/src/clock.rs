//! Wall time in the drive's terms.

use std::time::{Duration, Instant};

/// How virtual time goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// With the wall clock: nothing completes earlier than the drive would complete it.
    Real,
    /// As fast as it can be worked out.
    Fast,
}

/// A clock that starts when it is first read.
#[derive(Debug, Default)]
pub struct Clock {
    origin: Option<Instant>,
}

impl Clock {
    /// Picoseconds since the start.
    pub fn now_ps(&mut self) -> u64 {
        let origin = *self.origin.get_or_insert_with(Instant::now);
        u64::try_from(origin.elapsed().as_nanos() * 1000).unwrap_or(u64::MAX)
    }
}

/// Picoseconds as a duration, rounded down to the nanosecond.
pub fn duration(ps: u64) -> Duration {
    Duration::from_nanos(ps / 1000)
}
