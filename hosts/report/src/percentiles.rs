//! Which percentiles a job's report has.

use crate::latency::FIO_PERCENTILES;
use serde::{Deserialize, Serialize};

/// A latency that can have percentiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyKind {
    /// From the decision to submit to the doorbell (`slat`).
    Submission,
    /// From there to the sight of the completion (`clat`).
    Completion,
    /// Both (`lat`).
    Total,
}

impl LatencyKind {
    /// fio's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submission => "slat",
            Self::Completion => "clat",
            Self::Total => "lat",
        }
    }
}

/// The percentiles, and the latencies that have them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Percentiles {
    /// Above 0 up to 100, rising (`percentile_list`).
    pub list: Vec<f64>,
    /// The latencies that have them.
    pub kinds: Vec<LatencyKind>,
}

impl Percentiles {
    /// Whether this latency has them.
    pub fn has(&self, kind: LatencyKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Gives them to this latency.
    pub fn add(&mut self, kind: LatencyKind) {
        if !self.has(kind) {
            self.kinds.push(kind);
        }
    }

    /// Takes them from this latency.
    pub fn remove(&mut self, kind: LatencyKind) {
        self.kinds.retain(|&other| other != kind);
    }
}

impl Default for Percentiles {
    /// What fio shows unless told otherwise.
    fn default() -> Self {
        Self { list: FIO_PERCENTILES.to_vec(), kinds: vec![LatencyKind::Completion] }
    }
}
