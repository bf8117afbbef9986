//! The logs that a job writes: which, into which files, and what a line tells.

/// A kind of log, one file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// Submission latencies.
    Submission,
    /// Completion latencies.
    Completion,
    /// Submission and completion together.
    Total,
    /// Bytes that requests moved in a second.
    Bandwidth,
    /// Requests a second.
    Iops,
    /// Histograms of completion latencies.
    Histogram,
}

impl LogKind {
    /// All kinds; the index of each is its discriminant.
    pub const ALL: [Self; 6] = [
        Self::Submission,
        Self::Completion,
        Self::Total,
        Self::Bandwidth,
        Self::Iops,
        Self::Histogram,
    ];

    /// What fio puts into the name of the file.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Submission => "slat",
            Self::Completion => "clat",
            Self::Total => "lat",
            Self::Bandwidth => "bw",
            Self::Iops => "iops",
            Self::Histogram => "clat_hist",
        }
    }
}

/// What a job logs, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logging {
    /// Start of the names of the files; none for a log that is not written.
    pub names: LogNames,
    /// File of the trace of what is issued (`write_iolog`).
    pub trace: Option<String>,
    /// What the trace calls the drive.
    pub drive: String,
    /// Milliseconds that a line stands for; 0 for a line a request (`log_avg_msec`).
    pub average_ms: u64,
    /// What is told of several values (`log_max_value`).
    pub value: WindowValue,
    /// Milliseconds that a histogram stands for; 0 for none (`log_hist_msec`).
    pub histogram_ms: u64,
    /// How often pairs of bins of a histogram are joined (`log_hist_coarseness`).
    pub coarseness: u32,
    /// Whether lines have the offset of the request (`log_offset`).
    pub offset: OffsetColumn,
    /// How the priority is told (`log_prio`).
    pub priority: PriorityForm,
    /// Where times start (`log_unix_epoch`).
    pub clock: LogClock,
    /// Which jobs share files (`per_job_logs`).
    pub sharing: LogSharing,
}

/// Starts of the names of a job's log files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogNames {
    /// Of `write_bw_log`.
    pub bandwidth: Option<String>,
    /// Of `write_lat_log`.
    pub latency: Option<String>,
    /// Of `write_iops_log`.
    pub iops: Option<String>,
    /// Of `write_hist_log`.
    pub histogram: Option<String>,
}

/// What a line tells of the values of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowValue {
    /// Their mean.
    #[default]
    Mean,
    /// The largest of them (`log_max_value`).
    Largest,
}

/// Whether lines have a column for the offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetColumn {
    /// They have not.
    #[default]
    Absent,
    /// They have.
    Shown,
}

/// How lines tell the priority of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriorityForm {
    /// 0 or 1.
    #[default]
    Flag,
    /// As the kernel's value, `0x0000`.
    Hexadecimal,
}

/// Where the times of a log start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogClock {
    /// With what the job measures.
    #[default]
    Job,
    /// With the run: there is no wall clock in virtual time.
    Run,
}

/// Whether each job has files of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogSharing {
    /// It has: their names hold its number.
    #[default]
    None,
    /// Jobs whose files have the same name share them.
    Named,
}

impl Logging {
    /// Whether nothing is logged.
    pub fn is_off(&self) -> bool {
        self.names == LogNames::default() && self.trace.is_none()
    }

    /// The file of a kind of log of the job with this number, counted from 1 through all clones.
    pub fn path(&self, kind: LogKind, job: u32) -> Option<String> {
        let name = match kind {
            LogKind::Submission | LogKind::Completion | LogKind::Total => &self.names.latency,
            LogKind::Bandwidth => &self.names.bandwidth,
            LogKind::Iops => &self.names.iops,
            LogKind::Histogram => &self.names.histogram,
        };
        let (name, suffix) = (name.as_ref()?, kind.suffix());
        Some(match self.sharing {
            LogSharing::None => format!("{name}_{suffix}.{job}.log"),
            LogSharing::Named => format!("{name}_{suffix}.log"),
        })
    }

    /// All files of the job with this number.
    pub fn paths(&self, job: u32) -> impl Iterator<Item = String> + '_ {
        let logs = LogKind::ALL.into_iter().filter_map(move |kind| self.path(kind, job));
        logs.chain(self.trace.clone())
    }
}
