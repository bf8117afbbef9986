//! Runs the same jobs on both bodies of a board and prints how far they are apart, as a table in Markdown.
//!
//! `make rtl-compare` runs it. Bandwidth and latencies are those of the jobs' last one; a difference is that of the
//! body in virtual time from the hardware. `rtl-compare 2 random small` runs what has two channels and
//! `random` in its name, on board `small`; `rtl-compare word-lines` what has chips that program word lines at one go, and
//! `rtl-compare automated` what the hardware runs without firmware, over memory. With `--steps 200` behind these, it prints the
//! first 200 steps of each job on both bodies instead, so that the first one is found that takes another time.

use board::Board;
use contract::Part;
use report::Direction;
use rtl_sim::drive::compare::{both, Both, Figures};
use rtl_sim::drive::period;
use rtl_sim::drive::spread::{spread, SHIFTS_NS};
use rtl_sim::drive::steps::{steps, Pair};
use std::fmt;
use std::process::ExitCode;
use std::time::Instant;

/// A drive, which has these names for who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Over flash, of so many channels and ways of each.
    Flash(u32),
    /// The same of two channels, over chips that program word lines at one go.
    WordLines,
    /// Over memory, in automated mode.
    Automated,
}

/// All of them.
const KINDS: [Kind; 6] = [
    Kind::Flash(1),
    Kind::Flash(2),
    Kind::Flash(4),
    Kind::Flash(8),
    Kind::WordLines,
    Kind::Automated,
];

impl Kind {
    /// How it is called.
    fn name(self) -> String {
        match self {
            Kind::Flash(size) => size.to_string(),
            Kind::WordLines => "word-lines".to_owned(),
            Kind::Automated => "automated".to_owned(),
        }
    }

    /// The board whose times are those of its hardware.
    fn board(self) -> &'static str {
        match self {
            Kind::Flash(_) => "firmament-rtl",
            Kind::WordLines => "firmament-rtl-tlc",
            Kind::Automated => "firmament-automated",
        }
    }

    /// What is run on it: who runs or schedules, settings of the board, and jobs.
    fn runs(self) -> Vec<(&'static str, Settings, Vec<Job>)> {
        let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        match self {
            Kind::Flash(size) => {
                let sizes = ["geometry.channels", "geometry.ways"];
                let sizes = sizes.map(|key| (key.to_owned(), size.to_string()));
                let set = |settings: &[(&str, &str)]| {
                    sizes.iter().cloned().chain(settings.iter().map(owned)).collect()
                };
                let runs =
                    SCHEDULERS.map(|(who, settings)| (who, set(settings), flash_jobs(FLASH_MIB)));
                runs.to_vec()
            }
            Kind::WordLines => vec![("firmware", Vec::new(), flash_jobs(WORD_LINE_MIB))],
            Kind::Automated => vec![("nobody", Vec::new(), automated_jobs())],
        }
    }
}

/// Keys of a board, and what they are set to.
type Settings = Vec<(String, String)>;

/// A job by name: what is filled before, and what is measured.
type Job = (&'static str, String, String);

/// Who schedules, and the settings that say so.
const SCHEDULERS: [(&str, &[(&str, &str)]); 2] = [
    ("firmware", &[]),
    ("channels", &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")]),
];

/// Of what is random in jobs and chips.
const SEED: u64 = 1;

/// Jobs of drives over flash that move so many MiB. What is read is written before, one page after the other: so it lies on
/// the same dies in both bodies.
fn flash_jobs(mib: u32) -> Vec<Job> {
    let fill = format!("[fill]\nrw=write\nbs=16k\nsize={mib}m\niodepth=1\nend_fsync=1\n");
    let size = format!("size={mib}m");
    let job = |name, fill: &str, job: &str| {
        (name, fill.to_owned(), format!("[job]\n{}\n", job.replace("size=all", &size)))
    };
    vec![
        job("sequential write, 128 KiB", "", "rw=write\nbs=128k\nsize=all\niodepth=8\nend_fsync=1"),
        job("sequential read, 128 KiB", &fill, "rw=read\nbs=128k\nsize=all\niodepth=8"),
        job("random write, 16 KiB", "", "rw=randwrite\nbs=16k\nsize=all\niodepth=16\nend_fsync=1"),
        job(
            "random read, 16 KiB, depth 1",
            &fill,
            "rw=randread\nbs=16k\nsize=all\nio_size=1m\niodepth=1",
        ),
        job(
            "random read, 4 KiB, depth 16",
            &fill,
            "rw=randread\nbs=4k\nsize=all\nio_size=512k\niodepth=16",
        ),
        job("random mix, 16 KiB", &fill, "rw=randrw\nbs=16k\nsize=all\niodepth=8"),
        job(
            "random write, 16 KiB, a flush after 4",
            "",
            "rw=randwrite\nbs=16k\nsize=1m\niodepth=4\nfsync=4",
        ),
        job("random trim, 16 KiB", &fill, "rw=randtrim\nbs=16k\nsize=all\niodepth=4"),
    ]
}

/// Of drives over chips that program word lines at one go, it is a whole number of those.
const WORD_LINE_MIB: u32 = 3;

/// Of other drives over flash.
const FLASH_MIB: u32 = 2;

/// What is read from memory is written before.
const FILL_MEMORY: &str = "[fill]\nrw=write\nbs=128k\nsize=8m\niodepth=1\n";

/// Jobs of drives over memory.
const AUTOMATED_JOBS: [(&str, &str, &str); 17] = [
    ("random read, 4 KiB, depth 1", FILL_MEMORY, "[job]\nrw=randread\nbs=4k\nsize=1m\n"),
    ("random write, 4 KiB, depth 1", "", "[job]\nrw=randwrite\nbs=4k\nsize=1m\n"),
    ("sequential read, 4 KiB, depth 1", FILL_MEMORY, "[job]\nrw=read\nbs=4k\nsize=1m\n"),
    ("sequential write, 4 KiB, depth 1", "", "[job]\nrw=write\nbs=4k\nsize=1m\n"),
    (
        "random read, 128 KiB, depth 1",
        FILL_MEMORY,
        "[job]\nrw=randread\nbs=128k\nsize=1m\nio_size=4m\n",
    ),
    ("random write, 128 KiB, depth 1", "", "[job]\nrw=randwrite\nbs=128k\nsize=1m\nio_size=4m\n"),
    (
        "sequential read, 128 KiB, depth 1",
        FILL_MEMORY,
        "[job]\nrw=read\nbs=128k\nsize=1m\nio_size=4m\n",
    ),
    ("sequential write, 128 KiB, depth 1", "", "[job]\nrw=write\nbs=128k\nsize=1m\nio_size=4m\n"),
    ("random read, 4 KiB, depth 8", FILL_MEMORY, "[job]\nrw=randread\nbs=4k\nsize=2m\niodepth=8\n"),
    ("random write, 4 KiB, depth 8", "", "[job]\nrw=randwrite\nbs=4k\nsize=2m\niodepth=8\n"),
    ("sequential read, 4 KiB, depth 8", FILL_MEMORY, "[job]\nrw=read\nbs=4k\nsize=2m\niodepth=8\n"),
    ("sequential write, 4 KiB, depth 8", "", "[job]\nrw=write\nbs=4k\nsize=2m\niodepth=8\n"),
    (
        "random read, 128 KiB, depth 8",
        FILL_MEMORY,
        "[job]\nrw=randread\nbs=128k\nsize=8m\niodepth=8\n",
    ),
    ("random write, 128 KiB, depth 8", "", "[job]\nrw=randwrite\nbs=128k\nsize=8m\niodepth=8\n"),
    (
        "sequential read, 128 KiB, depth 8",
        FILL_MEMORY,
        "[job]\nrw=read\nbs=128k\nsize=8m\niodepth=8\n",
    ),
    ("sequential write, 128 KiB, depth 8", "", "[job]\nrw=write\nbs=128k\nsize=8m\niodepth=8\n"),
    ("random mix, 4 KiB, depth 8", "", "[job]\nrw=randrw\nbs=4k\nsize=2m\niodepth=8\n"),
];

fn automated_jobs() -> Vec<Job> {
    let owned = |(name, fill, job): (_, &str, &str)| (name, fill.to_owned(), job.to_owned());
    AUTOMATED_JOBS.map(owned).to_vec()
}

/// A figure on both bodies.
struct Cell {
    name: &'static str,
    hardware: f64,
    simulated: f64,
    /// By how much virtual time may be off, in percent.
    most: f64,
}

impl Cell {
    /// Those of a row.
    fn all(hardware: &Figures, simulated: &Figures) -> Vec<Cell> {
        let cell =
            |((name, hardware, most), (_, simulated, _))| Cell { name, hardware, simulated, most };
        hardware.each().into_iter().zip(simulated.each()).map(cell).collect()
    }

    fn percent(&self) -> f64 {
        (self.simulated / self.hardware - 1.0) * 100.0
    }

    fn is_beyond(&self) -> bool {
        self.hardware != 0.0 && self.percent().abs() > self.most
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} / {:.1}", self.hardware, self.simulated)?;
        if self.hardware == 0.0 {
            return Ok(());
        }
        let mark = if self.is_beyond() { "**" } else { "" };
        write!(f, " ({mark}{:+.1} %{mark})", self.percent())
    }
}

/// What of a row is beyond the aim, and what virtual time says where times are some cycles other.
fn beyond(row: &str, cells: &[Cell], spread: &[(f64, f64)]) -> Vec<String> {
    let line = |(cell, (least, most)): (&Cell, &(f64, f64))| {
        let Cell { name, hardware, simulated, .. } = cell;
        let lies = if (*least..=*most).contains(hardware) { "inside" } else { "outside" };
        format!("| {row} | {name} | {hardware:.1} | {simulated:.1} | {least:.1} to {most:.1} | {lies} |")
    };
    cells.iter().zip(spread).filter(|(cell, _)| cell.is_beyond()).map(line).collect()
}

/// Prints the rows of a job: one a direction that it went in. Returns what of them is beyond the aim.
fn rows(
    (name, scheduler): (&str, &str),
    Both { hardware, simulated }: &Both,
    spread: impl Fn(Direction) -> Result<[(f64, f64); 6], String>,
) -> Result<Vec<String>, String> {
    let mut far = Vec::new();
    for (direction, told) in
        [(Direction::Read, "reads"), (Direction::Write, "writes"), (Direction::Trim, "trims")]
    {
        let figures = [hardware, simulated].map(|ran| ran.figures(direction));
        if let [Some(hardware), Some(simulated)] = figures {
            let name = match name.contains("mix") {
                true => format!("{name}, {told}"),
                false => name.to_owned(),
            };
            let cells = Cell::all(&hardware, &simulated);
            let row = format!("{name} | {scheduler}");
            let shown: Vec<String> = cells.iter().map(Cell::to_string).collect();
            println!("| {row} | {} |", shown.join(" | "));
            if cells.iter().any(Cell::is_beyond) {
                far.extend(beyond(&row, &cells, &spread(direction)?));
            }
        }
    }
    Ok(far)
}

/// Prints the steps of both bodies in each job that is asked for, side by side.
fn print_steps(kind: Kind, of_jobs: &str, (board, most): (&str, usize)) -> Result<(), String> {
    for (who, settings, jobs) in kind.runs() {
        let resolved = Board::resolve(board, &settings).map_err(|error| error.to_string())?;
        for (name, fill, job) in jobs.iter().filter(|(name, ..)| name.contains(of_jobs)) {
            let jobs = format!("{fill}{}", job.replacen(']', "]\nstonewall", 1));
            println!("\n{board}, {}, {name}, {who}: us in hardware and in virtual time, the difference, and since the step before in ns", kind.name());
            for pair in steps(&resolved, &jobs, SEED)?.into_iter().take(most) {
                let Pair { step, hardware, simulated, since } = pair;
                let told = simulated.map_or("-".to_owned(), |at| format!("{at:.3}"));
                let apart = simulated.map_or("-".to_owned(), |at| format!("{:+.3}", at - hardware));
                let (hard, soft) = (since.0 * 1e3, since.1 * 1e3);
                println!(
                    "{hardware:>10.3} {told:>10} {apart:>8} {hard:>8.0} {soft:>8.0}  {step:?}"
                );
            }
        }
    }
    Ok(())
}

/// Compares drives of a kind, and tells on standard error how fast the hardware was simulated.
fn compare(kind: Kind, of_jobs: &str, board: &str) -> Result<(), String> {
    let parts = Part::ALL.map(|part| format!("{}, median us", part.name()));
    let size = match kind {
        Kind::Flash(size) => format!("{size} x {size}"),
        Kind::WordLines => "2 x 2".to_owned(),
        Kind::Automated => "automated".to_owned(),
    };
    println!("\n{board}, {size}: hardware / virtual time (difference)\n");
    println!("| Job | Who schedules | MB/s | mean us | p99 us | {} |", parts.join(" | "));
    println!("|---|---|---|---|---|---|---|---|");
    let (start, mut cycles, mut cpu) = (Instant::now(), 0.0, 0.0);
    let mut far = Vec::new();
    for (who, settings, jobs) in kind.runs() {
        let resolved = Board::resolve(board, &settings).map_err(|error| error.to_string())?;
        for (name, fill, job) in jobs.iter().filter(|(name, ..)| name.contains(of_jobs)) {
            let job = job.replacen(']', "]\nstonewall", 1);
            let jobs = format!("{fill}{job}");
            let ran = both(&resolved, &jobs, SEED)?;
            let of_job = |direction| spread(&resolved, &jobs, (direction, SEED));
            far.extend(rows((name, who), &ran, of_job)?);
            let speed = &ran.hardware.result.speed;
            cycles += speed.simulated_s / (period(&resolved).as_ps() as f64 / 1e12);
            cpu += speed.cpu_s;
        }
    }
    if !far.is_empty() {
        let most = SHIFTS_NS.into_iter().max().unwrap_or(0);
        println!("\n{board}, {size}: what is beyond the aim, and virtual time with times up to {most} ns other\n");
        println!("| Job | Who schedules | Figure | hardware | virtual time | virtual time, other times | hardware lies |");
        println!("|---|---|---|---|---|---|---|\n{}", far.join("\n"));
    }
    eprintln!(
        "{size}: {cycles:.0} cycles of hardware, {:.0} a CPU second; {:.0} s",
        cycles / cpu,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let steps = arguments.iter().position(|argument| argument == "--steps");
    let most = match steps.map(|at| arguments.drain(at..).nth(1).unwrap_or_default()) {
        None => None,
        Some(told) => match told.parse() {
            Ok(most) => Some(most),
            Err(_) => {
                eprintln!("rtl-compare: --steps: found {told:?}, expected a number of steps");
                return ExitCode::from(2);
            }
        },
    };
    let of_jobs = arguments.get(1).map_or("", String::as_str);
    let is_wanted = |kind: &Kind| match arguments.first().map(String::as_str) {
        None | Some("") => true,
        Some(name) => kind.name() == name,
    };
    let kinds: Vec<Kind> = KINDS.into_iter().filter(is_wanted).collect();
    if kinds.is_empty() {
        let names = KINDS.map(Kind::name).join(", ");
        eprintln!("rtl-compare: found {}, expected one of {names}", arguments[0]);
        return ExitCode::from(2);
    }
    let board = |kind: Kind| arguments.get(2).map_or(kind.board(), String::as_str);
    let done = kinds.into_iter().try_for_each(|kind| match most {
        None => compare(kind, of_jobs, board(kind)),
        Some(most) => print_steps(kind, of_jobs, (board(kind), most)),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("rtl-compare: {line}");
            ExitCode::from(2)
        }
    }
}
