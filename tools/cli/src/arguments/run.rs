//! What `run` takes, but for fio's options.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ::timeline::{Around, Window};
use clap::{Args, ValueEnum};
use host::{PayloadForm, Preconditioning};
use machine::{Accounts, Polling};
use monitor::Period;
use recipe::{Body, Processor};
use runs::confidence::Asked;

use super::reports::ReportArguments;
use super::values::{
    assignment, eta_interval, interval, interval_ps, monitor_interval, seed, seeds, until,
};

const RUN_EXAMPLES: &str = "\
fio options:
  Every other --option is taken as one of fio's: --rw=randwrite, --bs 16k, -time_based. --name=x
  starts a job. Options before the first --name, and those after --name=global, hold for all jobs
  that follow, those of job files too. --cmdhelp tells what becomes of each option.

Examples:
  firmament run jobs/demo.fio
  firmament run cosmos-plus --rw=randread --bs=4k --iodepth=64 --size=1g --runtime=1
  firmament run my-board.toml jobs/verify.fio --payload=full
  firmament run jobs/demo.fio --set processor.clock_mhz=500 --output-format=json --output slow.json
  firmament run my-job.fio --output-format=json --status-interval=500ms --eta=never
  firmament run --rw=randread --bs=4k --iodepth=16 --time_based --runtime=100 --until=converged:error=2%
  firmament run cosmos-plus-log --image drive.img --rw=randwrite --bs=4k --size=1g
  firmament run --rw=randwrite --bs=16k --size=8g --save worn.snap
  firmament run --from worn.snap --rw=randread --bs=4k --iodepth=64 --size=1g
  firmament run my-job.fio --timeline slow.json --timeline-around=slowest
  firmament run small --precondition=steady --name=a --rw=randwrite --name=b --rw=read";

/// Arguments of `run`, without fio's options.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    override_usage = "firmament run [BOARD] [JOB.fio | --FIO-OPTION=VALUE...] [OPTIONS]",
    after_help = RUN_EXAMPLES
)]
pub struct RunArguments {
    /// Board (a name or a path that ends in .toml; cosmos-plus if absent) and job files (any other
    /// path, or - for standard input)
    #[arg(value_name = "BOARD | JOB.fio")]
    pub inputs: Vec<String>,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// Runs with so many seeds, from that one on, and tells means over them with their intervals
    #[arg(long, value_name = "N", value_parser = seeds)]
    pub seeds: Option<NonZeroU32>,
    /// Ends the jobs once their figures are known: converged, or for example
    /// converged:error=1%,level=95%,of=mean+p99+waf
    #[arg(long, value_name = "ENOUGH", value_parser = until)]
    pub until: Option<Asked>,
    /// What stands for user data; stamp if absent, or what an image has
    #[arg(long, value_enum, value_name = "KIND")]
    pub payload: Option<PayloadKind>,
    /// What a new drive holds before the run; sequential if absent
    #[arg(long, value_enum, value_name = "STATE")]
    pub precondition: Option<PreconditionKind>,
    /// Keeps the drive in this file, which is made if it is not there; for boards with a log
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// Begins with the drive that this snapshot keeps, which says what board it is
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Keeps the drive, as the run leaves it, in this snapshot
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// What the drive is made of
    #[arg(long, value_enum, value_name = "BODY", default_value_t = BodyKind::Sim)]
    pub body: BodyKind,
    /// What the firmware runs on
    #[arg(long, value_enum, value_name = "PROCESSOR", default_value_t = ProcessorKind::Board)]
    pub processor: ProcessorKind,
    /// How idle turns of the firmware's main loop are run
    #[arg(long, value_enum, value_name = "HOW", default_value_t = PollingKind::Skip)]
    pub polling: PollingKind,
    /// Whether the report tells where the time of requests went; without, a run takes a fifth less
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = CausesKind::All, conflicts_with = "monitor")]
    pub causes: CausesKind,
    /// Where reports go
    #[command(flatten)]
    pub reports: ReportArguments,
    /// Writes each measured request to this file as well, with times in picoseconds and their causes; its end says how: .parquet
    /// or .csv
    #[arg(long, value_name = "FILE")]
    pub requests: Option<PathBuf>,
    /// Writes what the drive did when to this file as well, for Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Virtual time that the timeline covers, counted from the start of the first job
    #[arg(long, value_name = "START..END", default_value = "0..2ms", requires = "timeline")]
    pub timeline_window: Window,
    /// Records the run when it is done a second time, around what the first time has shown: slowest or a percentile such as
    /// p99.9 (that request, with its critical path), collection (the first block that the drive erases by itself), or a
    /// time since the start of the first job
    #[arg(
        long,
        value_name = "WHAT",
        requires = "timeline",
        conflicts_with_all = ["timeline_window", "image"]
    )]
    pub timeline_around: Option<Around>,
    /// Virtual time between two lines of the monitor, 1us to 1000s
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1ms",
        value_parser = monitor_interval,
        requires = "monitor"
    )]
    pub monitor_interval: Period,
    /// Prints the report of the time until then again and again, at this interval of virtual time;
    /// seconds without a unit
    #[arg(long, value_name = "TIME", value_parser = interval_ps)]
    pub status_interval: Option<u64>,
    /// How progress is shown
    #[command(flatten)]
    pub eta: EtaArguments,
    /// What fio's own program has
    #[command(flatten)]
    pub fio: FioArguments,
}

/// Options of fio's program, as against those of its jobs.
#[derive(Args, Clone, Debug)]
pub struct FioArguments {
    /// Runs only this section of the job files; may be repeated
    #[arg(long = "section", value_name = "NAME")]
    pub sections: Vec<String>,
    /// Refuses jobs that write or trim
    #[arg(long)]
    pub readonly: bool,
    /// Reads the jobs, tells what is wrong with them, and runs nothing
    #[arg(long)]
    pub parse_only: bool,
    /// Prints the command line that says what the jobs say, and runs nothing
    #[arg(long)]
    pub showcmd: bool,
    /// Tells what becomes of an option of fio's, or of all
    #[arg(
        long,
        value_name = "OPTION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub cmdhelp: Option<String>,
    /// Tells what becomes of fio's I/O engines, or which options an engine has
    #[arg(
        long,
        value_name = "ENGINE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub enghelp: Option<String>,
}

/// How the progress of a run is shown, as fio's options of these names have it, by the wall clock.
#[derive(Args, Clone, Copy, Debug)]
pub struct EtaArguments {
    /// When progress is shown: auto on a terminal only, always also as lines in a file
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = EtaKind::Auto)]
    pub eta: EtaKind,
    /// Keeps a line of progress each time this much has passed; seconds without a unit
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub eta_newline: Option<Duration>,
    /// Time between two lines where there is no terminal, at least 250ms
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = eta_interval)]
    pub eta_interval: Duration,
}

/// When the progress of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EtaKind {
    /// If standard error is a terminal.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}

/// What stands for user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PayloadKind {
    /// A stamp of address and version in each logical block.
    Stamp,
    /// Every byte.
    Full,
}

/// What the drive holds before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreconditionKind {
    /// Nothing.
    None,
    /// Every page, written in order.
    Sequential,
    /// Every page, written in random order.
    Random,
    /// Every page, and overwritten at random until write amplification settles: of a large drive drawn from a small one.
    Steady,
    /// The same, of the drive itself, however large it is.
    SteadyRun,
}

/// What a drive is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BodyKind {
    /// A body in virtual time: fast.
    Sim,
    /// The controller in hardware, Verilated, with chips on its pins: true to the cycle.
    Rtl,
}

/// What the firmware runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProcessorKind {
    /// This computer, in the time that the board's processor would need.
    Board,
    /// An Ibex core in the controller, which is hardware.
    Ibex,
}

/// What becomes of idle turns of the main loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PollingKind {
    /// Skipped; the result is the same.
    Skip,
    /// One by one.
    Exact,
}

/// Of which requests the report tells where their time went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CausesKind {
    /// Of all requests.
    All,
    /// Of no request: the drive keeps no accounts.
    None,
}

impl From<CausesKind> for Accounts {
    fn from(kind: CausesKind) -> Self {
        match kind {
            CausesKind::All => Accounts::Kept,
            CausesKind::None => Accounts::None,
        }
    }
}

impl From<PayloadKind> for PayloadForm {
    fn from(kind: PayloadKind) -> Self {
        match kind {
            PayloadKind::Stamp => PayloadForm::Stamps,
            PayloadKind::Full => PayloadForm::Bytes,
        }
    }
}

impl From<PreconditionKind> for Preconditioning {
    fn from(kind: PreconditionKind) -> Self {
        match kind {
            PreconditionKind::None => Preconditioning::None,
            PreconditionKind::Sequential => Preconditioning::Sequential,
            PreconditionKind::Random => Preconditioning::Random,
            PreconditionKind::Steady => Preconditioning::Steady,
            PreconditionKind::SteadyRun => Preconditioning::SteadyRun,
        }
    }
}

impl From<BodyKind> for Body {
    fn from(kind: BodyKind) -> Self {
        match kind {
            BodyKind::Sim => Body::Sim,
            BodyKind::Rtl => Body::Rtl,
        }
    }
}

impl From<ProcessorKind> for Processor {
    fn from(kind: ProcessorKind) -> Self {
        match kind {
            ProcessorKind::Board => Processor::Board,
            ProcessorKind::Ibex => Processor::Ibex,
        }
    }
}

impl From<PollingKind> for Polling {
    fn from(kind: PollingKind) -> Self {
        match kind {
            PollingKind::Skip => Polling::Skip,
            PollingKind::Exact => Polling::Exact,
        }
    }
}
