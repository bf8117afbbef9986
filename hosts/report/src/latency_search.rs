//! What a search for a queue depth came to, as fio's line `latency` tells it.

use serde::{Deserialize, Serialize};

/// A search for the largest queue depth at which latencies stay below a target (`latency_target`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencySearch {
    /// The latency to keep to.
    pub target_ps: u64,
    /// How long each depth was tried.
    pub window_ps: u64,
    /// Percent of the requests that had to keep to it.
    pub percentile: f64,
    /// The depth that it came to.
    pub depth: u32,
}
