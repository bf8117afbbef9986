//! What `linux` takes.

use std::path::PathBuf;

use ::timeline::Window;
use clap::{Args, Subcommand, ValueEnum};
use monitor::Period;

use super::reports::ReportArguments;
use super::run::{BodyKind, PreconditionKind};
use super::values::{assignment, charges, interval_ps, monitor_interval, seed, whole};

const LINUX_EXAMPLES: &str = "\
Linux is built once, by make linux-vt, from the distribution's packages. It runs as a process of this machine, with the drive's
clock: what its programs measure is virtual time, and the same board, script and seed give the same bytes anywhere.

Examples:
  firmament linux --command 'mkfs.ext4 -q /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && df /mnt'
  firmament linux cosmos-plus --job job.fio --html linux.html
  firmament linux cosmos-plus --script transactions.sh --cpu none --json linux.json";

const CALIBRATE_EXAMPLES: &str = "\
The two numbers of a driver need a block device to read and the right to use the kernel's tracing, as root has it. Without
them they are 0, and the lines say so. On a machine with much else to do, the numbers are too large.

Examples:
  firmament linux calibrate
  sudo firmament linux calibrate --device /dev/nvme0n1";

/// What the command `linux` is told.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    args_conflicts_with_subcommands = true,
    override_usage = "firmament linux [BOARD] [OPTIONS]\n       firmament linux calibrate [OPTIONS]",
    after_help = LINUX_EXAMPLES
)]
pub struct LinuxArguments {
    /// What to do other than to boot Linux.
    #[command(subcommand)]
    pub action: Option<LinuxAction>,
    /// A name that `firmament boards` lists, or a path that ends in .toml; cosmos-plus if absent, or what an
    /// image has
    pub board: Option<String>,
    /// A further drive, with this board, which Linux sees as /dev/nvme1n1; may be repeated, seven times at most. Its values are
    /// those of its board file, as --set is for the first drive
    #[arg(long = "drive", value_name = "BOARD")]
    pub drives: Vec<String>,
    /// Runs this shell script once Linux has booted
    #[arg(long, value_name = "FILE", group = "what")]
    pub script: Option<PathBuf>,
    /// Runs this line of shell script
    #[arg(long, value_name = "COMMAND", group = "what")]
    pub command: Option<String>,
    /// Runs fio, the program, with this job file on the drive
    #[arg(long, value_name = "JOB", group = "what")]
    pub job: Option<PathBuf>,
    /// A folder of this machine that Linux sees as /share, to read and to write
    #[arg(long, value_name = "DIR")]
    pub share: Option<PathBuf>,
    /// A folder of this machine with a root file system, whose programs the script sees in place of those of --world. Linux reads it
    /// and writes nothing there
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Cuts the power at this virtual time; then the drive finds its data again, and a second Linux runs the script of --then
    #[arg(long, value_name = "TIME", value_parser = interval_ps, requires = "then")]
    pub cut_at: Option<u64>,
    /// The shell script that Linux runs after the power loss
    #[arg(long, value_name = "FILE", requires = "cut_at")]
    pub then: Option<PathBuf>,
    /// The folder in which make linux-vt has built Linux
    #[arg(long, value_name = "DIR", default_value = "target/linux-vt")]
    pub world: PathBuf,
    /// Linux's memory in MiB
    #[arg(long, value_name = "MIB", default_value = "768", value_parser = whole(128..=16384_u32))]
    pub memory: u32,
    /// Time that Linux's processor takes, in nanoseconds: for each request issued, request completed, switch of tasks,
    /// task woken; none for no time. If absent, what [guest_cpu] of the board says, or no time
    #[arg(long, value_name = "NS,NS,NS,NS|none", value_parser = charges)]
    pub cpu: Option<linux::Charges>,
    /// Writes what Linux prints to this file and not to the terminal
    #[arg(long, value_name = "FILE")]
    pub console: Option<PathBuf>,
    /// How much Linux's kernel says, 0 to 7
    #[arg(long, value_name = "LEVEL", default_value = "3", value_parser = whole(0..=7_u32))]
    pub log_level: u32,
    /// How Linux tells when it wants to run; what comes of it is the same
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SchedulingKind::Shared)]
    pub scheduling: SchedulingKind,
    /// Seconds of wall time for which Linux may run without looking at its clock
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = whole(1..=86400_u32))]
    pub patience: u32,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Seed of every random choice, of the drive's and of Linux's
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// What a new drive holds at the start; none if absent
    #[arg(long, value_enum, value_name = "STATE")]
    pub precondition: Option<PreconditionKind>,
    /// What the first drive is made of; hardware has the boards that `run --body rtl` has, and is new
    #[arg(long, value_enum, value_name = "BODY", default_value_t = BodyKind::Sim)]
    pub body: BodyKind,
    /// Keeps the drive in this file, which is made if it is not there; for boards with a log
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// Begins with the drive that this snapshot keeps, whose data have to be bytes; it says what board it is
    #[arg(long, value_name = "FILE", conflicts_with = "image")]
    pub from: Option<PathBuf>,
    /// Keeps the drive, as Linux leaves it, in this snapshot
    #[arg(long, value_name = "FILE", conflicts_with = "image")]
    pub save: Option<PathBuf>,
    /// Where reports go
    #[command(flatten)]
    pub reports: ReportArguments,
    /// Writes the reads, writes and flushes of Linux as a block trace to this file as well, for replay and trace info
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Writes what the drive did when to this file as well, for Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Virtual time that the timeline covers, counted from the start of the machine
    #[arg(long, value_name = "START..END", default_value = "0..2ms", requires = "timeline")]
    pub timeline_window: Window,
    /// Virtual time between two lines of the monitor, 1us to 1000s
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        value_parser = monitor_interval,
        requires = "monitor"
    )]
    pub monitor_interval: Period,
}

/// A command of `linux`.
#[derive(Debug, Subcommand)]
pub enum LinuxAction {
    /// Measures what this machine's processor takes for what --cpu charges, and prints it for a board file
    #[command(display_name = "firmament")]
    Calibrate(MeasureArguments),
}

/// Arguments of `linux calibrate`.
#[derive(Args, Debug)]
#[command(after_help = CALIBRATE_EXAMPLES)]
pub struct MeasureArguments {
    /// A block device of this machine to read, so that requests issued and completed are measured as well
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<PathBuf>,
    /// Rounds of each loop, of which the quickest counts
    #[arg(long, value_name = "N", default_value = "400", value_parser = whole(1..=1_000_000_u32))]
    pub rounds: u32,
    /// Is the second process of a measurement.
    #[arg(long, value_enum, hide = true)]
    pub partner: Option<PartnerKind>,
}

/// What the second process of a measurement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartnerKind {
    /// It lets others run.
    Yields,
    /// It sends back each byte.
    Echoes,
}

/// How Linux tells when it wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchedulingKind {
    /// In memory that it shares with the drive.
    Shared,
    /// By messages.
    Messages,
}
