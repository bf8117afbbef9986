//! Runs the same jobs on both bodies of a board and prints how far they are apart, as a table in Markdown.
//!
//! `make rtl-compare` runs it. Each job runs in pairs: once in hardware and once in virtual time, with the same seed. A
//! cell has the means of both bodies, and the mean difference of a pair with its interval.

mod kinds;
mod table;

use board::Board;
use clap::Parser;
use kinds::{Amount, Job, Kind, Load};
use rtl_sim::drive::paired::{with_host_of, Pairs};
use rtl_sim::drive::period;
use rtl_sim::drive::steps::{steps, Pair};
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;

/// Compares drives in hardware with the same drives in virtual time.
#[derive(Parser)]
#[command(name = "rtl-compare")]
struct Arguments {
    /// The drive: all of them, unless one is named.
    drive: Option<Kind>,
    /// Only jobs with this in their names.
    #[arg(default_value = "")]
    jobs: String,
    /// This board in place of the drive's own.
    board: Option<String>,
    /// Pairs of runs of each job.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Seed of the first pair, such as one that a line of an error named.
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    first_seed: u64,
    /// Commands of each job, unless they move more than --mib.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    commands: u32,
    /// Data that a job moves at the most, in MiB: 16 over memory and 2 over flash if absent.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1024))]
    mib: Option<u32>,
    /// Prints the first N steps of each job on both bodies of the first pair instead, so that the first step is found
    /// that takes another time.
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
}

impl Arguments {
    /// Loads of a drive, each with its board, and the jobs that are asked for.
    fn loads(&self, kind: Kind) -> Result<Vec<(Board, Load)>, String> {
        let name = self.board.as_deref().unwrap_or(kind.board());
        let amount = Amount { commands: self.commands, most_mib: self.mib };
        let with_board = |mut load: Load| {
            load.jobs.retain(|job| job.name.contains(&self.jobs));
            let board = Board::resolve(name, &load.settings).map_err(|error| error.to_string())?;
            Ok((board, load))
        };
        kind.loads(amount).into_iter().map(with_board).collect()
    }

    fn title(&self, kind: Kind) -> String {
        format!("{}, {}", self.board.as_deref().unwrap_or(kind.board()), kind.told())
    }
}

/// Prints the steps of both bodies in each job that is asked for, side by side, of the first pair.
fn print_steps(arguments: &Arguments, kind: Kind, most: usize) -> Result<(), String> {
    let seed = arguments.first_seed;
    for (board, Load { who, jobs, .. }) in arguments.loads(kind)? {
        let board = with_host_of(seed, &board);
        for Job { name, text } in jobs {
            println!("\n{}, {name}, {who}, seed {seed}: us in hardware and in virtual time, the difference, and since the step before in ns", arguments.title(kind));
            for pair in steps(&board, &text, seed)?.into_iter().take(most) {
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

/// Compares drives of a kind, and tells on standard error how fast the hardware was simulated. A row is printed when its
/// pairs are done.
fn compare(arguments: &Arguments, kind: Kind) -> Result<(), String> {
    let (first, seeds) = (arguments.first_seed, arguments.seeds);
    let title = arguments.title(kind);
    println!("\n{title}: hardware / virtual time (difference of {seeds} pairs, 95 %)\n");
    println!("{}", table::head());
    let (start, mut cycles, mut cpu) = (Instant::now(), 0.0, 0.0);
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    for (board, Load { who, jobs, .. }) in &arguments.loads(kind)? {
        for Job { name, text } in jobs {
            let paired =
                Pairs { board, jobs: text, seeds: first..=first + seeds - 1, threads }.run()?;
            for row in table::rows((name, who), &paired) {
                println!("{row}");
            }
            std::io::stdout().flush().map_err(|error| error.to_string())?;
            let (simulated_s, cpu_s) = paired.speed();
            cycles += simulated_s / (period(board).as_ps() as f64 / 1e12);
            cpu += cpu_s;
        }
    }
    eprintln!(
        "{}: {cycles:.0} cycles of hardware, {:.0} a CPU second; {:.0} s",
        kind.told(),
        cycles / cpu,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all = [Kind::One, Kind::Two, Kind::Four, Kind::Eight, Kind::WordLines, Kind::Automated];
    let mut kinds =
        all.into_iter().filter(|&kind| arguments.drive.is_none_or(|asked| asked == kind));
    let done = kinds.try_for_each(|kind| match arguments.steps {
        None => compare(&arguments, kind),
        Some(most) => print_steps(&arguments, kind, most),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("rtl-compare: {line}");
            ExitCode::from(2)
        }
    }
}
