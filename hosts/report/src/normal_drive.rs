//! Firmament's own section of the text report: where the time went inside the drive.

use crate::direction::Direction;
use crate::drive::{
    module_shares, spread, Counted, DriveResult, EraseCounts, HandleResult, MapUse, Pacing,
};
use crate::entry_waits::NAMES;
use crate::latency::Latency;
use crate::quantity::total;
use crate::result::{seconds, DirectionResult, RunResult};
use chart::number::finite;
use contract::{Cause, Part};
use machine::EntryWaits;
use std::io::{self, Write};

/// The name of turns of the main loop that found nothing.
pub(crate) const IDLE_POLLING: &str = "idle polling";

/// Most ways that get a column each.
const WAY_COLUMNS: usize = 8;

/// Least share of waiting that is told, in percent.
const LEAST_SHARE: f64 = 0.1;

/// Writes the section.
pub(crate) fn write_drive(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nBoard {}, seed {}:", run.board, run.seed)?;
    write_parts(run, out)?;
    run.waits.iter().try_for_each(|waits| waits.write(out))?;
    write_flash(&run.drive, out)?;
    write_amplification(run, out)?;
    write_counts(&run.drive, out)?;
    run.host_ftl.iter().try_for_each(|ftl| ftl.write(out))?;
    write_processor(&run.drive, out)?;
    write_pacing(run, out)?;
    write_speed(run, out)
}

/// The name under which a table lists a job in a direction.
fn row_name(job: &str, direction: Direction) -> String {
    format!("{job} {}", direction.name())
}

fn write_parts(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<_> = run
        .jobs
        .iter()
        .flat_map(|job| Direction::ALL.map(|direction| (job, direction)))
        .filter_map(|(job, direction)| {
            Some((row_name(&job.name, direction), job.active(direction)?))
        })
        .collect();
    if !run.has_causes() {
        return writeln!(out, "  Where the time went: not asked (--causes=none)");
    }
    let Some(width) = rows.iter().map(|(name, _)| name.chars().count()).max() else {
        return Ok(());
    };
    writeln!(out, "  Where the time went (usec):")?;
    writeln!(
        out,
        "    {:width$}  {:28} {:>11} {:>11} {:>11} {:>11}  share",
        "", "", "mean", "p50", "p99", "p99.9"
    )?;
    for (name, result) in rows {
        write_part_rows(&PartRows { name, width, result }, out)?;
    }
    write_entry_waits(&run.drive.entry_waits, out)
}

/// What made the entries of the data buffer wait that commands waited for, the longest first.
fn write_entry_waits(waited: &EntryWaits, out: &mut impl Write) -> io::Result<()> {
    let all_ps = total(waited.times_ps()).max(1) as f64;
    let shares = waited.times_ps().map(|ps| 100.0 * ps as f64 / all_ps);
    let mut told: Vec<(f64, &str)> = shares.into_iter().zip(NAMES.map(|(name, _)| name)).collect();
    told.retain(|(share, _)| *share >= LEAST_SHARE);
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let told: Vec<String> =
        told.into_iter().map(|(share, name)| format!("{share:.1}% {name}")).collect();
    match told.is_empty() {
        true => Ok(()),
        false => writeln!(out, "  Why buffer entries were not free: {}", told.join(", ")),
    }
}

struct PartRows<'a> {
    name: String,
    width: usize,
    result: &'a DirectionResult,
}

fn write_part_rows(rows: &PartRows, out: &mut impl Write) -> io::Result<()> {
    let PartRows { name, width, result } = rows;
    let mut line = |label: &str, part: &str, latency: &Latency, share: f64| {
        let percentile = |percentile| latency.percentile_ns(percentile) as f64 / 1e3;
        writeln!(
            out,
            "    {label:width$}  {part:28} {:11.2} {:11.2} {:11.2} {:11.2} {:5.1}%",
            latency.mean_ns() / 1e3,
            percentile(50.0),
            percentile(99.0),
            percentile(99.9),
            100.0 * share
        )
    };
    let (by_cause, by_part) = (result.cause_shares(), result.part_shares());
    let mut label = name.as_str();
    for cause in Cause::ALL.into_iter().filter(|&cause| by_cause[cause as usize] > 0.0) {
        let share = by_cause[cause as usize];
        line(std::mem::take(&mut label), cause.name(), &result.cause(cause), share)?;
    }
    line(label, "all (clat)", &result.clat, by_cause.iter().sum())?;
    for part in Part::ALL {
        let name = format!("  in the {}", part.name());
        line("", &name, &result.parts[part as usize], by_part[part as usize])?;
    }
    Ok(())
}

fn write_flash(drive: &DriveResult, out: &mut impl Write) -> io::Result<()> {
    let ways = drive.way_busy.iter().map(Vec::len).max().unwrap_or(0);
    if drive.channel_busy.is_empty() {
        return Ok(());
    }
    let channels = drive.channel_busy.len();
    if ways == 0 {
        writeln!(out, "  Memory: {channels} channels (share of time busy):")?;
    } else {
        writeln!(out, "  Flash: {channels} channels x {ways} ways (share of time busy):")?;
    }
    let heads: Vec<_> = if ways <= WAY_COLUMNS {
        (0..ways).map(|way| format!("way {way}")).collect()
    } else {
        ["mean", "least", "most"].map(|name| format!("ways {name}")).into()
    };
    let heads: String = heads.iter().map(|head| format!(" {head:>10}")).collect();
    writeln!(out, "    channel        bus{heads}")?;
    for (channel, bus) in drive.channel_busy.iter().enumerate() {
        let chips = drive.way_busy.get(channel).map_or(&[][..], Vec::as_slice);
        let (mean, least, most) = spread(chips);
        let condensed = [mean, least, most];
        let cells = if ways <= WAY_COLUMNS { chips } else { &condensed[..] };
        let cells: String =
            cells.iter().map(|busy| format!(" {:9.1}%", 100.0 * finite(*busy))).collect();
        writeln!(out, "    {channel:7} {:9.1}%{cells}", 100.0 * finite(*bus))?;
    }
    Ok(())
}

/// Write amplification of the run, and while each job ran that was not the only one.
fn write_amplification(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let drive = &run.drive;
    let amplification = match drive.write_amplification() {
        Some(factor) => format!("{factor:.3}"),
        None => "none (nothing written)".into(),
    };
    let [before, after] = drive.dirty_bytes;
    // What came to wait in the buffer counts as if it were programmed.
    let buffered = match i128::from(after) - i128::from(before) {
        0 => String::new(),
        more => format!(", {more:+} bytes in the buffer"),
    };
    writeln!(
        out,
        "  Write amplification: {amplification} (host {} bytes, flash {} bytes in {} pages{buffered})",
        drive.host_bytes_written, drive.bytes_programmed, drive.pages_programmed
    )?;
    if before.max(after) > 0 {
        writeln!(out, "    dirty in the buffer: {before} bytes before, {after} bytes after")?;
    }
    for job in run.jobs.iter().filter(|_| run.jobs.len() > 1) {
        let factor = job.writes.and_then(|writes| writes.write_amplification(run.page_bytes));
        if let Some(factor) = factor {
            let shared = if run.ran_alone(job) { "" } else { ", with the jobs beside it" };
            writeln!(out, "    while {} ran: {factor:.3}{shared}", job.name)?;
        }
    }
    Ok(())
}

fn write_counts(drive: &DriveResult, out: &mut impl Write) -> io::Result<()> {
    if drive.counted == Counted::ByHardware {
        let (read, interrupts) = (drive.pages_read, drive.interrupts);
        return writeln!(out, "  Pages read={read}; interrupts={interrupts}");
    }
    writeln!(
        out,
        "  Garbage collection: blocks={}, moved pages={}, erases={}",
        drive.garbage_collections, drive.gc_pages_moved, drive.erases
    )?;
    let EraseCounts { min, max, mean, stddev } = drive.block_erases;
    if max > 0 {
        writeln!(
            out,
            "  Erases of a block: min={min}, max={max}, avg={mean:.2}, stdev={stddev:.2}"
        )?;
    }
    if drive.log_pages > 0 {
        writeln!(out, "  Log: pages={}", drive.log_pages)?;
    }
    writeln!(
        out,
        "  Errors: read retries={}, corrected bits={}, uncorrectable={}, bad blocks={}",
        drive.read_retries, drive.corrected_bits, drive.uncorrectable_reads, drive.bad_blocks
    )?;
    if drive.marks_read + drive.recovery_reads > 0 {
        writeln!(
            out,
            "  Power-on: ready after {:.3} msec, marks read={}, pages read for the map={}",
            drive.ready_ps as f64 / 1e9,
            drive.marks_read,
            drive.recovery_reads
        )?;
    }
    for own in &drive.handles {
        let HandleResult { bytes_written, bytes_moved, blocks_collected, .. } = own;
        let name = own.name();
        writeln!(
            out,
            "  Placement, {name}: written to flash={bytes_written} B, moved={bytes_moved} B, blocks collected={blocks_collected}"
        )?;
    }
    if drive.refreshes + drive.patrol_reads > 0 {
        let (refreshes, patrol) = (drive.refreshes, drive.patrol_reads);
        writeln!(
            out,
            "  Refresh: superblocks collected={refreshes}, pages read by patrol={patrol}"
        )?;
    }
    if drive.chip_resets > 0 {
        writeln!(out, "  Chips reset: {}", drive.chip_resets)?;
    }
    let hit_rate = drive
        .buffer_hit_rate()
        .map_or(String::new(), |rate| format!(" ({:.1}% hits)", 100.0 * rate));
    writeln!(
        out,
        "  Buffer: hits={}, misses={}{hit_rate}; pages read={}; interrupts={}",
        drive.buffer_hits, drive.buffer_misses, drive.pages_read, drive.interrupts
    )?;
    let Some(map) = drive.map else { return Ok(()) };
    let hit_rate =
        map.hit_rate().map_or(String::new(), |rate| format!(" ({:.1}% hits)", 100.0 * rate));
    let MapUse { hits, misses, parts_read, parts_written } = map;
    writeln!(
        out,
        "  Map: hits={hits}, misses={misses}{hit_rate}; parts read={parts_read}, written={parts_written}"
    )
}

fn write_processor(drive: &DriveResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "  Processor: {:.1}% busy; time by module, and of idle polls:",
        100.0 * finite(drive.processor_busy)
    )?;
    let names = drive.modules.iter().map(|module| module.name.chars().count());
    let width = names.max().unwrap_or(0).max(IDLE_POLLING.len());
    for (module, share) in drive.module_shares() {
        let time_ms = 1e3 * seconds(module.time_ps);
        writeln!(out, "    {:width$} {time_ms:12.3} msec {:5.1}%", module.name, 100.0 * share)?;
    }
    let time_ms = 1e3 * seconds(drive.idle_polling_ps);
    writeln!(out, "    {IDLE_POLLING:width$} {time_ms:12.3} msec")?;
    for (nth, core) in drive.cores.iter().enumerate() {
        writeln!(out, "  Core {nth}, {}: {:.1}% busy", core.does, 100.0 * finite(core.busy))?;
        for (module, share) in module_shares(&core.modules).filter(|(_, share)| *share > 0.0) {
            let time_ms = 1e3 * seconds(module.time_ps);
            writeln!(out, "    {:width$} {time_ms:12.3} msec {:5.1}%", module.name, 100.0 * share)?;
        }
    }
    Ok(())
}

fn write_pacing(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let Some(Pacing { late }) = &run.pacing else { return Ok(()) };
    let us = |percentile| late.percentile_ns(percentile) as f64 / 1e3;
    writeln!(
        out,
        "  Drift: {} interrupts later than in virtual time by {:.1} usec (mean), {:.1} (p50), \
         {:.1} (p99), {:.1} (most)",
        late.count(),
        late.mean_ns() / 1e3,
        us(50.0),
        us(99.0),
        us(100.0)
    )
}

fn write_speed(run: &RunResult, out: &mut impl Write) -> io::Result<()> {
    let speed = &run.speed;
    writeln!(
        out,
        "  Speed: {:.6} s simulated in {:.3} s ({:.3} s CPU), {} requests, \
         {:.0} requests a CPU second",
        finite(speed.simulated_s),
        finite(speed.wall_s),
        finite(speed.cpu_s),
        speed.requests,
        finite(speed.requests_per_cpu_second())
    )
}
