//! The lines of the text report for one direction of a job, laid out as fio 3 does.

use crate::direction::Direction;
use crate::fio_number::{short, Unit, LATENCY_WIDTH, RATE_WIDTH};
use crate::latency::Latency;
use crate::moments::Moments;
use crate::percentiles::{LatencyKind, Percentiles};
use crate::rate::RateStatistics;
use crate::result::DirectionResult;
use std::io::{self, Write};

/// Percentiles on one line.
const PERCENTILES_A_LINE: usize = 4;

/// Mean bandwidth in KiB/s from which fio counts in MiB/s.
const MEBI_FROM_KIB: f64 = 1_000_000.0;

/// What [`write_direction`] prints.
pub(crate) struct DirectionLines<'a> {
    /// Name of the direction, or of all together.
    pub(crate) name: &'static str,
    /// What was measured in this direction.
    pub(crate) result: &'a DirectionResult,
    /// Bytes a second of the whole group in this direction.
    pub(crate) group_bandwidth: f64,
    /// Percentiles that are shown.
    pub(crate) percentiles: &'a Percentiles,
}

/// Writes everything from `read: IOPS=` to `iops :`.
pub(crate) fn write_direction(lines: &DirectionLines, out: &mut impl Write) -> io::Result<()> {
    let DirectionLines { name, result, group_bandwidth, percentiles } = lines;
    let rate = |unit| short(result.bandwidth(), RATE_WIDTH, unit);
    let zone_resets = match *name == Direction::Write.name() {
        true => format!("; {} zone resets", result.zone_resets),
        false => String::new(),
    };
    writeln!(
        out,
        "  {name}: IOPS={}, BW={}/s ({}/s)({}/{}msec){zone_resets}",
        short(result.iops(), RATE_WIDTH, Unit::Count),
        rate(Unit::BinaryBytes),
        rate(Unit::DecimalBytes),
        short(result.bytes as f64, RATE_WIDTH, Unit::BinaryBytes),
        result.runtime_ms(),
    )?;
    // fio leaves slat out where submission takes no time of its own.
    if result.slat_ps.max() > 0 {
        write_latency("    slat", &result.slat_ps, out)?;
    }
    write_latency("    clat", result.clat.moments_ps(), out)?;
    write_latency("     lat", &result.lat_ps, out)?;
    for kind in [LatencyKind::Submission, LatencyKind::Completion, LatencyKind::Total] {
        if let (true, (_, Some(latency))) = (percentiles.has(kind), result.latency(kind)) {
            write_percentiles(kind.name(), (latency, &percentiles.list), out)?;
        }
    }
    write_bandwidth(result.rates.bandwidth_kib(), *group_bandwidth, out)?;
    write_iops(result.rates.iops(), out)
}

/// Writes the block of a job's flushes.
pub(crate) fn write_sync(
    sync: &Latency,
    percentiles: &Percentiles,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "  fsync/fdatasync/sync_file_range:")?;
    write_latency("    sync", sync.moments_ps(), out)?;
    write_percentiles("sync", (sync, &percentiles.list), out)
}

/// Unit of a line of latencies.
#[derive(Clone, Copy)]
struct Scale {
    name: &'static str,
    ns: f64,
}

const NSEC: Scale = Scale { name: "nsec", ns: 1.0 };
const USEC: Scale = Scale { name: "usec", ns: 1e3 };
const MSEC: Scale = Scale { name: "msec", ns: 1e6 };

/// The largest unit in which the least value and the deviation still have digits to show, as fio
/// chooses it.
fn scale(least_ns: f64, greatest_ns: f64, deviation_ns: f64) -> Scale {
    let fits = |scale: &Scale| {
        least_ns > 2.0 * scale.ns && greatest_ns > 100.0 * scale.ns - 1.0 && deviation_ns > scale.ns
    };
    [MSEC, USEC].into_iter().find(fits).unwrap_or(NSEC)
}

fn write_latency(name: &str, latency_ps: &Moments, out: &mut impl Write) -> io::Result<()> {
    let least_ns = (latency_ps.min() / 1_000) as f64;
    let greatest_ns = (latency_ps.max() / 1_000) as f64;
    let deviation_ns = latency_ps.standard_deviation() / 1e3;
    let scale = scale(least_ns, greatest_ns, deviation_ns);
    writeln!(
        out,
        "{name} ({}): min={}, max={}, avg={:5.2}, stdev={:5.2}",
        scale.name,
        short(least_ns / scale.ns, LATENCY_WIDTH, Unit::Count),
        short(greatest_ns / scale.ns, LATENCY_WIDTH, Unit::Count),
        latency_ps.mean() / 1e3 / scale.ns,
        deviation_ns / scale.ns,
    )
}

fn write_percentiles(
    name: &str,
    (latency, percentiles): (&Latency, &[f64]),
    out: &mut impl Write,
) -> io::Result<()> {
    let values_ns: Vec<f64> =
        percentiles.iter().map(|&percentile| latency.percentile_ns(percentile) as f64).collect();
    let (Some(&least), Some(&greatest)) = (values_ns.first(), values_ns.last()) else {
        return Ok(());
    };
    let scale = scale(least, greatest, f64::INFINITY);
    writeln!(out, "    {name} percentiles ({}):", scale.name)?;
    let cells: Vec<_> = percentiles
        .iter()
        .zip(values_ns)
        .map(|(percentile, value_ns)| {
            format!("{percentile:5.2}th=[{:5.0}]", (value_ns / scale.ns).ceil())
        })
        .collect();
    let lines: Vec<_> = cells
        .chunks(PERCENTILES_A_LINE)
        .map(|line| format!("     | {}", line.join(", ")))
        .collect();
    writeln!(out, "{}", lines.join(",\n"))
}

fn write_bandwidth(
    rate: &RateStatistics,
    group_bandwidth: f64,
    out: &mut impl Write,
) -> io::Result<()> {
    if rate.samples() == 0 {
        return Ok(());
    }
    let group_kib = group_bandwidth / 1024.0;
    let share = (100.0 * rate.mean() / group_kib.max(f64::MIN_POSITIVE)).min(100.0);
    let (unit, kib) = if rate.mean() >= MEBI_FROM_KIB { ("MiB", 1024) } else { ("KiB", 1) };
    writeln!(
        out,
        "   bw ({unit:>5}/s): min={:5}, max={:5}, per={share:.2}%, avg={:5.2}, stdev={:5.2}, \
         samples={}",
        rate.min() / kib,
        rate.max() / kib,
        rate.mean() / kib as f64,
        rate.standard_deviation() / kib as f64,
        rate.samples(),
    )
}

fn write_iops(rate: &RateStatistics, out: &mut impl Write) -> io::Result<()> {
    if rate.samples() == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "   iops        : min={:5}, max={:5}, avg={:5.2}, stdev={:5.2}, samples={}",
        rate.min(),
        rate.max(),
        rate.mean(),
        rate.standard_deviation(),
        rate.samples(),
    )
}
