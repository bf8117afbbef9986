//! The logs that fio's jobs write: latency, bandwidth, IOPS, histograms, and traces.
//!
//! Files, columns and windows are those of fio 3.33 (its HOWTO, "Log File Formats"), in virtual time.
//! A job without logs has none of this; one with logs formats a line a request or a window into a
//! buffer of its file.

mod file;
mod histogram;
mod line;
mod rates;
mod requests;
#[cfg(test)]
mod tests;
mod trace;
mod values;

use report::{Completion, Direction, Split};

use crate::error::RunError;
use crate::job::{JobSpec, LogClock, LogKind, Logging, Request};
use file::LogFile;
use histogram::{HistogramLog, HistogramPlan};
use line::{Entry, LineWriter};
use rates::{RateKind, RateLog};
pub use requests::{RequestColumns, RequestLog};
use trace::Trace;
use values::ValueLog;

const PS_PER_MS: u64 = 1_000_000_000;
const PS_PER_NS: u64 = 1_000;

/// Whether a run writes the logs that its jobs ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobLogs {
    /// It does.
    Written,
    /// It does not.
    #[default]
    Off,
}

/// The files of all logs of a run.
#[derive(Debug, Default)]
pub struct LogFiles {
    files: Vec<LogFile>,
    traces: Vec<Trace>,
    /// Where requests are kept, if they are.
    requests: Option<RequestLog>,
}

impl LogFiles {
    /// No file yet; requests go to a log in memory, if there is one.
    pub fn new(requests: Option<RequestLog>) -> Self {
        LogFiles { requests, ..LogFiles::default() }
    }

    /// The logs of a job; none if it writes no log and its requests are not kept.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub fn open(&mut self, spec: &JobSpec, logs: JobLogs) -> Result<Option<Box<JobLog>>, RunError> {
        let written = match logs {
            JobLogs::Written => self.create(spec)?,
            JobLogs::Off => None,
        };
        let Some(requests) = &self.requests else { return Ok(written) };
        let mut log = written.unwrap_or_default();
        log.requests = Some((requests.clone(), requests.add_job(&spec.name)));
        Ok(Some(log))
    }

    /// The logs of a job, whose files are created; none if it writes no log.
    ///
    /// # Errors
    /// When a file cannot be created.
    fn create(&mut self, spec: &JobSpec) -> Result<Option<Box<JobLog>>, RunError> {
        let logging = &spec.logging;
        if logging.is_off() {
            return Ok(None);
        }
        let mut log = JobLog { clock: logging.clock, ..JobLog::default() };
        for kind in LogKind::ALL {
            if let Some(path) = logging.path(kind, spec.index + 1) {
                let file = self.file(&path)?;
                log.add(kind, logging, file);
            }
        }
        if let Some(path) = &logging.trace {
            log.trace = Some(self.trace(path, &logging.drive)?);
        }
        Ok(Some(Box::new(log)))
    }

    fn file(&mut self, path: &str) -> Result<LogFile, RunError> {
        if let Some(open) = self.files.iter().find(|file| file.is_at(path)) {
            return Ok(open.clone());
        }
        let file = LogFile::create(path)?;
        self.files.push(file.clone());
        Ok(file)
    }

    fn trace(&mut self, path: &str, drive: &str) -> Result<Trace, RunError> {
        if let Some(open) = self.traces.iter().find(|trace| trace.is_at(path)) {
            return Ok(open.join());
        }
        let trace = Trace::new(self.file(path)?, drive);
        self.traces.push(trace.clone());
        Ok(trace.join())
    }

    /// Writes what was kept back.
    ///
    /// # Errors
    /// The first that met any file.
    pub fn finish(&self) -> Result<(), RunError> {
        self.files.iter().try_for_each(LogFile::finish)
    }
}

/// The logs of one job.
#[derive(Debug, Default)]
pub struct JobLog {
    clock: LogClock,
    since_ps: u64,
    /// Of submission, of completion, and of both.
    latencies: [Option<ValueLog>; 3],
    /// Bandwidth and IOPS.
    rates: [Option<RateLog>; 2],
    histogram: Option<HistogramLog>,
    trace: Option<Trace>,
    /// Where its requests are kept, and its index there.
    requests: Option<(RequestLog, u16)>,
}

impl JobLog {
    fn add(&mut self, kind: LogKind, logging: &Logging, file: LogFile) {
        let Logging { average_ms, value, offset, priority, .. } = *logging;
        if kind == LogKind::Histogram {
            let (window_ms, coarseness) = (logging.histogram_ms, logging.coarseness);
            let plan = HistogramPlan { file, window_ms, coarseness };
            // As in fio, the file stays empty without a window.
            self.histogram = (window_ms > 0).then(|| HistogramLog::new(plan));
            return;
        }
        let lines = LineWriter { file, offset, priority, shift_ms: 0 };
        match kind {
            LogKind::Submission | LogKind::Completion | LogKind::Total => {
                self.latencies[kind as usize] = Some(ValueLog::new(lines, average_ms, value));
            }
            LogKind::Bandwidth => {
                self.rates[0] = Some(RateLog::new(lines, RateKind::Bandwidth, average_ms));
            }
            LogKind::Iops | LogKind::Histogram => {
                self.rates[1] = Some(RateLog::new(lines, RateKind::Iops, average_ms));
            }
        }
    }

    /// What the job measures starts, in time from the start of the run.
    pub fn start(&mut self, since_ps: u64) {
        self.since_ps = since_ps;
        let shift_ms = match self.clock {
            LogClock::Job => 0,
            LogClock::Run => since_ps / PS_PER_MS,
        };
        self.latencies.iter_mut().flatten().for_each(|log| log.lines.shift_ms = shift_ms);
        self.rates.iter_mut().flatten().for_each(|log| log.lines.shift_ms = shift_ms);
        if let Some(log) = &mut self.histogram {
            log.shift_ms = shift_ms;
        }
    }

    /// A request is issued, measured or not.
    #[inline]
    pub fn issue(&mut self, at_ps: u64, request: &Request) {
        if let Some(trace) = &self.trace {
            trace.issue(at_ps, request);
        }
    }

    /// A request of those that are measured completed; `split` is where its time went, if that is asked for.
    pub fn complete(
        &mut self,
        what: (Direction, u64),
        completion: &Completion,
        split: Option<&Split>,
    ) {
        let (direction, offset_bytes) = what;
        let &Completion { at_ps, bytes, submission_ps, completion_ps, .. } = completion;
        let at_ms = at_ps.saturating_sub(self.since_ps) / PS_PER_MS;
        let entry = Entry { at_ms, direction, bytes, offset_bytes };
        let latencies_ps = [submission_ps, completion_ps, submission_ps + completion_ps];
        for (log, latency_ps) in self.latencies.iter_mut().zip(latencies_ps) {
            if let Some(log) = log {
                log.record(&entry, latency_ps / PS_PER_NS);
            }
        }
        let clat_ns = completion_ps / PS_PER_NS;
        self.rates.iter_mut().flatten().for_each(|log| log.record(&entry, clat_ns));
        if let Some(log) = &mut self.histogram {
            log.record(&entry, clat_ns);
        }
        if let Some((log, job)) = &self.requests {
            log.add(*job, (direction, offset_bytes), (completion, split));
        }
    }

    /// The job ends.
    pub fn end(&mut self, at_ps: u64) {
        let at_ms = at_ps.saturating_sub(self.since_ps) / PS_PER_MS;
        self.latencies.iter_mut().flatten().for_each(|log| log.end(at_ms));
        self.rates.iter_mut().flatten().for_each(|log| log.close_windows(at_ms));
        if let Some(trace) = &self.trace {
            trace.end(at_ps);
        }
    }
}
