//! What the command line may say.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use ::timeline::Window;
use clap::{Args, Parser, Subcommand, ValueEnum};
use host::job::seconds_ps;
use monitor::Period;
use report::TerseVersion;

/// The least that fio takes.
const SHORTEST_ETA: Duration = Duration::from_millis(250);

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
  firmament timeline trace.json --svg schedule.svg --window 0..500us
  firmament monitor drive.jsonl --follow
  firmament study cosmos-plus
  firmament serve --vfio-user drive.sock

Exit codes:
  0    all went well
  1    a read returned wrong data, a job ended with I/O errors, a rerun gave another report, or a value
       of a study lies outside its tolerance
  2    the input cannot be used; one line on stderr says why
  101  an internal error; please report it";

const RUN_EXAMPLES: &str = "\
fio options:
  Every other --option is taken as one of fio's, in place of a job file: --rw=randwrite,
  --bs 16k, --time_based. --name=x starts a job; options before it make a job of their own, and
  those after --name=global hold for all jobs that follow.

Examples:
  firmament run jobs/demo.fio
  firmament run cosmos-plus --rw=randread --bs=4k --iodepth=64 --size=1g --runtime=1
  firmament run my-board.toml jobs/verify.fio --payload=full
  firmament run jobs/demo.fio --set processor.clock_mhz=500 --output-format=json --output slow.json
  firmament run my-job.fio --output-format=json --status-interval=500ms --eta=never
  firmament run small --precondition=steady --name=a --rw=randwrite --name=b --rw=read";

const RERUN_EXAMPLES: &str = "\
All that decides a report is in it: board, job, seed and the rest. Speed figures, version and commit of
the program are not compared. Exit codes: 0 for the same, 1 for another report, 2 for a file that
cannot be run again.

Examples:
  firmament run jobs/demo.fio --json demo.json && firmament rerun demo.json";

const STUDY_EXAMPLES: &str = "\
Examples:
  firmament study
  firmament study cosmos-plus --quick
  firmament study all --out out/studies
  firmament study calibrate cosmos-plus";

#[cfg(target_os = "linux")]
const SERVE_EXAMPLES: &str = "\
The virtual machine's memory has to be shared. With QEMU 10.1 or newer:
  qemu-system-x86_64 -machine q35,memory-backend=mem0 -m 2G \\
    -object memory-backend-memfd,id=mem0,size=2G,share=on \\
    -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"SOCKET\"}}' ...

Reports are written when SIGUSR1 comes, and when SIGINT or SIGTERM ends the drive. Data last as long as
the program runs; virtual machines may come and go, one at a time.

Examples:
  firmament serve --vfio-user drive.sock
  firmament serve small --vfio-user drive.sock --pace fast --html guest.html
  firmament serve --vfio-user drive.sock --set geometry.blocks_per_way=1024 --monitor drive.jsonl";

/// Boots a solid-state drive in virtual time and runs fio jobs on it.
#[derive(Debug, Parser)]
#[command(name = "firmament", bin_name = "firmament", version, propagate_version = true, after_help = EXAMPLES)]
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
    /// Runs again what a JSON report tells of, and compares
    Rerun(RerunArguments),
    /// Puts JSON reports beside each other
    Compare(CompareArguments),
    /// Prints a JSON report as text, or draws its page
    Report(DrawArguments),
    /// Lists the built-in boards
    #[command(display_name = "firmament")]
    Boards,
    /// Prints a board, resolved, each value with its source
    Board(BoardArguments),
    /// Draws what buses and ways did, from a file that run --timeline wrote
    Timeline(TimelineArguments),
    /// Shows what a drive does or did, from the file of run --monitor; q quits
    Monitor(MonitorArguments),
    /// Compares what papers published with what comes out of the drive
    Study(StudyArguments),
}

/// Arguments of `run`, without fio's options.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    override_usage = "firmament run [BOARD] [JOB.fio | --FIO-OPTION=VALUE...] [OPTIONS]",
    after_help = RUN_EXAMPLES
)]
pub struct RunArguments {
    /// Board (a name or a path that ends in .toml; cosmos-plus if absent) and job file (a path
    /// that ends in .fio)
    #[arg(value_name = "BOARD | JOB.fio")]
    pub inputs: Vec<String>,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// What stands for user data
    #[arg(long, value_enum, value_name = "KIND", default_value_t = PayloadKind::Stamp)]
    pub payload: PayloadKind,
    /// What the drive holds before the run
    #[arg(long, value_enum, value_name = "STATE", default_value_t = PreconditionKind::Sequential)]
    pub precondition: PreconditionKind,
    /// How idle turns of the firmware's main loop are run
    #[arg(long, value_enum, value_name = "HOW", default_value_t = PollingKind::Skip)]
    pub polling: PollingKind,
    /// Where reports go
    #[command(flatten)]
    pub reports: ReportArguments,
    /// Writes what the drive did when to this file as well, for Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Virtual time that the timeline covers, counted from the start of the first job
    #[arg(long, value_name = "START..END", default_value = "0..2ms", requires = "timeline")]
    pub timeline_window: Window,
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

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct CompareArguments {
    /// Reports that run --json wrote; the others are held against the first
    #[arg(value_name = "REPORT.json", required = true, num_args = 2..)]
    pub reports: Vec<PathBuf>,
    /// Writes the comparison as a self-contained HTML page to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
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

/// Arguments of `rerun`.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = RERUN_EXAMPLES)]
pub struct RerunArguments {
    /// A report that run --json or --output-format=json wrote
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,
}

/// Arguments of `serve`.
#[cfg(target_os = "linux")]
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = SERVE_EXAMPLES)]
pub struct ServeArguments {
    /// A name that `firmament boards` lists, or a path that ends in .toml
    #[arg(default_value = crate::inputs::DEFAULT_BOARD)]
    pub board: String,
    /// Path of the socket at which virtual machine monitors find the drive
    #[arg(long, value_name = "SOCKET")]
    pub vfio_user: PathBuf,
    /// How virtual time goes by
    #[arg(long, value_enum, value_name = "PACE", default_value_t = PaceKind::Real)]
    pub pace: PaceKind,
    /// How the guest rings doorbells
    #[arg(long, value_enum, value_name = "HOW", default_value_t = DoorbellKind::Memory)]
    pub doorbells: DoorbellKind,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Number in the drive's serial number and UUID; made of the socket's path if absent
    #[arg(long, value_parser = serial)]
    pub serial: Option<u32>,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// What the drive holds at the start
    #[arg(long, value_enum, value_name = "STATE", default_value_t = PreconditionKind::None)]
    pub precondition: PreconditionKind,
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
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DoorbellKind {
    /// In its memory, if its driver can; a message only wakes a drive that sleeps.
    Memory,
    /// By a message each.
    Message,
}

/// How virtual time goes by.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaceKind {
    /// With the wall clock: the guest measures the modelled drive.
    Real,
    /// As fast as it can.
    Fast,
}

/// Where the reports of a drive go.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// Form of the report; several, divided by commas, are printed one after the other
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        value_delimiter = ',',
        default_value = "normal"
    )]
    pub output_format: Vec<OutputFormat>,
    /// Prints the report as terse lines, whatever --output-format says
    #[arg(long)]
    pub minimal: bool,
    /// Version of the terse format, 2 to 5
    #[arg(long, value_name = "N", default_value = "3", value_parser = terse_version)]
    pub terse_version: TerseVersion,
    /// Writes the report to this file and not to the terminal
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Writes the report as JSON to this file as well; - is standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Writes the report as a self-contained HTML page to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Writes what the drive does, interval by interval, to this file while it runs; `firmament
    /// monitor` shows it
    #[arg(long, value_name = "FILE", value_parser = monitor_file)]
    pub monitor: Option<PathBuf>,
}

/// Arguments of `monitor`.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct MonitorArguments {
    /// The file that run --monitor writes or wrote
    pub file: PathBuf,
    /// Keeps reading while the drive runs
    #[arg(long)]
    pub follow: bool,
}

/// Arguments of `study`.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    args_conflicts_with_subcommands = true,
    override_usage = "firmament study [NAME...|all] [OPTIONS]\n       \
                      firmament study calibrate NAME [OPTIONS]",
    after_help = STUDY_EXAMPLES
)]
pub struct StudyArguments {
    /// What to do other than to run studies.
    #[command(subcommand)]
    pub action: Option<StudyAction>,
    /// What to run.
    #[command(flatten)]
    pub run: StudyRunArguments,
}

/// A command of `study`.
#[derive(Debug, Subcommand)]
pub enum StudyAction {
    /// Fits the parameters that the study names, and writes them to the files of their boards
    #[command(display_name = "firmament")]
    Calibrate(CalibrateArguments),
}

/// Arguments of `study` without a command.
#[derive(Args, Debug)]
pub struct StudyRunArguments {
    /// Names of studies, or all; lists them if absent
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Writes tables, plots and a page below this folder
    #[arg(long, value_name = "DIR", default_value = "out/studies")]
    pub out: PathBuf,
    /// Runs that are done side by side; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Runs the quick subset of each study only
    #[arg(long)]
    pub quick: bool,
    /// Runs studies of this folder in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub studies: Option<PathBuf>,
    /// Writes which claims were reproduced to this file; with all, and inside Firmament's
    /// repository, it is docs/fidelity.md if absent
    #[arg(long, value_name = "FILE", conflicts_with = "quick")]
    pub fidelity: Option<PathBuf>,
}

/// Arguments of `study calibrate`.
#[derive(Args, Debug)]
pub struct CalibrateArguments {
    /// Name of a study
    pub name: String,
    /// Runs that are done side by side; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Takes the study from this folder, and not from the built-in ones
    #[arg(long, value_name = "DIR")]
    pub studies: Option<PathBuf>,
    /// Folder of the boards' files, which are changed; boards beside the studies' folder, or in
    /// this one, if absent
    #[arg(long, value_name = "DIR")]
    pub boards: Option<PathBuf>,
}

/// Arguments of `board`.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct BoardArguments {
    /// A name that `firmament boards` lists, or a path that ends in .toml
    pub name: String,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
}

/// Arguments of `timeline`.
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
    /// Every page, and overwritten at random until write amplification settles.
    Steady,
}

/// What becomes of idle turns of the main loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PollingKind {
    /// Skipped; the result is the same.
    Skip,
    /// One by one.
    Exact,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text as fio prints it.
    Normal,
    /// fio's JSON.
    Json,
    /// fio's JSON with all bins of the latency histograms.
    #[value(name = "json+")]
    JsonPlus,
    /// fio's terse lines.
    Terse,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("a key and a value, such as ftl.buffer_kib=8192".to_owned()),
    }
}

fn monitor_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "" | "-" => Err("a file".to_owned()),
        path => Ok(PathBuf::from(path)),
    }
}

fn terse_version(text: &str) -> Result<TerseVersion, String> {
    match text {
        "2" => Ok(TerseVersion::V2),
        "3" => Ok(TerseVersion::V3),
        "4" => Ok(TerseVersion::V4),
        "5" => Ok(TerseVersion::V5),
        _ => Err("2, 3, 4 or 5".to_owned()),
    }
}

fn interval_ps(text: &str) -> Result<u64, String> {
    match seconds_ps(text)? {
        0 => Err("a time above 0, such as 500ms".to_owned()),
        ps => Ok(ps),
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    Ok(Duration::from_nanos(interval_ps(text)? / 1000))
}

fn eta_interval(text: &str) -> Result<Duration, String> {
    match interval(text)? {
        short if short < SHORTEST_ETA => Err("a time from 250ms".to_owned()),
        interval => Ok(interval),
    }
}

fn monitor_interval(text: &str) -> Result<Period, String> {
    text.parse()
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number from 1".to_owned())
}

#[cfg(target_os = "linux")]
fn serial(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {}", u32::MAX))
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {}", u64::MAX))
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
