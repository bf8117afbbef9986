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

    /// Waits for a time that is near, without sleeping; returns the time that it is then.
    pub fn wait(&mut self, until_ps: u64) -> u64 {
        loop {
            let now_ps = self.now_ps();
            if now_ps >= until_ps {
                return now_ps;
            }
            std::hint::spin_loop();
        }
    }
}

/// Picoseconds as a duration, rounded down to the nanosecond.
pub fn duration(ps: u64) -> Duration {
    Duration::from_nanos(ps / 1000)
}
