//! The last section of the text report: what was run, so that it can be run again.

use crate::provenance::{FunctionOrigin, JobSource, Provenance, SnapshotOrigin, TraceOrigin};
use crate::quantity::things;
use std::io::{self, Write};

/// Writes the section.
pub(crate) fn write_provenance(run: &Provenance, out: &mut impl Write) -> io::Result<()> {
    let Provenance { version, commit, board, seed, precondition, payload, polling, .. } = run;
    writeln!(out, "\nWhat was run:")?;
    writeln!(out, "  firmament {version}, commit {commit}")?;
    writeln!(out, "  board {}, values sha256 {}", board.name, board.sha256)?;
    for change in &board.overrides {
        let before = change.before.as_deref().unwrap_or("nothing");
        writeln!(out, "    --set {}={} (board: {before})", change.key, change.value)?;
    }
    writeln!(
        out,
        "  seed {seed}, precondition {precondition}, payload {payload}, polling {polling}"
    )?;
    if let Some(SnapshotOrigin { name, sha256 }) = &run.from {
        match sha256.as_str() {
            "" => writeln!(out, "  from a drive in {}", one_line(name))?,
            _ => writeln!(out, "  from snapshot {}, sha256 {sha256}", one_line(name))?,
        }
    }
    if let Some(seeds) = run.seeds {
        let seeds = things(seeds.into(), "seed");
        writeln!(out, "  {seeds}, from that one on")?;
    }
    if let Some(until) = &run.until {
        writeln!(out, "  until {until}")?;
    }
    if let Some(interval_ps) = run.monitor_interval_ps {
        writeln!(out, "  monitor every {} us", interval_ps / 1_000_000)?;
    }
    if let Some(FunctionOrigin { name, text }) = &run.victim {
        writeln!(out, "  victims of collection by {} in Python:", one_line(name))?;
        text.lines().try_for_each(|line| writeln!(out, "    {}", one_line(line)))?;
    }
    match &run.jobs {
        JobSource::File { name, text } => {
            writeln!(out, "  job file {name}:")?;
            text.lines().try_for_each(|line| writeln!(out, "    {}", one_line(line)))
        }
        JobSource::Options(options) => {
            writeln!(out, "  options in place of a job file:")?;
            options.iter().try_for_each(|(key, value)| match value.as_str() {
                "" => writeln!(out, "    --{}", one_line(key)),
                value => writeln!(out, "    --{}={}", one_line(key), one_line(value)),
            })
        }
        JobSource::Traces { files, options } => {
            for TraceOrigin { name, sha256, format, requests, unreadable } in files {
                writeln!(out, "  trace {}, {}", one_line(name), one_line(format))?;
                writeln!(out, "    {requests} requests, {unreadable} unreadable, sha256 {sha256}")?;
            }
            options.iter().try_for_each(|(key, value)| match value.as_str() {
                "" => writeln!(out, "    --{}", one_line(key)),
                value => writeln!(out, "    --{}={}", one_line(key), one_line(value)),
            })
        }
        JobSource::Program { name, text, options } => {
            writeln!(out, "  program {}:", one_line(name))?;
            for (key, value) in options {
                writeln!(out, "    # {}={}", one_line(key), one_line(value))?;
            }
            text.lines().try_for_each(|line| writeln!(out, "    {}", one_line(line)))
        }
        JobSource::Guest => {
            writeln!(out, "  a guest's commands, which are not in here: it cannot be run again")
        }
    }
}

/// `text` as one line in which tabulators stay.
fn one_line(text: &str) -> String {
    let parts: Vec<_> = text.split('\t').map(foreign::one_line).collect();
    parts.join("\t")
}
