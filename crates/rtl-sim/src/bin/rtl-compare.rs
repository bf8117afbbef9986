//! Runs the same jobs on both bodies of a board and prints how far they are apart, as a table in Markdown.
//!
//! `make rtl-compare` runs it. Bandwidth and latencies are those of the jobs' last one; a difference is that of the
//! body in virtual time from the hardware.

use board::Board;
use contract::Part;
use report::{Direction, DirectionResult, RunResult};
use rtl_sim::drive::compare::{both, Both};
use std::process::ExitCode;

/// Who schedules, and the settings that say so.
const SCHEDULERS: [(&str, &[(&str, &str)]); 2] = [
    ("firmware", &[]),
    ("channels", &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")]),
];

/// Jobs by name. Those that read write first what they read.
const JOBS: [(&str, &str); 5] = [
    ("sequential write, 128 KiB", "[write]\nrw=write\nbs=128k\nsize=2m\niodepth=8\nend_fsync=1\n"),
    (
        "sequential read, 128 KiB",
        "[write]\nrw=write\nbs=128k\nsize=2m\niodepth=8\nend_fsync=1\n\
         [read]\nstonewall\nrw=read\nbs=128k\nsize=2m\niodepth=8\n",
    ),
    ("random write, 16 KiB", "[write]\nrw=randwrite\nbs=16k\nsize=2m\niodepth=16\nend_fsync=1\n"),
    (
        "random read, 16 KiB, depth 1",
        "[write]\nrw=write\nbs=128k\nsize=2m\niodepth=8\nend_fsync=1\n\
         [read]\nstonewall\nrw=randread\nbs=16k\nsize=2m\nio_size=1m\niodepth=1\n",
    ),
    (
        "random read, 4 KiB, depth 16",
        "[write]\nrw=write\nbs=128k\nsize=2m\niodepth=8\nend_fsync=1\n\
         [read]\nstonewall\nrw=randread\nbs=4k\nsize=2m\nio_size=512k\niodepth=16\n",
    ),
];

/// What of a run is compared: bandwidth in MB/s, latencies in microseconds.
struct Row {
    bandwidth: f64,
    mean: f64,
    p99: f64,
    /// Medians of the parts, in the order of [`Part::ALL`].
    parts: [f64; 3],
}

impl Row {
    fn of(result: &RunResult) -> Self {
        let job = result.jobs.last().expect("there are jobs");
        let directions = [Direction::Read, Direction::Write];
        let one = directions.into_iter().find_map(|direction| job.active(direction));
        let DirectionResult { bytes, runtime_ps, clat, parts, .. } = one.expect("the job ran");
        Self {
            bandwidth: *bytes as f64 / (*runtime_ps as f64 / 1e6),
            mean: clat.mean_ns() / 1e3,
            p99: clat.percentile_ns(99.0) as f64 / 1e3,
            parts: [0, 1, 2].map(|nth: usize| parts[nth].percentile_ns(50.0) as f64 / 1e3),
        }
    }

    fn values(&self) -> [f64; 6] {
        let [interface, firmware, storage] = self.parts;
        [self.bandwidth, self.mean, self.p99, interface, firmware, storage]
    }
}

fn compared(name: &str, scheduler: &str, Both { hardware, simulated }: &Both) -> String {
    let cells = Row::of(hardware).values().into_iter().zip(Row::of(simulated).values());
    let cell = |(hardware, simulated): (f64, f64)| match hardware {
        0.0 => format!("{hardware:.1} / {simulated:.1}"),
        _ => {
            let percent = (simulated / hardware - 1.0) * 100.0;
            format!("{hardware:.1} / {simulated:.1} ({percent:+.1} %)")
        }
    };
    let cells: Vec<String> = cells.map(cell).collect();
    format!("| {name} | {scheduler} | {} |", cells.join(" | "))
}

fn compare(board: &str) -> Result<(), String> {
    let parts = Part::ALL.map(|part| format!("{}, median us", part.name()));
    println!("{board}: hardware / virtual time (difference)\n");
    println!("| Job | Who schedules | MB/s | mean us | p99 us | {} |", parts.join(" | "));
    println!("|---|---|---|---|---|---|---|---|");
    for (scheduler, settings) in SCHEDULERS {
        let set: Vec<_> =
            settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let resolved = Board::resolve(board, &set).map_err(|error| error.to_string())?;
        for (name, jobs) in JOBS {
            println!("{}", compared(name, scheduler, &both(&resolved, jobs, 1)?));
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let board = std::env::args().nth(1).unwrap_or_else(|| "small".to_owned());
    match compare(&board) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("rtl-compare: {line}");
            ExitCode::from(2)
        }
    }
}
