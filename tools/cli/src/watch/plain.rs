//! A file as tables of text, for pipes.

use std::io::{self, Write};

use monitor::{Header, Interval, Moved};
use report::Cause;

/// Most causes that are named with a latency.
const CAUSES: usize = 3;
/// The name of turns of the main loop that found nothing.
pub const IDLE_POLLING: &str = "idle polling";
const PS_PER_US: f64 = 1e6;
const PS_PER_MS: f64 = 1e9;

/// Name and value of each figure that both the table and the screen show.
pub fn figures(header: &Header, last: &Interval) -> Vec<(&'static str, String)> {
    let counts = &last.counts;
    let (flash, buffer, outstanding) = (&counts.flash, &counts.buffer, counts.outstanding);
    let amplification = last.write_amplification(header.page_bytes);
    vec![
        ("time", format!("{:.3} ms", last.to_ps as f64 / PS_PER_MS)),
        ("read", moved(last, &counts.read)),
        ("read latency", latency(&counts.read)),
        ("write", moved(last, &counts.write)),
        ("write latency", latency(&counts.write)),
        ("outstanding", format!("{} ({} in the drive)", outstanding.host, outstanding.drive)),
        ("processor", percent(last.processor_busy())),
        ("buffer", format!("{} of {} entries dirty", buffer.dirty, header.buffer_entries)),
        ("buffer use", format!("{} hits, {} misses", buffer.hits, buffer.misses)),
        ("write amplification", amplification.map_or("-".to_owned(), |wa| format!("{wa:.3}"))),
        ("pages", format!("{} read, {} programmed", flash.reads, flash.programs)),
        ("collection", format!("{} blocks, {} pages moved", flash.collections, flash.moves)),
        ("erases", flash.erases.to_string()),
        ("reads", format!("{} retries, {} uncorrectable", flash.retries, flash.uncorrectable)),
        ("corrected bits", flash.corrected_bits.to_string()),
        ("interrupts", counts.interrupts.to_string()),
    ]
}

/// Bytes a second, as `1.234 GB/s`.
pub fn rate(bytes_per_s: u64) -> String {
    let value = bytes_per_s as f64;
    match bytes_per_s {
        0..1_000_000 => format!("{:.1} kB/s", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB/s", value / 1e6),
        _ => format!("{:.3} GB/s", value / 1e9),
    }
}

/// Writes all of a file as one interval, and its last interval.
pub fn write(
    header: &Header,
    (whole, last): (&Interval, &Interval),
    out: &mut impl Write,
) -> io::Result<()> {
    let Header { board, job_file, seed, .. } = header;
    let file = foreign::one_line(job_file);
    writeln!(out, "{}: {file} (seed {seed})", foreign::one_line(board))?;
    writeln!(out, "\nWhole file:")?;
    write_interval(header, whole, out)?;
    let from_ms = last.from_ps as f64 / PS_PER_MS;
    writeln!(out, "\nLast interval, from {from_ms:.3} ms:")?;
    write_interval(header, last, out)
}

fn write_interval(header: &Header, last: &Interval, out: &mut impl Write) -> io::Result<()> {
    for (name, value) in figures(header, last) {
        writeln!(out, "{name:<20} {value}")?;
    }
    writeln!(out, "{:<20} {:>8} {:>14}  ways", "channel", "bus", "bytes a second")?;
    for (nth, channel) in last.counts.channels.iter().enumerate() {
        let bytes = last.per_second(channel.read_bytes.saturating_add(channel.programmed_bytes));
        let bus = percent(last.share(channel.busy_ps));
        write!(out, "{nth:<20} {bus:>8} {:>14} ", rate(bytes))?;
        for way in &channel.ways_busy_ps {
            write!(out, " {:>6}", percent(last.share(*way)))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{:<20} {:>8}", "module", "time")?;
    for (name, time_ps) in header.modules.iter().zip(&last.counts.modules_ps) {
        let name = foreign::one_line(name);
        writeln!(out, "{name:<20} {:>8}", percent(last.share(*time_ps)))?;
    }
    writeln!(out, "{IDLE_POLLING:<20} {:>8}", percent(last.share(last.counts.idle_ps)))?;
    Ok(())
}

/// A share as `12.3%`.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn moved(last: &Interval, moved: &Moved) -> String {
    format!("{} IOPS, {}", last.per_second(moved.requests), rate(last.per_second(moved.bytes)))
}

/// Mean latency, and the causes that took most of it.
fn latency(moved: &Moved) -> String {
    let us = |ps: u64| ps as f64 / PS_PER_US;
    moved.mean().map_or("-".to_owned(), |mean| {
        let mut causes = Cause::ALL.map(|cause| (mean.causes_ps[cause as usize], cause.name()));
        causes.sort_by_key(|&(ps, _)| std::cmp::Reverse(ps));
        let most = causes.iter().take(CAUSES).filter(|(ps, _)| *ps > 0);
        let causes: Vec<_> = most.map(|&(ps, name)| format!("{name} {:.1}", us(ps))).collect();
        format!("{:.1} us: {}", us(mean.mean_ps), causes.join(", "))
    })
}
