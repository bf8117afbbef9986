//! Runs the same jobs on both bodies of a board and prints how far they are apart, as a table in Markdown.
//!
//! `make rtl-compare` runs it. Bandwidth and latencies are those of the jobs' last one; a difference is that of the
//! body in virtual time from the hardware. `rtl-compare 2 random small` runs what has two channels and
//! `random` in its name, on board `small`.

use board::Board;
use contract::Part;
use report::Direction;
use rtl_sim::drive::compare::{both, Both, Figures};
use std::process::ExitCode;
use std::time::Instant;

/// The board whose times are those of the hardware.
const BOARD: &str = "firmament-rtl";

/// Channels of a drive, and ways of each.
const SIZES: [u32; 4] = [1, 2, 4, 8];

/// Who schedules, and the settings that say so.
const SCHEDULERS: [(&str, &[(&str, &str)]); 2] = [
    ("firmware", &[]),
    ("channels", &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")]),
];

/// What is read is written before, one page after the other: so it lies on the same dies in both bodies.
const FILL: &str = "[fill]\nrw=write\nbs=16k\nsize=2m\niodepth=1\nend_fsync=1\n";

/// Jobs by name: what is filled before, and what is measured.
const JOBS: [(&str, &str, &str); 8] = [
    (
        "sequential write, 128 KiB",
        "",
        "[job]\nrw=write\nbs=128k\nsize=2m\niodepth=8\nend_fsync=1\n",
    ),
    ("sequential read, 128 KiB", FILL, "[job]\nrw=read\nbs=128k\nsize=2m\niodepth=8\n"),
    ("random write, 16 KiB", "", "[job]\nrw=randwrite\nbs=16k\nsize=2m\niodepth=16\nend_fsync=1\n"),
    (
        "random read, 16 KiB, depth 1",
        FILL,
        "[job]\nrw=randread\nbs=16k\nsize=2m\nio_size=1m\niodepth=1\n",
    ),
    (
        "random read, 4 KiB, depth 16",
        FILL,
        "[job]\nrw=randread\nbs=4k\nsize=2m\nio_size=512k\niodepth=16\n",
    ),
    ("random mix, 16 KiB", FILL, "[job]\nrw=randrw\nbs=16k\nsize=2m\niodepth=8\n"),
    (
        "random write, 16 KiB, a flush after 4",
        "",
        "[job]\nrw=randwrite\nbs=16k\nsize=1m\niodepth=4\nfsync=4\n",
    ),
    ("random trim, 16 KiB", FILL, "[job]\nrw=randtrim\nbs=16k\nsize=2m\niodepth=4\n"),
];

/// A row of the table, of a job that went in this direction.
fn row(name: &str, scheduler: &str, hardware: &Figures, simulated: &Figures) -> String {
    let cell = |((_, hardware, most), (_, simulated, _)): ((_, f64, f64), (_, f64, _))| {
        if hardware == 0.0 {
            return format!("{hardware:.1} / {simulated:.1}");
        }
        let percent = (simulated / hardware - 1.0) * 100.0;
        let mark = if percent.abs() > most { "**" } else { "" };
        format!("{hardware:.1} / {simulated:.1} ({mark}{percent:+.1} %{mark})")
    };
    let cells = hardware.each().into_iter().zip(simulated.each());
    let cells: Vec<String> = cells.map(cell).collect();
    format!("| {name} | {scheduler} | {} |", cells.join(" | "))
}

/// The rows of a job: one a direction that it went in.
fn rows(name: &str, scheduler: &str, Both { hardware, simulated }: &Both) {
    for (direction, told) in
        [(Direction::Read, "reads"), (Direction::Write, "writes"), (Direction::Trim, "trims")]
    {
        let figures = [hardware, simulated].map(|ran| ran.figures(direction));
        if let [Some(hardware), Some(simulated)] = figures {
            let name = match name.contains("mix") {
                true => format!("{name}, {told}"),
                false => name.to_owned(),
            };
            println!("{}", row(&name, scheduler, &hardware, &simulated));
        }
    }
}

/// Compares drives of a size, and tells on standard error how fast the hardware was simulated.
fn compare(board: &str, size: u32, of_jobs: &str) -> Result<(), String> {
    let parts = Part::ALL.map(|part| format!("{}, median us", part.name()));
    println!("\n{board}, {size} x {size}: hardware / virtual time (difference)\n");
    println!("| Job | Who schedules | MB/s | mean us | p99 us | {} |", parts.join(" | "));
    println!("|---|---|---|---|---|---|---|---|");
    let (start, mut cycles, mut cpu) = (Instant::now(), 0.0, 0.0);
    for (scheduler, settings) in SCHEDULERS {
        let size = size.to_string();
        let sizes = [("geometry.channels", &size[..]), ("geometry.ways", &size)];
        let set = sizes.iter().chain(settings);
        let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let resolved = Board::resolve(board, &set).map_err(|error| error.to_string())?;
        for (name, fill, job) in JOBS.iter().filter(|(name, ..)| name.contains(of_jobs)) {
            let job = job.replacen(']', "]\nstonewall", 1);
            let ran = both(&resolved, &format!("{fill}{job}"), 1)?;
            rows(name, scheduler, &ran);
            let speed = &ran.hardware.result.speed;
            cycles += speed.simulated_s / (resolved.channel.bus.time_of(2).as_ps() as f64 / 1e12);
            cpu += speed.cpu_s;
        }
    }
    eprintln!(
        "{size} x {size}: {cycles:.0} cycles of hardware, {:.0} a CPU second; {:.0} s",
        cycles / cpu,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = arguments.first().and_then(|size| size.parse::<u32>().ok());
    let of_jobs = arguments.get(1).map_or("", String::as_str);
    let board = arguments.get(2).map_or(BOARD, String::as_str);
    let ran = SIZES
        .into_iter()
        .filter(|of| size.is_none_or(|size| size == *of))
        .try_for_each(|size| compare(board, size, of_jobs));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("rtl-compare: {line}");
            ExitCode::from(2)
        }
    }
}
