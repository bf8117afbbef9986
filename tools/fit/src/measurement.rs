//! What fio measured with one job.

use crate::figure::Figure;

/// Which way data went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Going {
    /// From the drive.
    Read,
    /// To the drive.
    Write,
    /// All ways together, of a job whose report tells no more (`unified_rw_reporting=mixed`).
    Mixed,
}

impl Going {
    /// Reads, writes, and what is told of both together.
    pub const ALL: [Going; 3] = [Going::Read, Going::Write, Going::Mixed];

    /// fio's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Going::Read => "read",
            Going::Write => "write",
            Going::Mixed => "mixed",
        }
    }
}

/// What was measured in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Requests that were done.
    pub requests: u64,
    /// Bytes a second.
    pub bytes_s: f64,
    /// Requests a second.
    pub iops: f64,
    /// Mean latency in nanoseconds, if it was measured.
    pub mean_ns: Option<f64>,
    /// Median of the completion latency in nanoseconds, if it was measured.
    pub p50_ns: Option<f64>,
    /// 99th percentile of the completion latency in nanoseconds, if it was measured.
    pub p99_ns: Option<f64>,
}

impl Observed {
    /// A figure, if it was measured.
    pub fn figure(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Iops => Some(self.iops),
            Figure::Mean => self.mean_ns,
            Figure::P50 => self.p50_ns,
            Figure::P99 => self.p99_ns,
        }
    }
}

/// A job of a report: what was run, and what came out. It goes in at least one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Path of fio's report that has the job.
    pub file: String,
    /// Where it stands in the file: `jobs[0]`.
    pub place: String,
    /// The job's name.
    pub name: String,
    /// fio's options of the job, global ones before its own.
    pub options: Vec<(String, String)>,
    /// What was measured, in the order of [`Going::ALL`].
    pub observed: [Option<Observed>; 3],
    /// What the user is to know about it, one line each.
    pub warnings: Vec<String>,
}

impl Measurement {
    /// The last value of an option.
    pub(crate) fn option(&self, names: &[&str]) -> Option<&str> {
        let own = self.options.iter().rev().find(|(key, _)| names.contains(&key.as_str()));
        own.map(|(_, value)| value.as_str())
    }

    /// File, place and name, for messages.
    pub(crate) fn whole_name(&self) -> String {
        format!("{}: {} ({})", self.file, self.place, self.name)
    }

    /// Whether it wrote. Of a job that tells its ways together, its options say so.
    pub(crate) fn writes(&self) -> bool {
        let [_, write, mixed] = self.observed;
        let rw = self.option(&["rw", "readwrite"]).unwrap_or("read");
        let only_reads = matches!(rw.split(':').next(), Some("read" | "randread"));
        write.is_some() || (mixed.is_some() && !only_reads)
    }

    /// Requests in all directions.
    pub(crate) fn requests(&self) -> u64 {
        self.observed.iter().flatten().map(|observed| observed.requests).sum()
    }

    /// Mean size of its requests.
    pub(crate) fn bytes_per_request(&self) -> f64 {
        let sums = self.observed.iter().flatten().fold((0.0, 0.0), |(bytes, requests), own| {
            (bytes + own.bytes_s / own.iops * own.requests as f64, requests + own.requests as f64)
        });
        sums.0 / sums.1
    }
}
