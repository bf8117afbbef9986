//! How far a run has come, and what its jobs did.

use report::{HostFtl, JobResult, Series};

use crate::engine::Totals;
use crate::job::JobSpec;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Share of the work that is done, 0 to 1, as far as it is known beforehand.
    pub fraction: f64,
    /// Virtual time since the first job started, in picoseconds.
    pub elapsed_ps: u64,
    /// Requests completed so far.
    pub requests: u64,
    /// Requests a second of virtual time since the last report.
    pub iops: f64,
}

/// What jobs did, until their end or until now.
pub struct Outcome<'s> {
    /// By job.
    pub jobs: Vec<JobResult>,
    /// Throughput over time.
    pub series: Series,
    /// Sums over all jobs.
    pub totals: Totals,
    /// Time from the start of the first job.
    pub elapsed_ps: u64,
    /// The jobs as they were resolved.
    pub specs: &'s [JobSpec],
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// What an FTL in the host did.
    pub host_ftl: Option<Box<HostFtl>>,
}
