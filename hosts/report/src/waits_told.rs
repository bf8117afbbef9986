//! What system calls waited for, in JSON and in text.

use crate::json_values::{moments, number, percentiles};
use crate::waits::{CallWaits, Waited, Waits};
use contract::Cause;
use serde_json::{json, Map, Value};
use std::io::{self, Write};

/// Rows of the text report and of the page; the others are in JSON.
pub(crate) const MOST_LINES: usize = 12;
/// Causes that a row of the text report names.
pub(crate) const MOST_CAUSES: usize = 3;

impl Waits {
    /// Its place in the JSON report.
    pub(crate) fn json(&self) -> Value {
        let calls: Vec<_> = self.calls.iter().map(CallWaits::json).collect();
        json!({ "calls": calls, "lost": self.lost })
    }

    /// Its lines of the text report.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let shown = &self.calls[..self.calls.len().min(MOST_LINES)];
        let width = |name: fn(&CallWaits) -> &str| {
            shown.iter().map(|row| name(row).chars().count()).max().unwrap_or(0)
        };
        let [process, call, file] =
            [width(|row| &row.process), width(|row| &row.call), width(|row| &row.file)];
        writeln!(out, "  What system calls waited for (usec), in the drive and by its causes:")?;
        writeln!(
            out,
            "    {:process$}  {:call$}  {:file$}  {:>8} {:>11} {:>11}  drive",
            "", "", "", "calls", "mean", "p99"
        )?;
        for row in shown {
            let CallWaits { latency, all, slowest, .. } = row;
            writeln!(
                out,
                "    {:process$}  {:call$}  {:file$}  {:>8} {:>11.2} {:>11.2}  {}",
                row.process,
                row.call,
                row.file,
                all.calls,
                all.mean_ns() / 1e3,
                latency.percentile_ns(99.0) as f64 / 1e3,
                told(all)
            )?;
            if slowest.calls < all.calls && slowest.total_ps > 0 {
                let indent = process + call + file + 4;
                writeln!(
                    out,
                    "    {:>indent$}  {:>8} {:>11.2} {:>11}  {}",
                    "slowest",
                    slowest.calls,
                    slowest.mean_ns() / 1e3,
                    "",
                    told(slowest)
                )?;
            }
        }
        let more = self.calls.len() - shown.len();
        if more > 0 {
            writeln!(out, "    {more} more rows, of less time in sum each, are in JSON")?;
        }
        if self.lost > 0 {
            writeln!(out, "    {} calls came too fast to be told of", self.lost)?;
        }
        Ok(())
    }
}

impl CallWaits {
    fn json(&self) -> Value {
        let mut times = moments(self.latency.moments_ps());
        times["percentile"] = percentiles(&self.latency);
        json!({
            "process": self.process,
            "call": self.call,
            "file": self.file,
            "latency_ns": times,
            "all": self.all.json(),
            "slowest": self.slowest.json(),
        })
    }
}

impl Waited {
    fn json(&self) -> Value {
        let ns = |ps: u64| number(ps as f64 / 1e3);
        let causes: Map<_, _> = Cause::ALL
            .into_iter()
            .zip(self.causes_ps)
            .filter(|&(_, ps)| ps > 0)
            .map(|(cause, ps)| (cause.key().to_owned(), ns(ps)))
            .collect();
        json!({
            "calls": self.calls,
            "commands": self.commands,
            "total_ns": ns(self.total_ps),
            "linux_ns": ns(self.linux_ps()),
            "causes_ns": causes,
        })
    }
}

/// The drive's share, and the largest causes in it.
fn told(waited: &Waited) -> String {
    let percent = |ps: u64| format!("{:.1}%", 100.0 * waited.share(ps));
    let largest = waited.largest(MOST_CAUSES);
    let causes: Vec<_> = largest
        .into_iter()
        .map(|(cause, ps)| format!("{} {}", cause.name(), percent(ps)))
        .collect();
    let drive = percent(waited.drive_ps());
    match causes.is_empty() {
        true => format!("{drive:>6}"),
        false => format!("{drive:>6}: {}", causes.join(", ")),
    }
}
