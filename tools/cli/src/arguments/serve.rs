//! What `serve` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use monitor::Period;

use super::reports::ReportArguments;
use super::run::{BodyKind, PreconditionKind, ProcessorKind};
use super::values::{assignment, monitor_interval, seed, whole};

const SERVE_EXAMPLES: &str = "\
The virtual machine's memory has to be shared. With QEMU 10.1 or newer:
  qemu-system-x86_64 -machine q35,memory-backend=mem0 -m 2G \\
    -object memory-backend-memfd,id=mem0,size=2G,share=on \\
    -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"SOCKET\"}}' ...

Reports are written when SIGUSR1 comes, and when SIGINT or SIGTERM ends the drive. Data last as long as
the program runs, or with --image as long as the file; virtual machines may come and go, one at a time.

Examples:
  firmament serve --vfio-user drive.sock
  firmament serve cosmos-plus-log --vfio-user drive.sock --image drive.img
  firmament serve small --vfio-user drive.sock --pace fast --html guest.html
  firmament serve --vfio-user drive.sock --set geometry.blocks_per_way=1024 --monitor drive.jsonl";

/// Which drive `serve` runs, at which socket, and what it writes.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = SERVE_EXAMPLES)]
pub struct ServeArguments {
    /// A name that `firmament boards` lists, or a path that ends in .toml; cosmos-plus if absent, or what an
    /// image has
    pub board: Option<String>,
    /// Path of the socket at which virtual machine monitors find the drive
    #[arg(long, value_name = "SOCKET")]
    pub vfio_user: PathBuf,
    /// What the drive is made of; hardware runs as fast as it can be simulated, thousands of times slower than
    /// the drive itself
    #[arg(long, value_enum, value_name = "BODY", default_value_t = BodyKind::Sim)]
    pub body: BodyKind,
    /// What the firmware runs on
    #[arg(long, value_enum, value_name = "PROCESSOR", default_value_t = ProcessorKind::Board)]
    pub processor: ProcessorKind,
    /// How virtual time goes by; real if absent, and fast for hardware
    #[arg(long, value_enum, value_name = "PACE")]
    pub pace: Option<PaceKind>,
    /// How the guest rings doorbells; memory if absent, and message for hardware
    #[arg(long, value_enum, value_name = "HOW")]
    pub doorbells: Option<DoorbellKind>,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Number in the drive's serial number and UUID; made of the path of image or socket if absent
    #[arg(long, value_parser = whole(0..=u32::MAX))]
    pub serial: Option<u32>,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// What a new drive holds at the start; none if absent
    #[arg(long, value_enum, value_name = "STATE")]
    pub precondition: Option<PreconditionKind>,
    /// Keeps the drive in this file, which is made if it is not there; for boards with a log
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// Where reports go
    #[command(flatten)]
    pub reports: ReportArguments,
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

/// How a guest rings doorbells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DoorbellKind {
    /// In its memory, if its driver can; a message only wakes a drive that sleeps.
    Memory,
    /// By a message each.
    Message,
}

/// How virtual time goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaceKind {
    /// With the wall clock: the guest measures the modelled drive.
    Real,
    /// As fast as it can.
    Fast,
}
