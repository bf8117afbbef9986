//! What `torture` takes.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;
use torture::faults::Faults;

use super::values::{jobs, seed, whole};

const TORTURE_EXAMPLES: &str = "\
Each round draws a small drive (sizes, times, policies, who schedules) and a host from its seed: commands of all
kinds on several queues at once, and faults. What each block may read as is known at any time; anything else is
a violation, and so is a panic of the drive. The first violation is shrunk to a short history and printed.

Faults, divided by commas, or none, or all but astray:
  power      the power is cut at any moment, also during recovery, on drives that keep a log
  blocks     programs and erases fail, blocks are bad from the factory
  hangs      chips stay busy until they are reset
  bits       reads have more wrong bits than the decoder corrects
  resets     CC.EN is cleared with commands in flight
  queues     queues are deleted with commands in flight
  aborts     commands are aborted
  commands   malformed submission queue entries
  pointers   data pointers and PRP lists outside of host memory
  doorbells  values that no queue can have
  formats    the namespace is formatted, in some rounds
  snapshots  the drive is written to a snapshot and read back, in some rounds
  shelf      the power is off for weeks, in some rounds on drives whose data age
  astray     chips lose programs or program another page; the power is cut in half of these rounds

Exit codes: 0 without a violation, 1 with one, 2 for input that cannot be used.

Examples:
  firmament torture --rounds 1000
  firmament torture --seed 4711 --rounds 1
  firmament torture cosmos-plus-log --faults power,blocks --ops 5000
  firmament torture --rounds 20000 --cut-every 2 --faults power,blocks
  firmament torture --rounds 100000 --save found.json
  firmament torture --replay found.json";

/// Which rounds `torture` runs, on which drives, and what goes wrong in them.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = TORTURE_EXAMPLES)]
pub struct TortureArguments {
    /// The board that drives are made of, with sizes at random; without one all is random
    pub board: Option<String>,
    /// Seed of the first round; each round has the next
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// How many rounds there are
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(0..=u64::MAX))]
    pub rounds: u64,
    /// Commands of a round
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(0..=u32::MAX))]
    pub ops: u32,
    /// What goes wrong
    #[arg(long, value_name = "FAULTS", default_value = "all")]
    pub faults: Faults,
    /// Steps of the host between two power losses, or commands on drives of zones or chunks; 5, 15, 60 or 150 steps by the round's seed if absent, and
    /// at random there
    #[arg(long, value_name = "N", value_parser = whole(NonZeroU32::MIN..=NonZeroU32::MAX))]
    pub cut_every: Option<NonZeroU32>,
    /// Rounds that run side by side; one for each processor if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Most runs that shrinking a violation may take; 0 leaves it as it is
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = whole(0..=u32::MAX))]
    pub shrink: u32,
    /// Writes a violation's shrunk history to this file
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Runs a history that --save wrote, and nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "seed", "rounds", "ops", "faults", "cut_every"])]
    pub replay: Option<PathBuf>,
}
