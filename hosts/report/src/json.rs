//! The report as fio's JSON, with a `firmament` object beside fio's own keys.
//!
//! Keys and nesting are those of fio 3.33. What only a wall clock could fill (timestamps, CPU use of
//! the host) is zero, so that equal runs give equal bytes up to the speed figures.

use crate::depth::{BATCH_LABELS, DEPTH_LABELS};
use crate::direction::Direction;
use crate::json_firmament::firmament;
use crate::json_lines::Lines;
use crate::json_values::{moments, named_percentiles, number};
use crate::latency::Latency;
use crate::latency_buckets::{LatencyBuckets, BOUNDS, LONG_LABELS};
use crate::latency_search::LatencySearch;
use crate::normal::EPOCH;
use crate::percentiles::{LatencyKind, Percentiles};
use crate::result::{milliseconds, seconds, DirectionResult, JobResult, RunResult};
use crate::steady_state::{SteadyLimit, SteadyState};
use crate::unified::MIXED;
use serde::Serialize;
use serde_json::{json, Map, Serializer, Value};
use std::io::{self, Write};

const PS_PER_NS: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;
const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// fio's two JSON forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// `--output-format=json`.
    Plain,
    /// `--output-format=json+`: completion latencies carry all bins of their histogram.
    Plus,
}

impl JsonForm {
    /// The form that `report` has; the plain one if it holds no latency.
    pub fn of(report: &Value) -> Self {
        let jobs = report["jobs"].as_array().into_iter().flatten();
        let mut latencies = jobs.flat_map(|job| {
            let names = Direction::ALL.map(Direction::name).into_iter().chain([MIXED]);
            names.map(|name| &job[name]["clat_ns"])
        });
        match latencies.any(|latency| latency.get("bins").is_some()) {
            true => Self::Plus,
            false => Self::Plain,
        }
    }
}

/// Writes the report of `run` as JSON.
///
/// # Errors
/// The errors of `out`.
pub fn write_json(run: &RunResult, form: JsonForm, out: &mut impl Write) -> io::Result<()> {
    value(run, form)?.serialize(&mut Serializer::with_formatter(&mut *out, Lines::default()))?;
    writeln!(out)
}

/// The report as a value.
fn value(run: &RunResult, form: JsonForm) -> serde_json::Result<Value> {
    let jobs: Vec<_> = run.jobs.iter().map(|job| job_object(run, job, form)).collect();
    let mut own = firmament(run)?;
    if !run.further.is_empty() {
        let further = run.further.iter().map(|further| value(further, form));
        own["further_drives"] = further.collect::<serde_json::Result<_>>()?;
    }
    Ok(json!({
        "fio version": run.version,
        "timestamp": 0,
        "timestamp_ms": 0,
        "time": EPOCH,
        "global options": options(&run.global_options),
        "jobs": jobs,
        "disk_util": [],
        "firmament": own,
    }))
}

fn options(options: &[(String, String)]) -> Value {
    Value::Object(options.iter().map(|(key, value)| (key.clone(), json!(value))).collect())
}

fn job_object(run: &RunResult, job: &JobResult, form: JsonForm) -> Value {
    let mut object = fields(json!({
        "jobname": job.name,
        "groupid": job.group,
        "error": job.error.as_ref().map_or(0, |error| error.number),
        "eta": 0,
        "elapsed": seconds(job.end_ps).ceil() as u64,
        "job options": options(&job.options),
    }));
    object.extend(directions(run, job, Told { percentiles: &job.percentiles, form }));
    let buckets = LatencyBuckets::of(job);
    let bounds = BOUNDS.map(|bound| bound.to_string());
    let bounds = bounds.each_ref().map(String::as_str);
    let mut milliseconds_shares = fields(shares(&bounds, &buckets.milliseconds));
    milliseconds_shares.extend(fields(shares(&LONG_LABELS, &buckets.long)));
    object.extend(fields(json!({
        "job_runtime": milliseconds(job.runtime_ps),
        "usr_cpu": 0.0,
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        "iodepth_level": shares(&DEPTH_LABELS, &job.depths.percentages()),
        "iodepth_submit": shares(&BATCH_LABELS, &job.submits.percentages()),
        "iodepth_complete": shares(&BATCH_LABELS, &job.completes.percentages()),
        "latency_ns": shares(&bounds, &buckets.nanoseconds),
        "latency_us": shares(&bounds, &buckets.microseconds),
        "latency_ms": milliseconds_shares,
    })));
    object.extend(latency_search(job));
    if let Some(seen) = &job.steady_state {
        object.insert("steadystate".into(), steady_state(seen));
    }
    Value::Object(object)
}

/// The objects of the directions and of flushes. As in fio, a job whose directions are reported
/// together has none of its flushes.
fn directions(run: &RunResult, job: &JobResult, told: Told<'_>) -> Map<String, Value> {
    let mut objects = Map::new();
    let idle = DirectionResult::new(0);
    if job.unified.tells_each() {
        for direction in Direction::ALL {
            let result = job.active(direction).unwrap_or(&idle);
            let group_bandwidth = run.group_bandwidth(job.group, direction);
            let object = direction_object(result, group_bandwidth, told);
            objects.insert(direction.name().into(), object);
        }
        let latency = told.distribution(&job.sync);
        let sync = json!({ "total_ios": job.sync.count(), "lat_ns": latency });
        objects.insert("sync".into(), sync);
    }
    if job.unified.tells_mixed() {
        let object = direction_object(&job.mixed(), run.mixed_bandwidth(job.group), told);
        objects.insert(MIXED.into(), object);
    }
    objects
}

/// fio's fields of a search for a queue depth: nanoseconds of the target, microseconds of the window.
fn latency_search(job: &JobResult) -> Map<String, Value> {
    let (depth, target_ns, percentile, window_us) = match &job.latency_search {
        None => (job.workload.depth, 0, 100.0, 0),
        Some(LatencySearch { target_ps, window_ps, percentile, depth }) => {
            (*depth, target_ps / PS_PER_NS, *percentile, window_ps / PS_PER_US)
        }
    };
    fields(json!({
        "latency_depth": depth,
        "latency_target": target_ns,
        "latency_percentile": percentile,
        "latency_window": window_us,
    }))
}

/// fio's object of `steadystate`. As in fio, numbers that the criterion does not ask for are zero.
fn steady_state(seen: &SteadyState) -> Value {
    let unit = |value: f64| match seen.limit {
        SteadyLimit::Absolute(_) => format!("{value:.6}"),
        SteadyLimit::PercentOfMean(_) => format!("{value:.6}%"),
    };
    let (SteadyLimit::Absolute(limit) | SteadyLimit::PercentOfMean(limit)) = seen.limit;
    let (deviation, slope) = match seen.criterion.is_slope() {
        true => (0.0, seen.slope()),
        false => (seen.max_deviation(), 0.0),
    };
    json!({
        "ss": format!("{}:{}", seen.criterion.name(), unit(limit)),
        "duration": seen.duration_ps / PS_PER_SECOND,
        "attained": u8::from(seen.attained),
        "criterion": unit(seen.found()),
        "max_deviation": number(deviation),
        "slope": number(slope),
        "data": {
            "bw_mean": seen.mean_bandwidth() as u64,
            "iops_mean": seen.mean_iops() as u64,
            "iops": seen.iops,
            "bw": seen.bandwidth,
        },
    })
}

fn direction_object(result: &DirectionResult, group_bandwidth: f64, told: Told<'_>) -> Value {
    let bandwidth = result.rates.bandwidth_kib();
    let iops = result.rates.iops();
    let group_kib = group_bandwidth / 1024.0;
    let share = if group_kib > 0.0 { 100.0 * bandwidth.mean() / group_kib } else { 0.0 };
    let runtime_ms = if result.ios > 0 { result.runtime_ms() } else { 0 };
    json!({
        "io_bytes": result.bytes,
        "io_kbytes": result.bytes / 1024,
        "bw_bytes": result.bandwidth() as u64,
        "bw": (result.bandwidth() / 1024.0) as u64,
        "iops": number(result.iops()),
        "runtime": runtime_ms,
        "total_ios": result.ios,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": told.latency(result, LatencyKind::Submission),
        "clat_ns": told.latency(result, LatencyKind::Completion),
        "lat_ns": told.latency(result, LatencyKind::Total),
        "bw_min": bandwidth.min(),
        "bw_max": bandwidth.max(),
        "bw_agg": number(share.min(100.0)),
        "bw_mean": number(bandwidth.mean()),
        "bw_dev": number(bandwidth.standard_deviation()),
        "bw_samples": bandwidth.samples(),
        "iops_min": iops.min(),
        "iops_max": iops.max(),
        "iops_mean": number(iops.mean()),
        "iops_stddev": number(iops.standard_deviation()),
        "iops_samples": iops.samples(),
    })
}

/// What is told of latencies.
#[derive(Clone, Copy)]
struct Told<'a> {
    percentiles: &'a Percentiles,
    form: JsonForm,
}

impl Told<'_> {
    /// As [`moments`], with percentiles and bins if the job wants them of this latency.
    fn latency(self, result: &DirectionResult, kind: LatencyKind) -> Value {
        match (self.percentiles.has(kind), result.latency(kind)) {
            (true, (_, Some(latency))) => self.distribution(latency),
            (_, (moments_ps, _)) => moments(moments_ps),
        }
    }

    /// As [`moments`], with percentiles and bins; without samples there are none, as in fio.
    fn distribution(self, latency: &Latency) -> Value {
        let mut object = fields(moments(latency.moments_ps()));
        if latency.count() > 0 {
            let percentiles = named_percentiles(latency, &self.percentiles.list);
            object.insert("percentile".into(), percentiles);
            if self.form == JsonForm::Plus {
                let bins = latency.bins_ns().map(|(ns, count)| (ns.to_string(), json!(count)));
                object.insert("bins".into(), Value::Object(bins.collect()));
            }
        }
        Value::Object(object)
    }
}

fn shares(labels: &[&str], percentages: &[f64]) -> Value {
    let named = labels.iter().zip(percentages);
    Value::Object(named.map(|(label, &share)| (label.to_string(), number(share))).collect())
}

fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
