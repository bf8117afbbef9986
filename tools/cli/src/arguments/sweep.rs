//! What `sweep` takes.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::values::jobs;
use ::sweep::{Aims, Shard};

const SWEEP_EXAMPLES: &str = "\
The file says which keys take which values, and every combination is run (docs/sweep.md):
  board = \"cosmos-plus\"
  seeds = 3
  [options]
  rw = \"randread\"
  bs = \"4k\"
  size = \"1g\"
  number_ios = 2000
  [grid]
  \"geometry.ways\" = [1, 2, 4, 8]
  iodepth = [1, 8, 64]

A sweep that was ended goes on where it was when the same command is given again.

Exit codes: 0 if all points have figures, 1 if some have an error in their place, 2 for input that
cannot be used, 128 if a signal ended the sweep.

Examples:
  firmament sweep jobs/sweep.toml
  firmament sweep jobs/sweep.toml --out out/mine --jobs 8
  firmament sweep jobs/sweep.toml --html sweep.html --aims read_p99_us,write_amplification
  firmament sweep jobs/sweep.toml --shard 1/2 --out out/first      # here, 2/2 elsewhere, and then
  firmament sweep jobs/sweep.toml --merge out/first out/second";

/// Which points `sweep` runs, how many at once, and where rows go.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = SWEEP_EXAMPLES)]
pub struct SweepArguments {
    /// Which points there are
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Writes rows and tables to this folder; out/sweeps/NAME if absent
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Writes the figures to this file as a self-contained HTML page as well: lines over one key, heat maps over two, parallel
    /// axes over more, and a table
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Figures that the page holds against each other; those of throughput, p99 and write amplification that differ if absent
    #[arg(long, value_name = "FIGURE,...", value_parser = Aims::parse, requires = "html")]
    pub aims: Option<Aims>,
    /// Points that run side by side; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Runs the I-th of N parts alone, as 2/8; a folder for each
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    /// Takes the rows of other folders first, such as those of shards
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "shard")]
    pub merge: Vec<PathBuf>,
}
