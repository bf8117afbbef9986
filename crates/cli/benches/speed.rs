//! How fast the simulator is: simulated requests a CPU second, and peak memory.
//!
//! Four cases on the full 8 x 8 board of 128 GiB with stamps as data, each in a process of its own,
//! so that its peak memory is its own. CPU time is that of the run, without power-on and
//! preconditioning. `random-write` ends before the spare space does; `steady-write` starts where
//! garbage collection has long settled, and write amplification (WA, flash bytes a host byte) tells
//! how much it does. `cargo bench --bench speed -- NAME` runs the cases whose name holds NAME.

use std::error::Error;
use std::process::{Command, ExitCode, Stdio};

use board::Board;
use host::job;
use host::{PayloadForm, Preconditioning, RunRequest};
use report::Direction;
use sim::Polling;

/// Tells the program to run one case and print what it took.
const CHILD: &str = "--case";
/// 8 channels x 8 ways x 1,024 blocks x 128 pages x 16 KiB make 128 GiB.
const BLOCKS_PER_WAY: (&str, &str) = ("geometry.blocks_per_way", "1024");
const SEED: u64 = 1;

/// Something to time.
struct Case {
    name: &'static str,
    /// What the count counts.
    unit: &'static str,
    /// Bytes of one unit.
    unit_bytes: u64,
    precondition: Preconditioning,
    /// fio's options.
    job: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 4] = [
    Case {
        name: "random-read",
        unit: "4 KiB requests",
        unit_bytes: 4 << 10,
        precondition: Preconditioning::Sequential,
        job: &[("rw", "randread"), ("bs", "4k"), ("iodepth", "64"), ("number_ios", "6000000")],
    },
    Case {
        name: "random-write",
        unit: "4 KiB requests",
        unit_bytes: 4 << 10,
        precondition: Preconditioning::Sequential,
        job: &[("rw", "randwrite"), ("bs", "4k"), ("iodepth", "64"), ("number_ios", "400000")],
    },
    Case {
        name: "sequential-read",
        unit: "16 KiB pages",
        unit_bytes: 16 << 10,
        precondition: Preconditioning::Sequential,
        job: &[("rw", "read"), ("bs", "128k"), ("iodepth", "64"), ("number_ios", "2000000")],
    },
    Case {
        name: "steady-write",
        unit: "4 KiB requests",
        unit_bytes: 4 << 10,
        precondition: Preconditioning::Steady,
        job: &[("rw", "randwrite"), ("bs", "4k"), ("iodepth", "64"), ("number_ios", "4000000")],
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match &arguments[..] {
        [flag, name] if flag == CHILD => run_case(name),
        // Cargo itself adds `--bench`.
        filters => run_all(filters.iter().find(|argument| *argument != "--bench")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("speed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs each case in a process of its own and prints the table.
fn run_all(filter: Option<&String>) -> Result<(), Box<dyn Error>> {
    println!(
        "{:<16} {:<15} {:>12} {:>8} {:>13} {:>9} {:>9}",
        "case", "unit", "count", "CPU s", "a CPU second", "WA", "peak MiB"
    );
    let chosen = |case: &&Case| filter.is_none_or(|text| case.name.contains(text.as_str()));
    for case in CASES.iter().filter(chosen) {
        let mut child = Command::new(std::env::current_exe()?);
        let status = child.args([CHILD, case.name]).stdin(Stdio::null()).status()?;
        if !status.success() {
            return Err(format!("{}: the case ended with {status}", case.name).into());
        }
    }
    Ok(())
}

/// Runs one case in this process and prints its row.
fn run_case(name: &str) -> Result<(), Box<dyn Error>> {
    let case = CASES.iter().find(|case| case.name == name).ok_or("no such case")?;
    let (key, value) = BLOCKS_PER_WAY;
    let board = Board::resolve("cosmos-plus", &[(key.to_owned(), value.to_owned())])?;
    // More than a pass over the drive, whatever the number of requests.
    let endless = [("time_based", ""), ("runtime", "10d")];
    let pairs = case.job.iter().chain(&endless);
    let pairs: Vec<_> = pairs.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let jobs = job::from_pairs(&pairs)?;
    let request = RunRequest {
        board: &board,
        jobs: &jobs,
        job_file: case.name,
        seed: SEED,
        payload: PayloadForm::Stamps,
        precondition: case.precondition,
        image: None,
        polling: Polling::Skip,
        until: None,
    };
    let result = host::run(request, &mut |_| ())?;
    if let Some(error) = result.jobs.iter().find_map(|job| job.error.as_ref()) {
        return Err(error.message.clone().into());
    }
    let directions = Direction::ALL.iter().filter_map(|&way| result.jobs[0].active(way));
    let count = directions.map(|direction| direction.bytes).sum::<u64>() / case.unit_bytes;
    let cpu_s = result.speed.cpu_s;
    println!(
        "{:<16} {:<15} {:>12} {:>8.2} {:>13.0} {:>9} {:>9.0}",
        case.name,
        case.unit,
        count,
        cpu_s,
        count as f64 / cpu_s,
        result.drive.write_amplification().map_or("-".to_owned(), |factor| format!("{factor:.2}")),
        peak_mib()?
    );
    Ok(())
}

/// The most memory that this process had resident at any time, as Linux counts it.
fn peak_mib() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: f64 =
        line.and_then(|line| line.trim().strip_suffix("kB")).ok_or("no VmHWM")?.trim().parse()?;
    Ok(kib / 1024.0)
}
