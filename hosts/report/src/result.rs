//! What a run leaves behind for its reports: plain data that the run engine fills.

use crate::amplification::WriteWindow;
use crate::blocks::BlockMap;
use crate::cut::Cut;
use crate::depth::{BatchSizes, QueueDepths};
use crate::direction::Direction;
use crate::drive::{DriveResult, Pacing, Speed};
use crate::guest_processor::GuestProcessor;
use crate::host_ftl::HostFtl;
use crate::latency::Latency;
use crate::latency_search::LatencySearch;
use crate::moments::Moments;
use crate::over_time::OverTime;
use crate::percentiles::{LatencyKind, Percentiles};
use crate::precision::{OverSeeds, Precision};
use crate::provenance::Provenance;
use crate::queues::QueueResult;
use crate::rate::RateWindows;
use crate::series::Series;
use crate::split_record;
use crate::steady_state::SteadyState;
use crate::unified::Unified;
use crate::waits::Waits;
use contract::{Cause, Split};
use monitor::Interval;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const PS_PER_SECOND: f64 = 1e12;
const PS_PER_MS: u64 = 1_000_000_000;

/// Everything the reports tell of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// Version as fio's readers expect it, for example `fio-3.36`.
    pub version: String,
    /// Name of the board.
    pub board: String,
    /// Name of the job file, or what stood in for one.
    pub job_file: String,
    /// Seed of every random stream of the run.
    pub seed: u64,
    /// What was run, so that it can be run again; `None` where nobody keeps a report.
    #[serde(skip)]
    pub provenance: Option<Provenance>,
    /// Options of the `[global]` section, in order.
    pub global_options: Vec<(String, String)>,
    /// Results by job, in the order of the job file.
    pub jobs: Vec<JobResult>,
    /// Throughput of all jobs over virtual time.
    pub series: Series,
    /// What the drive did.
    pub drive: DriveResult,
    /// The same over virtual time.
    #[serde(default, skip_serializing_if = "OverTime::is_empty")]
    pub over_time: OverTime,
    /// The drive's blocks at the end; `None` where nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Box<BlockMap>>,
    /// What went through each queue; nothing where there is a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<QueueResult>,
    /// What the FTL in the host did; `None` where the drive places its data itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_ftl: Option<Box<HostFtl>>,
    /// What system calls of a Linux on the drive waited for; `None` where the host is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Box<Waits>>,
    /// By what model the processor of a guest takes time; `None` where the host is a model as a whole, or real.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest_processor: Option<GuestProcessor>,
    /// Reports of further drives of the same host, each of its own drive alone; nothing where there is one drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<RunResult>,
    /// What the operation monitor saw, in order; nothing if it was off.
    pub monitored: Vec<Interval>,
    /// Bytes of user data in a page: what one program fills.
    pub page_bytes: u32,
    /// How well the drive kept to the wall clock; `None` where it ran in virtual time alone.
    pub pacing: Option<Pacing>,
    /// What the simulation cost.
    pub speed: Speed,
    /// What ended the run before its jobs were done; `None` if nothing did.
    pub cut: Option<Cut>,
    /// Warnings for the user, one line each.
    pub warnings: Vec<String>,
    /// How well figures are known, by stage; nothing where nobody asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub precision: Vec<Precision>,
    /// Means over several seeds; `None` where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_seeds: Option<OverSeeds>,
}

impl RunResult {
    /// Whether somebody asked where the time of requests goes.
    pub fn has_causes(&self) -> bool {
        let directions = self.jobs.iter().flat_map(|job| job.directions.iter().flatten());
        directions.into_iter().all(|direction| direction.has_causes())
    }

    /// Whether no other job ran while this one did, so that its window of writes is its own.
    pub(crate) fn ran_alone(&self, job: &JobResult) -> bool {
        let overlaps =
            |other: &&JobResult| other.start_ps < job.end_ps && job.start_ps < other.end_ps;
        self.jobs.iter().filter(overlaps).count() < 2 && job.jobs == 1
    }

    /// Numbers of the reporting groups, rising.
    pub(crate) fn groups(&self) -> BTreeSet<u32> {
        self.jobs.iter().map(|job| job.group).collect()
    }

    /// Bytes a second of all jobs of `group` in `direction`, over the longest of their runtimes.
    pub(crate) fn group_bandwidth(&self, group: u32, direction: Direction) -> f64 {
        let members = self.jobs.iter().filter(|job| job.group == group);
        together(members.filter_map(|job| job.active(direction)))
    }

    /// As [`RunResult::group_bandwidth`], of all directions of the jobs that report them together.
    pub(crate) fn mixed_bandwidth(&self, group: u32) -> f64 {
        let members = self.jobs.iter();
        let members = members.filter(|job| job.group == group && job.unified.tells_mixed());
        together(members.flat_map(|job| job.directions.iter().flatten()).map(|result| &**result))
    }
}

/// Result of one job, or of several added together.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobResult {
    /// Name of the job section.
    pub name: String,
    /// Reporting group, as fio counts them: a `stonewall` or `new_group` starts the next.
    pub group: u32,
    /// Number of jobs added together in this result.
    pub jobs: u32,
    /// The error that ended the job, if one did.
    pub error: Option<JobError>,
    /// What the job was asked to do.
    pub workload: Workload,
    /// Which percentiles its report has.
    pub percentiles: Percentiles,
    /// Options of the job's own section, in order.
    pub options: Vec<(String, String)>,
    /// Results by [`Direction`]; `None` where the job never goes.
    pub directions: [Option<Box<DirectionResult>>; 3],
    /// What all jobs and the drive wrote while the job ran, from the start of its stage; `None` where nobody counted.
    pub writes: Option<WriteWindow>,
    /// Latencies of flushes.
    pub sync: Latency,
    /// Queue depths met by its requests.
    pub depths: QueueDepths,
    /// Sizes of its submissions.
    pub submits: BatchSizes,
    /// Sizes of its completions.
    pub completes: BatchSizes,
    /// What its search for a queue depth came to, if it made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_search: Option<LatencySearch>,
    /// Whether its directions are reported together.
    #[serde(default, skip_serializing_if = "Unified::is_none")]
    pub unified: Unified,
    /// What `steadystate` saw, if the job had it.
    pub steady_state: Option<SteadyState>,
    /// When the job started.
    pub start_ps: u64,
    /// When the job ended.
    pub end_ps: u64,
    /// Time from start to end, summed over the jobs added together.
    pub runtime_ps: u64,
}

impl JobResult {
    /// The result of a job that has done nothing yet. It goes in no direction until
    /// [`JobResult::open`] is called.
    pub fn new(name: impl Into<String>, workload: Workload) -> Self {
        Self {
            name: name.into(),
            group: 0,
            jobs: 1,
            error: None,
            workload,
            percentiles: Percentiles::default(),
            options: Vec::new(),
            directions: [None, None, None],
            writes: None,
            sync: Latency::new(),
            depths: QueueDepths::default(),
            submits: BatchSizes::default(),
            completes: BatchSizes::default(),
            latency_search: None,
            unified: Unified::None,
            steady_state: None,
            start_ps: 0,
            end_ps: 0,
            runtime_ps: 0,
        }
    }

    /// Allocates the counters of a direction in which the job goes from `start_ps` on.
    pub fn open(&mut self, direction: Direction, start_ps: u64) {
        let histogram = |kind| self.percentiles.has(kind).then(Box::default);
        self.directions[direction as usize] = Some(Box::new(DirectionResult {
            slat: histogram(LatencyKind::Submission),
            lat: histogram(LatencyKind::Total),
            ..DirectionResult::new(start_ps)
        }));
    }

    /// Counts a completed request; `split` is where its time went, if that is asked for.
    ///
    /// # Panics
    /// When the direction was not opened.
    #[inline]
    pub fn record(&mut self, direction: Direction, completion: &Completion, split: Option<&Split>) {
        self.directions[direction as usize]
            .as_mut()
            .expect("a job records only in directions it opened")
            .record(completion, split);
    }

    /// Adds another job to this one, as fio's `group_reporting`.
    pub fn merge(&mut self, other: &Self) {
        self.jobs += other.jobs;
        if self.error.is_none() {
            self.error.clone_from(&other.error);
        }
        for (own, more) in self.directions.iter_mut().zip(&other.directions) {
            match (own, more) {
                (Some(own), Some(more)) => own.merge(more),
                (own @ None, Some(more)) => *own = Some(more.clone()),
                (_, None) => {}
            }
        }
        match (&mut self.writes, &other.writes) {
            (Some(own), Some(more)) => own.merge(more),
            (own, more) => *own = own.or(*more),
        }
        self.sync.merge(&other.sync);
        self.depths.merge(&other.depths);
        self.submits.merge(&other.submits);
        self.completes.merge(&other.completes);
        if self.steady_state.is_none() {
            self.steady_state.clone_from(&other.steady_state);
        }
        self.start_ps = self.start_ps.min(other.start_ps);
        self.end_ps = self.end_ps.max(other.end_ps);
        self.runtime_ps += other.runtime_ps;
    }

    /// The result in a direction in which at least one request completed.
    pub fn active(&self, direction: Direction) -> Option<&DirectionResult> {
        self.directions[direction as usize].as_deref().filter(|result| result.ios > 0)
    }
}

/// Why a job ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobError {
    /// Linux error number, as fio reports it.
    pub number: u32,
    /// What happened, in one line.
    pub message: String,
}

/// What a job was asked to do, as fio's opening lines tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// fio's `rw`, for example `randread`.
    pub pattern: String,
    /// Smallest and largest request in bytes, by [`Direction`].
    pub block_bytes: [(u64, u64); 3],
    /// Name of the I/O engine.
    pub engine: String,
    /// Largest number of outstanding requests.
    pub depth: u32,
}

/// A request that has completed.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// When it completed.
    pub at_ps: u64,
    /// Size of the request.
    pub bytes: u64,
    /// From the job's decision to the doorbell.
    pub submission_ps: u64,
    /// From the doorbell to the host's sight of the completion.
    pub completion_ps: u64,
}

/// Result of one job in one direction.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionResult {
    /// Completed requests.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Zones that the job has reset before it wrote them anew.
    #[serde(skip)]
    pub zone_resets: u64,
    /// Time during which the job went in this direction, at least up to its last completion.
    pub runtime_ps: u64,
    /// Submission latency in picoseconds (fio's `slat`).
    pub slat_ps: Moments,
    /// The same with its percentiles, if they are wanted.
    pub slat: Option<Box<Latency>>,
    /// Completion latency (fio's `clat`).
    pub clat: Latency,
    /// Submission plus completion latency in picoseconds (fio's `lat`).
    pub lat_ps: Moments,
    /// The same with its percentiles, if they are wanted.
    pub lat: Option<Box<Latency>>,
    /// Time in each [`Part`] of the drive.
    pub parts: [Latency; 3],
    /// Time of each [`Cause`] in the requests that it delayed.
    causes: [Latency; Cause::COUNT],
    /// Sums of all requests' times.
    #[serde(with = "split_record")]
    pub split: Split,
    /// Bandwidth and IOPS by window.
    pub rates: RateWindows,
}

impl DirectionResult {
    /// A direction in which nothing has completed, sampled from `start_ps` on.
    pub fn new(start_ps: u64) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            zone_resets: 0,
            runtime_ps: 0,
            slat_ps: Moments::new(),
            slat: None,
            clat: Latency::new(),
            lat_ps: Moments::new(),
            lat: None,
            parts: std::array::from_fn(|_| Latency::new()),
            causes: std::array::from_fn(|_| Latency::new()),
            split: Split::default(),
            rates: RateWindows::new(start_ps),
        }
    }

    /// Counts a request; `split` is where its completion latency went, and adds up to that. None if nobody asks.
    #[inline]
    fn record(&mut self, completion: &Completion, split: Option<&Split>) {
        self.ios += 1;
        self.bytes += completion.bytes;
        self.slat_ps.record(completion.submission_ps);
        self.clat.record(completion.completion_ps);
        let total_ps = completion.submission_ps + completion.completion_ps;
        self.lat_ps.record(total_ps);
        if let Some(slat) = &mut self.slat {
            slat.record(completion.submission_ps);
        }
        if let Some(lat) = &mut self.lat {
            lat.record(total_ps);
        }
        if let Some(split) = split {
            self.record_split(split);
        }
        self.rates.record(completion.at_ps, completion.bytes);
    }

    /// Counts where the time of a request went.
    #[inline]
    fn record_split(&mut self, split: &Split) {
        for (part, time_ps) in self.parts.iter_mut().zip(split.by_part()) {
            part.record(time_ps);
        }
        // Most causes have no part in most requests.
        for (cause, time_ps) in self.causes.iter_mut().zip(split.by_cause()) {
            if time_ps > 0 {
                cause.record(time_ps);
            }
        }
        self.split.merge(split);
    }

    /// Whether somebody asked where the time of requests goes.
    pub fn has_causes(&self) -> bool {
        self.ios == 0 || self.split.total() > 0
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.zone_resets += other.zone_resets;
        self.runtime_ps = self.runtime_ps.max(other.runtime_ps);
        self.slat_ps.merge(&other.slat_ps);
        self.clat.merge(&other.clat);
        self.lat_ps.merge(&other.lat_ps);
        for (own, more) in [(&mut self.slat, &other.slat), (&mut self.lat, &other.lat)] {
            if let (Some(own), Some(more)) = (own, more) {
                own.merge(more);
            }
        }
        for (part, more) in self.parts.iter_mut().zip(&other.parts) {
            part.merge(more);
        }
        for (cause, more) in self.causes.iter_mut().zip(&other.causes) {
            cause.merge(more);
        }
        self.split.merge(&other.split);
        self.rates.merge_parallel(&other.rates);
    }

    /// Latencies that may have percentiles: count and moments in picoseconds, and the distribution
    /// where it is kept.
    pub fn latency(&self, kind: LatencyKind) -> (&Moments, Option<&Latency>) {
        match kind {
            LatencyKind::Submission => (&self.slat_ps, self.slat.as_deref()),
            LatencyKind::Completion => (self.clat.moments_ps(), Some(&self.clat)),
            LatencyKind::Total => (&self.lat_ps, self.lat.as_deref()),
        }
    }

    /// Bytes a second of virtual time, 0 without runtime.
    pub fn bandwidth(&self) -> f64 {
        per_second(self.bytes, self.runtime_ps)
    }

    /// Requests a second of virtual time, 0 without runtime.
    pub fn iops(&self) -> f64 {
        per_second(self.ios, self.runtime_ps)
    }

    /// Runtime in milliseconds as fio tells it: whole, and at least one.
    pub(crate) fn runtime_ms(&self) -> u64 {
        milliseconds(self.runtime_ps).max(1)
    }

    /// Time of a cause in every request, also in requests that it did not delay.
    pub fn cause(&self, cause: Cause) -> Latency {
        let mut latency = self.causes[cause as usize].clone();
        latency.record_zeros(self.ios.saturating_sub(latency.count()));
        latency
    }

    /// Share of each [`Cause`] in the time of all requests, 0 to 1.
    pub fn cause_shares(&self) -> [f64; Cause::COUNT] {
        let total = self.split.total();
        self.split.by_cause().map(|sum| if total == 0 { 0.0 } else { sum as f64 / total as f64 })
    }

    /// Share of each [`Part`] in the time of all parts, 0 to 1.
    pub fn part_shares(&self) -> [f64; 3] {
        let sums = [0, 1, 2].map(|part: usize| self.parts[part].moments_ps().sum());
        let total: u128 = sums.iter().sum();
        sums.map(|sum| if total == 0 { 0.0 } else { sum as f64 / total as f64 })
    }
}

/// `time_ps` in whole milliseconds, rounded to the nearest.
pub(crate) fn milliseconds(time_ps: u64) -> u64 {
    time_ps.saturating_add(PS_PER_MS / 2) / PS_PER_MS
}

/// `time_ps` in seconds.
pub(crate) fn seconds(time_ps: u64) -> f64 {
    time_ps as f64 / PS_PER_SECOND
}

/// Bytes a second of all, over the longest of their runtimes.
fn together<'a>(results: impl Iterator<Item = &'a DirectionResult>) -> f64 {
    let (bytes, runtime_ps) = results.fold((0, 0), |(bytes, runtime_ps), result| {
        (bytes + result.bytes, result.runtime_ps.max(runtime_ps))
    });
    per_second(bytes, runtime_ps)
}

fn per_second(amount: u64, time_ps: u64) -> f64 {
    if time_ps == 0 {
        return 0.0;
    }
    amount as f64 / seconds(time_ps)
}
