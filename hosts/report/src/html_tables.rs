//! Tables of the HTML report.

use crate::direction::Direction;
use crate::drive::{Counted, EraseCounts};
use crate::quantity::{count, rate, share, size, time};
use crate::result::{DirectionResult, JobResult, RunResult};
use maud::{html, Markup};

const JOB_COLUMNS: [&str; 10] =
    ["IOPS", "Bandwidth", "Mean", "Median", "p99", "p99.9", "Longest", "Requests", "Data", "WA"];

/// What the last column means.
const WA: &str =
    "WA is write amplification while the job ran, with pages that wait in the buffer. \
                  Where other jobs ran beside it (*), it is that of all of them.";

/// One row a job and direction.
pub(crate) fn job_table(run: &RunResult) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "Job" }
                        th.word { "Direction" }
                        @for name in JOB_COLUMNS { th { (name) } }
                    }
                }
                "\n"
                tbody { "\n" @for job in run.jobs.iter().enumerate() { (job_rows(run, job)) } }
            }
        }
        "\n"
        p.note { (WA) } "\n"
    }
}

/// A job in a direction in which it completed requests.
pub(crate) struct Row<'a> {
    /// Number of the job, from 0.
    pub(crate) nth: usize,
    job: &'a JobResult,
    direction: Direction,
    /// What it did.
    pub(crate) result: &'a DirectionResult,
}

impl Row<'_> {
    /// Job and direction in words.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.job.name, self.direction.name())
    }
}

/// All jobs and directions, in order.
pub(crate) fn rows(run: &RunResult) -> impl Iterator<Item = Row<'_>> {
    let all = run.jobs.iter().enumerate().flat_map(|job| Direction::ALL.map(|d| (job, d)));
    all.filter_map(|((nth, job), direction)| {
        Some(Row { nth, job, direction, result: job.active(direction)? })
    })
}

fn job_rows(run: &RunResult, (nth, job): (usize, &JobResult)) -> Markup {
    let amplification = amplification(run, job);
    let active = Direction::ALL
        .iter()
        .filter_map(|&direction| Some((direction.name(), job.active(direction)?)));
    html! {
        @for (direction, result) in active {
            tr data-job=(nth) {
                td title=(job.name) { (job.name) }
                td.word { (direction) }
                @for cell in direction_cells(result) { td { (cell) } }
                td { (amplification) }
            }
            "\n"
        }
        @if let Some(error) = &job.error {
            tr data-job=(nth) {
                td title=(job.name) { (job.name) }
                td.word colspan=(JOB_COLUMNS.len() + 1) { "error " (error.number) ": " (error.message) }
            }
            "\n"
        }
    }
}

/// Write amplification while a job ran.
fn amplification(run: &RunResult, job: &JobResult) -> String {
    let shared = if run.ran_alone(job) { "" } else { "*" };
    let factor = job.writes.and_then(|writes| writes.write_amplification(run.page_bytes));
    factor.map_or_else(|| "–".to_string(), |factor| format!("{factor:.3}{shared}"))
}

fn direction_cells(result: &DirectionResult) -> [String; JOB_COLUMNS.len() - 1] {
    let percentile = |percentile| time(result.clat.percentile_ns(percentile) as f64);
    [
        count(result.iops()),
        rate(result.bandwidth()),
        time(result.clat.mean_ns()),
        percentile(50.0),
        percentile(99.0),
        percentile(99.9),
        time(result.clat.moments_ps().max() as f64 / 1e3),
        result.ios.to_string(),
        size(result.bytes as f64),
    ]
}

/// What the drive counted.
pub(crate) fn drive_table(run: &RunResult) -> Markup {
    let drive = &run.drive;
    let none = || "–".to_string();
    let moved = [
        ("Host bytes read", size(drive.host_bytes_read as f64)),
        ("Host bytes written", size(drive.host_bytes_written as f64)),
        ("Flash bytes programmed", size(drive.bytes_programmed as f64)),
        ("Flash pages read", drive.pages_read.to_string()),
        ("Flash pages programmed", drive.pages_programmed.to_string()),
    ];
    let buffered = [
        ("Dirty in the buffer, before", size(drive.dirty_bytes[0] as f64)),
        ("Dirty in the buffer, after", size(drive.dirty_bytes[1] as f64)),
    ];
    let factor = drive.write_amplification();
    let name = match drive.dirty_bytes[0] == drive.dirty_bytes[1] {
        true => "Write amplification",
        false => "Write amplification, with what waits in the buffer",
    };
    let amplification = [(name, factor.map_or_else(none, |factor| format!("{factor:.3}")))];
    let hits = [("Buffer hits", drive.buffer_hit_rate().map_or_else(none, share))];
    let others = [
        ("Interrupts", drive.interrupts.to_string()),
        ("Ready after power-on", format!("{:.3} ms", drive.ready_ps as f64 / 1e9)),
    ];
    if drive.counted == Counted::ByHardware {
        let known: Vec<_> = moved.into_iter().chain(amplification).chain(others).collect();
        return html! { div.columns { (counts(&known)) } "\n" };
    }
    let written: Vec<_> =
        moved.into_iter().chain(buffered).chain(amplification).chain(hits).chain(others).collect();
    let worn = [
        ("Blocks collected", drive.garbage_collections),
        ("Pages moved by collection", drive.gc_pages_moved),
        ("Pages of the log", drive.log_pages),
        ("Blocks erased", drive.erases),
        ("Read retries", drive.read_retries),
        ("Bits corrected", drive.corrected_bits),
        ("Reads not correctable", drive.uncorrectable_reads),
        ("Bad blocks", drive.bad_blocks),
        ("Chips reset", drive.chip_resets),
        ("Superblocks refreshed", drive.refreshes),
        ("Pages read by patrol", drive.patrol_reads),
        ("Blocks looked at for bad block marks at start", drive.marks_read),
        ("Pages read to find the map at start", drive.recovery_reads),
    ]
    .map(|(name, value)| (name, value.to_string()));
    let EraseCounts { min, max, mean, stddev } = drive.block_erases;
    let evenly = [
        ("Erases of a block, fewest", min.to_string()),
        ("Erases of a block, mean", format!("{mean:.2}")),
        ("Erases of a block, most", max.to_string()),
        ("Erases of a block, standard deviation", format!("{stddev:.2}")),
    ];
    let of_map = drive.map.iter().flat_map(|map| {
        [
            ("Map hits", map.hit_rate().map_or_else(none, share)),
            ("Parts of the map read", map.parts_read.to_string()),
            ("Parts of the map written to make room", map.parts_written.to_string()),
        ]
    });
    let worn: Vec<_> = worn.into_iter().chain(evenly).chain(of_map).collect();
    html! { div.columns { (counts(&written)) (counts(&worn)) } "\n" }
}

fn counts(rows: &[(&str, String)]) -> Markup {
    html! {
        div.scroll {
            table.counts { tbody { @for (name, value) in rows { tr { td { (name) } td { (value) } } } } }
        }
        "\n"
    }
}
