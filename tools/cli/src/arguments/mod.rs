//! What the command line may say.

mod board;
mod fail_if;
mod image;
mod linux;
mod new;
mod reference;
mod replay;
mod reports;
mod run;
#[cfg(target_os = "linux")]
mod serve;
mod study;
mod sweep;
mod torture;
mod trace;
mod values;

use std::path::PathBuf;

use ::timeline::Window;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub use self::board::{BoardAction, BoardArguments, FitArguments};
pub use self::fail_if::FailIf;
pub use self::image::{ImageAction, ImageArguments, NewArguments};
#[cfg(target_os = "linux")]
pub use self::linux::{LinuxAction, LinuxArguments, MeasureArguments, PartnerKind, SchedulingKind};
pub use self::new::{MakeNewArguments, NewAction, NewPolicyArguments, PolicyKind};
pub use self::reference::{OptionState, ReferenceArguments, Subject};
pub use self::replay::{divide, ReplayArguments};
pub use self::reports::{OutputFormat, ReportArguments};
pub use self::run::{
    BodyKind, EtaArguments, EtaKind, FioArguments, PayloadKind, PreconditionKind, ProcessorKind,
    RunArguments,
};
pub use self::serve::{DoorbellKind, PaceKind, ServeArguments};
pub use self::study::{CalibrateArguments, StudyAction, StudyArguments, StudyRunArguments};
pub use self::sweep::SweepArguments;
pub use self::torture::TortureArguments;
pub use self::trace::{
    TraceAction, TraceArguments, TraceGenerateArguments, TraceInfoArguments, TraceReading,
};

const EXAMPLES: &str = "\
Examples:
  firmament run jobs/demo.fio
  firmament run cosmos-plus --rw=randread --bs=4k --iodepth=64 --size=1g --runtime=1
  firmament run cosmos-plus-mlc jobs/mixed.fio --seed 7 --html out.html
  firmament rerun report.json
  firmament compare a.json b.json --html compared.html
  firmament report report.json --html report.html
  firmament boards
  firmament board cosmos-plus --set ftl.placement=way-first
  firmament board fit drive.json --base tlc-2024 --output my-drive.toml
  firmament timeline trace.json --svg schedule.svg --window 0..500us
  firmament monitor drive.jsonl --follow
  firmament study cosmos-plus
  firmament sweep jobs/sweep.toml
  firmament serve --vfio-user drive.sock
  firmament image info drive.img
  firmament torture --rounds 1000
  firmament replay hm_0.csv.gz --speed=10x --remap=modulo
  firmament trace info hm_0.csv.gz
  firmament new policy oldest --kind victim

Exit codes:
  0    all went well
  1    a read returned wrong data, a job ended with I/O errors, a rerun gave another report, a value
       of a study lies outside its tolerance, a point of a sweep failed, or torture found a violation
  2    the input cannot be used; one line on stderr says why
  101  an internal error; please report it";

const RERUN_EXAMPLES: &str = "\
All that decides a report is in it: board, job, seed and the rest. Speed figures, version and commit of
the program are not compared. Exit codes: 0 for the same, 1 for another report, 2 for a file that
cannot be run again.

Examples:
  firmament run jobs/demo.fio --json demo.json && firmament rerun demo.json";

const COMPLETIONS_EXAMPLES: &str = "\
Example:
  firmament completions bash > ~/.local/share/bash-completion/completions/firmament";

const MAN_EXAMPLES: &str = "\
Example:
  firmament man ~/.local/share/man/man1 && man firmament-run";

/// What `--version` prints after the name: version, commit, and what the program was compiled for.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (commit ",
    env!("FIRMAMENT_COMMIT"),
    ", ",
    env!("FIRMAMENT_TARGET"),
    ")"
);

/// Boots a solid-state drive in virtual time and runs fio jobs on it.
#[derive(Debug, Parser)]
#[command(
    name = "firmament",
    bin_name = "firmament",
    version = VERSION,
    propagate_version = true,
    after_help = EXAMPLES
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs a fio job on a drive and prints the report
    Run(RunArguments),
    /// Lets virtual machines use a drive, as a PCI function over vfio-user
    #[cfg(target_os = "linux")]
    Serve(ServeArguments),
    /// Boots Linux on a drive in the drive's virtual time and runs a script there
    #[cfg(target_os = "linux")]
    Linux(LinuxArguments),
    /// Runs again what a JSON report tells of, and compares
    Rerun(RerunArguments),
    /// Puts JSON reports beside each other
    Compare(CompareArguments),
    /// Prints a JSON report as text, or draws its page
    Report(DrawArguments),
    /// Lists the built-in boards
    #[command(display_name = "firmament")]
    Boards,
    /// Prints a board, resolved, each value with its source; board fit makes one from what fio measured
    Board(BoardArguments),
    /// Draws what buses and ways did, from a file that run --timeline wrote
    Timeline(TimelineArguments),
    /// Shows what a drive does or did, from the file of run --monitor; q quits
    Monitor(MonitorArguments),
    /// Looks at drives in files, makes them, and converts them from and to raw disk images
    Image(ImageArguments),
    /// Compares what papers published with what comes out of the drive
    Study(StudyArguments),
    /// Runs every combination of the values that a file gives to keys of board and job
    Sweep(SweepArguments),
    /// Runs random drives under random commands and faults, and checks every byte
    Torture(TortureArguments),
    /// Replays block traces on a drive and prints the report
    Replay(ReplayArguments),
    /// Tells what is in a block trace
    Trace(TraceArguments),
    /// Makes a policy of the firmware in a clone of the repository, ready to be changed
    New(MakeNewArguments),
    /// Prints the file by which a shell completes commands and options
    Completions(CompletionsArguments),
    /// Writes the manual, a page for each command
    Man(ManArguments),
    /// Prints tables of the documentation, and writes them into its pages
    #[command(hide = true)]
    Reference(ReferenceArguments),
}

/// For which shell `completions` prints a file.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell that is to complete commands and options
    pub shell: Shell,
}

/// Where `man` writes pages.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = MAN_EXAMPLES)]
pub struct ManArguments {
    /// The directory for firmament.1, firmament-run.1 and the others; it is made if it is not there
    pub directory: PathBuf,
}

/// Which reports `compare` puts beside each other, and where the comparison goes.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct CompareArguments {
    /// Reports that run --json wrote; the others are held against the first
    #[arg(value_name = "REPORT.json", required = true, num_args = 2..)]
    pub reports: Vec<PathBuf>,
    /// Writes the comparison as a self-contained HTML page to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Ends with 1 if a figure differs from the first report's by more than this, as p99>5% or "read rate<-3%"; with --seeds in both
    /// reports, if it does so with all of the interval
    #[arg(long, value_name = "FIGURE>PERCENT%", value_parser = FailIf::parse)]
    pub fail_if: Vec<FailIf>,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct DrawArguments {
    /// A report that run --json wrote
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,
    /// Writes it as a self-contained HTML page to this file, and not as text to the terminal
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Which report `rerun` is to come to again.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = RERUN_EXAMPLES)]
pub struct RerunArguments {
    /// A report that run --json or --output-format=json wrote
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,
}

/// Which file `monitor` shows, and whether it waits for more.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct MonitorArguments {
    /// The file that run --monitor writes or wrote
    pub file: PathBuf,
    /// Keeps reading while the drive runs
    #[arg(long)]
    pub follow: bool,
}

/// What `timeline` draws, and into which file.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct TimelineArguments {
    /// A file that run --timeline wrote
    #[arg(value_name = "FILE")]
    pub trace: PathBuf,
    /// Writes the picture to this file
    #[arg(long, value_name = "FILE")]
    pub svg: PathBuf,
    /// Virtual time to draw, counted from the start of the first job; all that is recorded if absent
    #[arg(long, value_name = "START..END")]
    pub window: Option<Window>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_has_no_fault_that_clap_knows() {
        Arguments::command().debug_assert();
    }
}
