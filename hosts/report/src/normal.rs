//! The text report as fio 3 prints it, followed by Firmament's own section.
//!
//! Rates are computed from picoseconds and not from the rounded milliseconds beside them, so that
//! short runs are not distorted.

use crate::depth::{BATCH_LABELS, DEPTH_LABELS};
use crate::direction::Direction;
use crate::fio_number::{short, Unit, RATE_WIDTH};
use crate::latency_buckets::{LatencyBuckets, BOUNDS, LONG_LABELS};
use crate::latency_search::LatencySearch;
use crate::normal_direction::{write_direction, write_sync, DirectionLines};
use crate::normal_drive::write_drive;
use crate::normal_provenance::write_provenance;
use crate::precision_told::write_precision;
use crate::result::{DirectionResult, JobResult, RunResult, Workload};
use crate::steady_state::{SteadyCriterion, SteadyLimit, SteadyState};
use crate::unified::{Unified, MIXED};
use std::io::{self, Write};

/// The start of virtual time as fio would write a date; reports carry no wall clock.
pub(crate) const EPOCH: &str = "Thu Jan  1 00:00:00 1970";

/// Buckets on one `lat` line.
const BUCKETS_A_LINE: usize = 5;

/// Writes the report of `run` as text.
///
/// # Errors
/// The errors of `out`.
pub fn write_normal(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    run.guest_processor.iter().try_for_each(|model| writeln!(out, "{model}"))?;
    write_opening(run, out)?;
    for index in 0..run.jobs.len() {
        write_job(run, index, out)?;
    }
    for group in run.groups() {
        write_group(run, group, out)?;
    }
    write_precision(run, out)?;
    write_drive(run, out)?;
    run.provenance.iter().try_for_each(|provenance| write_provenance(provenance, out))?;
    (1..).zip(&run.further).try_for_each(|(nth, further)| {
        writeln!(out, "\n{}:\n", further_name(nth))?;
        write_normal(further, out)
    })
}

/// What reports call the further drive with this number.
pub(crate) fn further_name(nth: usize) -> String {
    format!("Further drive {nth}, /dev/nvme{nth}n1")
}

fn write_opening(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let mut previous: Option<&JobResult> = None;
    let mut clones = 0;
    for job in &run.jobs {
        let clone = previous.is_some_and(|other| {
            (&other.name, &other.workload, other.group) == (&job.name, &job.workload, job.group)
        });
        clones = if clone { clones + job.jobs } else { job.jobs };
        if !clone {
            write_workload(job, out)?;
        }
        // One line stands for all clones, be they added together or not.
        if clones > 1 && clones - job.jobs <= 1 {
            writeln!(out, "...")?;
        }
        previous = Some(job);
    }
    writeln!(out, "{}", run.version)?;
    let processes: u32 = run.jobs.iter().map(|job| job.jobs).sum();
    let plural = if processes == 1 { "" } else { "es" };
    writeln!(out, "Starting {processes} process{plural}")?;
    for warning in &run.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if let Some(cut) = &run.cut {
        writeln!(out, "\nfio: terminating on signal {}", cut.signal)?;
        writeln!(out, "{cut}")?;
    }
    writeln!(out)
}

fn write_workload(job: &JobResult, out: &mut impl Write) -> io::Result<()> {
    let Workload { pattern, block_bytes, engine, depth } = &job.workload;
    let [read, write, trim] = block_bytes.map(|(least, most)| {
        let size = |bytes: u64| short(bytes as f64, RATE_WIDTH, Unit::BinaryBytes);
        format!("{}-{}", size(least), size(most))
    });
    writeln!(
        out,
        "{}: (g={}): rw={pattern}, bs=(R) {read}, (W) {write}, (T) {trim}, \
         ioengine={engine}, iodepth={depth}",
        job.name, job.group
    )
}

fn write_job(run: &RunResult, index: usize, out: &mut impl Write) -> io::Result<()> {
    let job = &run.jobs[index];
    let (number, message) = match &job.error {
        Some(error) => (error.number, format!(" ({})", error.message)),
        None => (0, String::new()),
    };
    writeln!(
        out,
        "{}: (groupid={}, jobs={}): err={number:2}{message}: pid={}: {EPOCH}",
        job.name,
        job.group,
        job.jobs,
        index + 1
    )?;
    for direction in Direction::ALL {
        if let (Some(result), true) = (job.active(direction), job.unified.tells_each()) {
            let group_bandwidth = run.group_bandwidth(job.group, direction);
            let percentiles = &job.percentiles;
            let name = direction.name();
            let lines = DirectionLines { name, result, group_bandwidth, percentiles };
            write_direction(&lines, out)?;
        }
    }
    if job.unified.tells_mixed() {
        let result = &*job.mixed();
        let (group_bandwidth, percentiles) = (run.mixed_bandwidth(job.group), &job.percentiles);
        if result.ios > 0 {
            let lines = DirectionLines { name: MIXED, result, group_bandwidth, percentiles };
            write_direction(&lines, out)?;
        }
    }
    write_buckets(job, out)?;
    if job.sync.count() > 0 {
        write_sync(&job.sync, &job.percentiles, out)?;
    }
    writeln!(out, "  cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0")?;
    writeln!(out, "  IO depths    : {}", counters(&DEPTH_LABELS, &job.depths.percentages()))?;
    writeln!(out, "     submit    : {}", counters(&BATCH_LABELS, &job.submits.percentages()))?;
    writeln!(out, "     complete  : {}", counters(&BATCH_LABELS, &job.completes.percentages()))?;
    let each = Direction::ALL.map(|direction| job.active(direction).map_or(0, |result| result.ios));
    let [reads, writes, trims] = match job.unified.tells_each() {
        true => each,
        false => [each.iter().sum(), 0, 0],
    };
    writeln!(
        out,
        "     issued rwts: total={reads},{writes},{trims},{} short=0,0,0,0 dropped=0,0,0,0",
        job.sync.count()
    )?;
    write_latency_search(job, out)?;
    match &job.steady_state {
        Some(seen) => write_steady_state(seen, out),
        None => Ok(()),
    }
}

/// fio's line of a search for a queue depth: nanoseconds of the target, microseconds of the window.
fn write_latency_search(job: &JobResult, out: &mut impl Write) -> io::Result<()> {
    let (target_ns, window_us, percentile, depth) = match &job.latency_search {
        None => (0, 0, 100.0, job.workload.depth),
        Some(LatencySearch { target_ps, window_ps, percentile, depth }) => {
            (target_ps / 1_000, window_ps / 1_000_000, *percentile, *depth)
        }
    };
    writeln!(
        out,
        "     latency   : target={target_ns}, window={window_us}, percentile={percentile:.2}%, \
         depth={depth}"
    )
}

/// fio's line of `steadystate`.
fn write_steady_state(seen: &SteadyState, out: &mut impl Write) -> io::Result<()> {
    let attained = if seen.attained { "yes" } else { "no" };
    let rate = |unit| short(seen.mean_bandwidth(), RATE_WIDTH, unit);
    let what = match seen.criterion {
        SteadyCriterion::Iops => "iops mean dev",
        SteadyCriterion::IopsSlope => "iops slope",
        SteadyCriterion::Bandwidth => "bw mean dev",
        SteadyCriterion::BandwidthSlope => "bw slope",
    };
    let percent = matches!(seen.limit, SteadyLimit::PercentOfMean(_));
    writeln!(
        out,
        "  steadystate  : attained={attained}, bw={}/s ({}/s), iops={}, {what}={:.3}{}",
        rate(Unit::BinaryBytes),
        rate(Unit::DecimalBytes),
        short(seen.mean_iops(), RATE_WIDTH, Unit::Count),
        seen.found(),
        if percent { "%" } else { "" },
    )
}

fn write_buckets(job: &JobResult, out: &mut impl Write) -> io::Result<()> {
    let buckets = LatencyBuckets::of(job);
    let labels = BOUNDS.map(|bound| bound.to_string());
    let named = |shares: &[f64; 10]| -> Vec<(String, f64)> {
        labels.iter().cloned().zip(shares.iter().copied()).collect()
    };
    let mut milliseconds = named(&buckets.milliseconds);
    milliseconds.extend(LONG_LABELS.map(String::from).into_iter().zip(buckets.long));
    let units = [
        ("nsec", named(&buckets.nanoseconds)),
        ("usec", named(&buckets.microseconds)),
        ("msec", milliseconds),
    ];
    for (unit, shares) in units {
        let filled: Vec<_> = shares.iter().filter(|(_, share)| *share > 0.0).collect();
        for line in filled.chunks(BUCKETS_A_LINE) {
            let line: Vec<_> =
                line.iter().map(|(label, share)| format!("{label}={share:.2}%")).collect();
            writeln!(out, "  lat ({unit})   : {}", line.join(", "))?;
        }
    }
    Ok(())
}

fn counters(labels: &[&str; 7], shares: &[f64; 7]) -> String {
    let named = labels.iter().zip(shares).map(|(label, share)| format!("{label}={share:.1}%"));
    named.collect::<Vec<_>>().join(", ")
}

fn write_group(run: &RunResult, group: u32, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nRun status group {group} (all jobs):")?;
    let members = || run.jobs.iter().filter(|job| job.group == group);
    for direction in Direction::ALL {
        let each = members().filter(|job| job.unified.tells_each());
        let line = GroupLine {
            name: direction.name(),
            bandwidth: run.group_bandwidth(group, direction),
            results: each.filter_map(|job| job.active(direction)).collect(),
        };
        line.write(out)?;
    }
    // As in fio, where each direction is told too, the slowest and the fastest are of these.
    let mixed: Vec<_> = members().filter(|job| job.unified == Unified::Mixed).collect();
    let mixed: Vec<_> = mixed.into_iter().map(|job| job.mixed()).collect();
    let both = members().filter(|job| job.unified == Unified::Both);
    let both = both.flat_map(|job| Direction::ALL.map(|direction| job.active(direction))).flatten();
    let results = mixed.iter().map(|result| &**result).filter(|result| result.ios > 0);
    let results = results.chain(both).collect();
    GroupLine { name: MIXED, bandwidth: run.mixed_bandwidth(group), results }.write(out)
}

/// A line of a group: jobs in one direction, or in all.
struct GroupLine<'a> {
    name: &'static str,
    /// Bytes a second of all.
    bandwidth: f64,
    results: Vec<&'a DirectionResult>,
}

impl GroupLine<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let results = &self.results;
        if results.is_empty() {
            return Ok(());
        }
        let rates = results.iter().map(|result| result.bandwidth());
        let slowest = rates.clone().fold(f64::INFINITY, f64::min);
        let fastest = rates.fold(0.0, f64::max);
        let bytes = results.iter().map(|result| result.bytes).sum::<u64>() as f64;
        let times = results.iter().map(|result| result.runtime_ms());
        let (shortest, longest) =
            times.fold((u64::MAX, 0), |(least, most), ms| (least.min(ms), most.max(ms)));
        let both = |value: f64| {
            let binary = short(value, RATE_WIDTH, Unit::BinaryBytes);
            (binary, short(value, RATE_WIDTH, Unit::DecimalBytes))
        };
        let (total, total_si) = both(self.bandwidth);
        let ((slow, slow_si), (fast, fast_si)) = (both(slowest), both(fastest));
        let (size, size_si) = both(bytes);
        writeln!(
            out,
            "{:>7}: bw={total}/s ({total_si}/s), {slow}/s-{fast}/s ({slow_si}/s-{fast_si}/s), \
             io={size} ({size_si}), run={shortest}-{longest}msec",
            self.name.to_uppercase()
        )
    }
}
