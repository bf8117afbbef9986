//! The report as fio's terse lines: one a job, values divided by semicolons (fio's HOWTO, "Terse output").

use crate::depth::DEPTH_LABELS;
use crate::direction::Direction;
use crate::latency::Latency;
use crate::latency_buckets::LatencyBuckets;
use crate::moments::Moments;
use crate::rate::RateStatistics;
use crate::result::{DirectionResult, JobResult, RunResult};
use chart::number::finite;
use std::io::{self, Write};

/// Percentiles that a line has room for; what is not used is `0%=0`.
const PERCENTILES: usize = 20;

const NS_PER_US: f64 = 1e3;
const PS_PER_NS: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;

/// Which of fio's terse formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerseVersion {
    /// Without the version of fio; a description stands on a line of its own.
    V2,
    /// fio's default, without trims.
    V3,
    /// As the third, with trims.
    V4,
    /// As the fourth, with IOPS and numbers of samples.
    V5,
}

impl TerseVersion {
    const fn number(self) -> u32 {
        match self {
            Self::V2 => 2,
            Self::V3 => 3,
            Self::V4 => 4,
            Self::V5 => 5,
        }
    }

    const fn directions(self) -> &'static [Direction] {
        match self {
            Self::V3 => &[Direction::Read, Direction::Write],
            Self::V2 | Self::V4 | Self::V5 => &Direction::ALL,
        }
    }
}

/// Writes the report of `run` as one line a job.
///
/// # Errors
/// The errors of `out`.
pub fn write_terse(run: &RunResult, version: TerseVersion, out: &mut impl Write) -> io::Result<()> {
    run.jobs.iter().try_for_each(|job| write_job(run, version, job, out))
}

fn write_job(
    run: &RunResult,
    version: TerseVersion,
    job: &JobResult,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{}", version.number())?;
    if version != TerseVersion::V2 {
        write!(out, ";{}", run.version)?;
    }
    let error = job.error.as_ref().map_or(0, |error| error.number);
    write!(out, ";{};{};{error}", job.name, job.group)?;
    let idle = DirectionResult::new(0);
    let list = &job.percentiles.list;
    let each: &[Direction] = if job.unified.tells_each() { version.directions() } else { &[] };
    for &direction in each {
        let result = job.active(direction).unwrap_or(&idle);
        let group_bandwidth = run.group_bandwidth(job.group, direction);
        write_direction(version, (result, group_bandwidth, list), out)?;
    }
    if job.unified.tells_mixed() {
        let group_bandwidth = run.mixed_bandwidth(job.group);
        write_direction(version, (&job.mixed(), group_bandwidth, list), out)?;
    }
    // The host's own work is not modelled.
    write!(out, ";0.000000%;0.000000%;0;0;0")?;
    for share in &job.depths.percentages()[..DEPTH_LABELS.len()] {
        write!(out, ";{share:.1}%")?;
    }
    write_buckets(job, out)?;
    match description(run, job) {
        Some(text) if version == TerseVersion::V2 => writeln!(out, "\n{text}"),
        Some(text) => writeln!(out, ";{text}"),
        None => writeln!(out),
    }
}

fn write_direction(
    version: TerseVersion,
    (result, group_bandwidth, percentiles): (&DirectionResult, f64, &[f64]),
    out: &mut impl Write,
) -> io::Result<()> {
    let runtime_ms = if result.ios > 0 { result.runtime_ms() } else { 0 };
    let (kib, iops) = ((result.bandwidth() / 1024.0) as u64, result.iops() as u64);
    write!(out, ";{};{kib};{iops};{runtime_ms}", result.bytes / 1024)?;
    write_moments(&result.slat_ps, out)?;
    write_moments(result.clat.moments_ps(), out)?;
    write_percentiles(&result.clat, percentiles, out)?;
    write_moments(&result.lat_ps, out)?;
    let bandwidth = result.rates.bandwidth_kib();
    let group_kib = group_bandwidth / 1024.0;
    let share = if group_kib > 0.0 { 100.0 * bandwidth.mean() / group_kib } else { 0.0 };
    write!(out, ";{};{}", bandwidth.min(), bandwidth.max())?;
    write!(out, ";{:.6}%", finite(share.min(100.0)))?;
    write_spread(bandwidth, out)?;
    if version == TerseVersion::V5 {
        let iops = result.rates.iops();
        write!(out, ";{};{};{}", bandwidth.samples(), iops.min(), iops.max())?;
        write_spread(iops, out)?;
        write!(out, ";{}", iops.samples())?;
    }
    Ok(())
}

/// Least and greatest in whole microseconds, mean and deviation.
fn write_moments(latency_ps: &Moments, out: &mut impl Write) -> io::Result<()> {
    let (mean, deviation) = (latency_ps.mean(), latency_ps.standard_deviation());
    let us = |ps: f64| finite(ps / PS_PER_NS as f64 / NS_PER_US);
    let (least, greatest) = (latency_ps.min() / PS_PER_US, latency_ps.max() / PS_PER_US);
    write!(out, ";{least};{greatest};{:.6};{:.6}", us(mean), us(deviation))
}

fn write_percentiles(
    latency: &Latency,
    percentiles: &[f64],
    out: &mut impl Write,
) -> io::Result<()> {
    for &percentile in percentiles {
        write!(out, ";{percentile:.6}%={}", latency.percentile_ns(percentile) / 1_000)?;
    }
    for _ in percentiles.len()..PERCENTILES {
        write!(out, ";0%=0")?;
    }
    Ok(())
}

fn write_spread(rate: &RateStatistics, out: &mut impl Write) -> io::Result<()> {
    write!(out, ";{:.6};{:.6}", finite(rate.mean()), finite(rate.standard_deviation()))
}

/// Shares by latency, in microseconds and in milliseconds; the first takes all that is shorter.
fn write_buckets(job: &JobResult, out: &mut impl Write) -> io::Result<()> {
    let LatencyBuckets { nanoseconds, mut microseconds, milliseconds, long } =
        LatencyBuckets::of(job);
    microseconds[0] += nanoseconds.iter().sum::<f64>();
    for share in microseconds.iter().chain(&milliseconds).chain(&long) {
        write!(out, ";{share:.2}%")?;
    }
    Ok(())
}

/// What the job's `description` says, its own description before the description for all jobs.
fn description<'a>(run: &'a RunResult, job: &'a JobResult) -> Option<&'a str> {
    let mut options = job.options.iter().chain(&run.global_options);
    options.find(|(key, _)| key == "description").map(|(_, text)| text.as_str())
}
