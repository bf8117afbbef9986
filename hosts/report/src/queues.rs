//! What went through each submission queue.

use crate::direction::Direction;
use crate::latency::Latency;
use serde::{Deserialize, Serialize};

/// What went through a submission queue and its completion queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueResult {
    /// Its identifier; that of the admin queue is 0.
    pub id: u16,
    /// Jobs that used it.
    pub jobs: u32,
    /// Bytes by [`Direction`].
    pub bytes: [u64; 3],
    /// Completion latencies by [`Direction`], where a request completed.
    pub latencies: [Option<Box<Latency>>; 3],
}

impl QueueResult {
    /// Directions in which requests completed, with their latencies.
    pub(crate) fn active(&self) -> impl Iterator<Item = (Direction, &Latency)> {
        Direction::ALL.into_iter().filter_map(|d| Some((d, self.latencies[d as usize].as_deref()?)))
    }
}
