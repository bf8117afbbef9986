//! The report of a drive whose commands are metered at its doorbells.

use std::time::Instant;

use board::Board;
use cpu_time::ProcessTime;
use host::{Course, Snapshot, FIO_VERSION};
use machine::Inspected;
use report::{RunResult, Speed};

use crate::meter::{Measured, Meter};
use crate::onlookers::Onlookers;

/// What a report is about, beside what was metered.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The drive's board.
    pub board: &'a Board,
    /// What stands in for a job file.
    pub name: &'a str,
    /// Seed of every random stream.
    pub seed: u64,
    /// The drive before its guest came.
    pub before: &'a Snapshot,
    /// When that was, by the clocks of the machine.
    pub started: &'a (Instant, ProcessTime),
    /// Who has looked at it since.
    pub onlookers: &'a Onlookers,
    /// The drive's time, in picoseconds.
    pub now_ps: u64,
}

/// What a guest's load has made of the drive by now, whichever body the drive has.
pub fn report_of(drive: &impl Inspected, meter: &Meter, subject: &Subject<'_>) -> RunResult {
    let Subject { board, name, seed, before, started: (wall, cpu), onlookers, now_ps } = *subject;
    let Measured { job, series, totals, .. } = meter.measured(now_ps);
    let after = Snapshot::at_end(drive, Course::Told);
    RunResult {
        version: FIO_VERSION.to_string(),
        board: board.name.clone(),
        job_file: name.to_string(),
        seed,
        provenance: None,
        global_options: Vec::new(),
        jobs: vec![job],
        series,
        drive: after.since(before, board, totals),
        over_time: onlookers.over_time(drive, meter),
        blocks: after.blocks(),
        queues: Vec::new(),
        monitored: onlookers.intervals(),
        page_bytes: board.firmware.geometry.page_bytes,
        pacing: None,
        speed: Speed {
            simulated_s: now_ps as f64 / 1e12,
            wall_s: wall.elapsed().as_secs_f64(),
            cpu_s: cpu.elapsed().as_secs_f64(),
            requests: totals.requests,
        },
        cut: None,
        warnings: Vec::new(),
        host_ftl: None,
        precision: Vec::new(),
        over_seeds: None,
        waits: None,
        guest_processor: None,
        further: Vec::new(),
    }
}
