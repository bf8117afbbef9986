//! Statistics as text.

use std::io::{self, Write};

use crate::open::Trace;
use crate::record::Kind;
use crate::statistics::Statistics;
use crate::survey::doubtful_rate;

/// Volumes that are listed, those with the most requests.
const VOLUMES: usize = 10;
/// Shares of the touched regions whose requests are told, in percent.
pub(crate) const SHARES: [f64; 4] = [1.0, 5.0, 10.0, 20.0];
/// Quantiles that are told.
pub(crate) const QUANTILES: [f64; 5] = [0.1, 0.5, 0.9, 0.99, 0.999];

/// Writes what is in a trace.
///
/// # Errors
/// The errors of `out`.
pub fn write_text(trace: &Trace, statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let Statistics { lines, back, .. } = *statistics;
    writeln!(out, "{}", trace.path.display())?;
    writeln!(out, "  format         {}", trace.told())?;
    let requests = statistics.requests();
    writeln!(out, "  records        {requests} in {lines} lines or binary records")?;
    write_faults(statistics, out)?;
    if back.0 > 0 {
        let by = time(back.1 as f64);
        writeln!(
            out,
            "  went back      {} times, by at most {by}; read as the latest before",
            back.0
        )?;
    }
    if requests == 0 {
        return Ok(());
    }
    write_arrival(trace, statistics, out)?;
    write_kinds(statistics, out)?;
    write_places(statistics, out)?;
    write_volumes(statistics, out)
}

/// Lines that could not be read, the first with their numbers.
///
/// # Errors
/// The errors of `out`.
fn write_faults(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let faults = &statistics.faults;
    if faults.is_empty() {
        return writeln!(out, "  unreadable     none");
    }
    writeln!(out, "  unreadable     {}", faults.count)?;
    for fault in &faults.first {
        writeln!(out, "    {fault}")?;
    }
    let more = faults.count - faults.first.len() as u64;
    if more > 0 {
        writeln!(out, "    and {more} more")?;
    }
    if let Some(broken) = &faults.broken {
        writeln!(out, "  ends early     {broken}")?;
    }
    Ok(())
}

fn write_arrival(trace: &Trace, statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let Statistics { gaps, responses, .. } = statistics;
    if !statistics.has_times {
        return writeln!(out, "  time           the trace does not tell when requests came");
    }
    let resolution = match trace.unit {
        None => trace.format().resolution().to_owned(),
        Some(unit) => format!("the digits that it has, in {unit}"),
    };
    writeln!(out, "  time           {}, to {resolution}", time(statistics.span_ns as f64))?;
    let (mean, peak) = statistics.rates();
    writeln!(out, "  arrival        {mean:.1} a second, at most {peak} in one")?;
    if doubtful_rate(statistics.requests(), statistics.span_ns).is_some() {
        let unit = trace.time_unit();
        writeln!(out, "  doubtful       so many arrivals with times in {unit}: --time-unit gives another unit")?;
    }
    write!(
        out,
        "  distance       mean {}, variation {:.2},",
        time(gaps.mean_ns()),
        gaps.variation()
    )?;
    write_quantiles(|share| time(gaps.quantile_ns(share) as f64), out)?;
    if let Some(dispersion) = statistics.dispersion() {
        writeln!(
            out,
            "  dispersion     {dispersion:.2} (variance over mean of each second's count)"
        )?;
    }
    if responses.count() > 0 {
        write!(out, "  response       mean {},", time(responses.mean_ns()))?;
        write_quantiles(|share| time(responses.quantile_ns(share) as f64), out)?;
        let outstanding =
            responses.mean_ns() * responses.count() as f64 / statistics.span_ns.max(1) as f64;
        writeln!(out, "  outstanding    {outstanding:.2} in the mean")?;
    }
    Ok(())
}

fn write_quantiles(of: impl Fn(f64) -> String, out: &mut impl Write) -> io::Result<()> {
    for share in QUANTILES {
        write!(out, " {}% {}", 100.0 * share, of(share))?;
    }
    writeln!(out)
}

fn write_kinds(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let all = statistics.requests().max(1) as f64;
    for kind in Kind::ALL {
        let sums = statistics.of(kind);
        if sums.requests == 0 {
            continue;
        }
        let share = 100.0 * sums.requests as f64 / all;
        write!(out, "  {:<14} {} ({share:.1}%)", kind.name(), sums.requests)?;
        match kind {
            Kind::Flush => writeln!(out)?,
            _ => writeln!(out, ", {}", bytes(sums.bytes as f64))?,
        }
        if matches!(kind, Kind::Read | Kind::Write) {
            let mean = bytes(sums.bytes as f64 / sums.requests as f64);
            write!(out, "    size         mean {mean},")?;
            write_quantiles(|share| bytes(sums.lengths.quantile(share) as f64), out)?;
            write!(out, "    often        ")?;
            let often = sums.lengths.most_frequent(5).into_iter().map(|(length, count)| {
                let share = 100.0 * count as f64 / sums.requests as f64;
                format!("{} {share:.1}%", bytes(length as f64))
            });
            writeln!(out, "{}", often.collect::<Vec<_>>().join(", "))?;
        }
    }
    Ok(())
}

fn write_places(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let regions = &statistics.regions;
    let [read, written, either] = regions.footprint().map(|sum| bytes(sum as f64));
    let granule = bytes(regions.granule_bytes() as f64);
    writeln!(
        out,
        "  footprint      {either}: {read} read, {written} written (in units of {granule})"
    )?;
    let (sequential, streaming) = statistics.sequential();
    let [sequential, streaming] = [sequential, streaming].map(|share| 100.0 * share);
    writeln!(
        out,
        "  sequential     {sequential:.1}% follow on the request before in their volume, {streaming:.1}% on one \
         of the last 32"
    )?;
    let region = bytes(regions.region_bytes() as f64);
    let shares =
        SHARES.map(|share| format!("{share}% get {:.1}%", 100.0 * statistics.skew(share / 100.0)));
    writeln!(out, "  skew           of the touched {region} regions {}", shares.join(", "))
}

fn write_volumes(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let mut volumes: Vec<_> = statistics.volumes.iter().enumerate().collect();
    volumes.retain(|(_, volume)| volume.requests > 0);
    volumes.sort_by_key(|(nth, volume)| (std::cmp::Reverse(volume.requests), *nth));
    writeln!(out, "  volumes        {}", volumes.len())?;
    for (nth, volume) in volumes.iter().take(VOLUMES) {
        let name = statistics.names.name(*nth as u32);
        let (start, end) = (bytes(volume.start as f64), bytes(volume.end as f64));
        writeln!(out, "    {name}: {} requests from {start} to {end}", volume.requests)?;
    }
    if volumes.len() > VOLUMES {
        writeln!(out, "    and {} more", volumes.len() - VOLUMES)?;
    }
    Ok(())
}

/// Bytes with a unit.
pub(crate) fn bytes(bytes: f64) -> String {
    scaled(bytes, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// Nanoseconds with a unit.
pub(crate) fn time(ns: f64) -> String {
    scaled(ns, 1000.0, &["ns", "us", "ms", "s", "ks", "Ms"])
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut nth = 0;
    while value >= step && nth + 1 < units.len() {
        value /= step;
        nth += 1;
    }
    let places = if value.fract() == 0.0 || value >= 100.0 { 0 } else { 2 };
    format!("{value:.places$} {}", units[nth])
}
