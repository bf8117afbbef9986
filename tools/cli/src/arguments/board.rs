//! What `board` takes.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use fit::Wanted;

use super::run::PreconditionKind;
use super::values::{assignment, jobs, percent, seed, whole};

const FIT_EXAMPLES: &str = "\
Each job of the files is a measurement: its rate, mean latency, median and 99th percentile. The same jobs are run on
the base board, whose keys are changed until the figures are those. What the files do not determine stays as
the base has it, and is named.

Exit codes: 0 if there is a fit, 1 if a simulated drive failed, 2 for input that cannot be used, 128 if a signal
ended it.

Examples:
  firmament board fit drive.json --base samsung-pm9a3 --output my-drive.toml
  firmament board fit reads.json writes.json --precondition steady --set geometry.channels=4
  firmament board fit drive.json --fit flash.t_read_lsb_us+flash.t_read_csb_us+flash.t_read_msb_us --fit geometry.ways=2..16";

/// Arguments of `board`.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "firmament board <NAME> [OPTIONS]\n       \
                      firmament board fit <FILE.json>... [OPTIONS]"
)]
pub struct BoardArguments {
    /// What to do other than to print a board.
    #[command(subcommand)]
    pub action: Option<BoardAction>,
    /// A name that `firmament boards` lists, or a path that ends in .toml
    #[arg(required = true)]
    pub name: Option<String>,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
}

/// A command of `board`.
#[derive(Debug, Subcommand)]
pub enum BoardAction {
    /// Makes a board from what fio measured on a real drive, and tells which keys that determines
    #[command(display_name = "firmament")]
    Fit(FitArguments),
}

/// Arguments of `board fit`.
#[derive(Args, Debug)]
#[command(after_help = FIT_EXAMPLES)]
pub struct FitArguments {
    /// What fio --output-format=json wrote
    #[arg(value_name = "FILE.json", required = true)]
    pub files: Vec<PathBuf>,
    /// The board that the fit begins with, and whose values stay where nothing says otherwise
    #[arg(long, value_name = "BOARD", default_value = "tlc-2024")]
    pub base: String,
    /// Replaces a value of the base, such as what is known of the drive; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// A key to fit, in place of the usual ones; may be repeated. KEY+KEY are changed by one factor; without a range
    /// it is from an eighth of the base's value to eight times it
    #[arg(long = "fit", value_name = "KEY[=LOW..HIGH]")]
    pub wanted: Vec<Wanted>,
    /// What the drive held before each job
    #[arg(long, value_enum, value_name = "STATE", default_value_t = PreconditionKind::Sequential)]
    pub precondition: PreconditionKind,
    /// Requests of each simulated job at least, unless fio did fewer
    #[arg(long, value_name = "N", default_value = "2000", value_parser = whole(1..=10_000_000_u64))]
    pub requests: u64,
    /// Most runs of simulated jobs
    #[arg(long, value_name = "N", default_value = "4000", value_parser = whole(1..=1_000_000_u64))]
    pub runs: u64,
    /// How far a measured rate may be off by chance
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percent)]
    pub error: f64,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// Runs that are done side by side; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Writes the board to this file
    #[arg(long, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Writes what was found as JSON to this file as well
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
