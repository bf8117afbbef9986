//! The jobs that stand for measurements: the same requests, but no more of them than figures need.

use board::Board;
use contract::Medium;
use host::job::{self, JobFile};

use crate::error::FitError;
use crate::measurement::Measurement;

/// Name of a stage that is not measured.
const BEFORE: &str = "before";
/// Requests for each that is in flight: starting and ending then count little.
const PER_IN_FLIGHT: u64 = 40;
/// How often what a writing job does before it is measured fills the data buffer.
const FILLINGS: u64 = 2;
/// Most bytes of a job, so that it goes round in its area until the number of requests ends it.
const MOST_BYTES: &str = "1p";

/// Options that say how long a job lasts, when it runs, what it is called and what is told of it: those of the measurement
/// do not count here. Neither do options that end or slow down a job on a board that is worse than the drive: it did keep to
/// its rates and latencies, and a search for a queue depth stands in the measurement as the depth that was found.
const LEFT_OUT: &[&str] = &[
    "runtime",
    "timeout",
    "time_based",
    "ramp_time",
    "loops",
    "io_size",
    "io_limit",
    "number_ios",
    "steadystate",
    "ss",
    "steadystate_duration",
    "ss_dur",
    "steadystate_ramp_time",
    "ss_ramp",
    "startdelay",
    "start_delay",
    "stonewall",
    "wait_for_previous",
    "new_group",
    "exitall",
    "exit_what",
    "name",
    "description",
    "filename",
    "directory",
    "group_reporting",
    "percentile_list",
    "slat_percentiles",
    "clat_percentiles",
    "lat_percentiles",
    "per_job_logs",
    "unified_rw_reporting",
    "latency_target",
    "latency_window",
    "latency_percentile",
    "latency_run",
    "max_latency",
    "rate_min",
    "ratemin",
    "rate_iops_min",
    "rate_cycle",
    "ratecycle",
];

/// The jobs of a report, one after the other on one drive, as fio ran them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'a> {
    /// At least one, all of one file.
    pub measurements: &'a [Measurement],
    /// Fewest requests of a job, unless the measurement has fewer.
    pub requests: u64,
}

impl Load<'_> {
    /// The jobs to run on a board. A measurement of few requests is run as it was. Of a longer one the first part is run
    /// without being measured: until the queue is full, and where it writes, until the data buffer is.
    ///
    /// # Errors
    /// When an option cannot be used.
    pub fn jobs(&self, board: &Board) -> Result<JobFile, FitError> {
        let mut pairs = Vec::new();
        for (nth, measurement) in self.measurements.iter().enumerate() {
            let own = Stages { measurement, requests: self.requests, board };
            let stages = own.pairs(&name(nth));
            // A fault is one of this job, and not of the file.
            job::from_pairs(&stages).map_err(|error| fault(measurement, &error.to_string()))?;
            pairs.extend(stages);
        }
        job::from_pairs(&pairs).map_err(|error| fault(&self.measurements[0], &error.to_string()))
    }
}

/// Name of the measured stage of a job, by its place in the file.
pub(crate) fn name(nth: usize) -> String {
    format!("measured-{nth}")
}

/// A fault of a job that a run tells of.
pub(crate) fn fault(measurement: &Measurement, line: &str) -> FitError {
    let line = line.strip_prefix("command line: ").unwrap_or(line);
    FitError::Input(format!("{}: {line}", measurement.whole_name()))
}

/// A measurement's job on a board, in one stage or two.
struct Stages<'a> {
    measurement: &'a Measurement,
    requests: u64,
    board: &'a Board,
}

impl Stages<'_> {
    fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let clones = self.number("numjobs");
        let in_flight = clones * self.number("iodepth");
        let all = self.measurement.requests();
        let counted = self.requests.max(PER_IN_FLIGHT * in_flight).min(all);
        if counted < all {
            let before = self.before(in_flight).min(all);
            self.stage((BEFORE, before.div_ceil(clones)), &mut pairs);
            // Other places than those of the stage that follows.
            pairs.push(("randseed".to_owned(), "1".to_owned()));
        }
        self.stage((name, counted.div_ceil(clones)), &mut pairs);
        pairs
    }

    fn stage(&self, (name, requests): (&str, u64), pairs: &mut Vec<(String, String)>) {
        let mut push = |key: &str, value: &str| pairs.push((key.to_owned(), value.to_owned()));
        push("name", name);
        for (key, value) in self.measurement.options.iter().filter(|(key, _)| !is_left_out(key)) {
            push(key, value);
        }
        push("number_ios", &requests.max(1).to_string());
        push("io_size", MOST_BYTES);
        push("group_reporting", "1");
        push("stonewall", "1");
    }

    fn before(&self, in_flight: u64) -> u64 {
        let writes = self.measurement.writes();
        let bytes = self.measurement.bytes_per_request().max(1.0) as u64;
        let filled = match writes && self.board.firmware.medium == Medium::Flash {
            true => FILLINGS * buffer_bytes(self.board) / bytes,
            false => 0,
        };
        filled.max(PER_IN_FLIGHT / 4 * in_flight)
    }

    fn number(&self, key: &str) -> u64 {
        let number = self.measurement.option(&[key]).and_then(|text| text.parse().ok());
        number.unwrap_or(1).max(1)
    }
}

fn buffer_bytes(board: &Board) -> u64 {
    let kib = board.value("ftl.buffer_kib").and_then(|text| text.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// Whether an option of the measurement does not count.
fn is_left_out(key: &str) -> bool {
    let of_logs = key.starts_with("log_") || (key.starts_with("write_") && key.ends_with("log"));
    LEFT_OUT.contains(&key) || of_logs
}
