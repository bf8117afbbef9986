//! What `study` takes.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::{jobs, whole};

const STUDY_EXAMPLES: &str = "\
Examples:
  firmament study
  firmament study cosmos-plus --quick
  firmament study all --out out/studies
  firmament study calibrate cosmos-plus";

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
    /// Most seeds of a run: a run is repeated until its interval is below a fifth of the tolerance; 1 with --quick
    #[arg(long, value_name = "N", default_value = "5", value_parser = whole(1..=16_u8))]
    pub seeds: u8,
    /// Runs studies of this folder in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub studies: Option<PathBuf>,
    /// Writes which claims were reproduced to this file; make studies writes docs/fidelity.md
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
    /// Fits without the points that have all of these, tells how the fit predicts them, and changes
    /// no board: op=write,cell_mode=slc
    #[arg(long, value_name = "AXIS=POINT,…", value_delimiter = ',', value_parser = pair)]
    pub without: Vec<(String, String)>,
    /// Tells how far predicted values move with each assumed, fitted or borrowed parameter, and changes no board
    #[arg(long, conflicts_with = "without")]
    pub sensitivity: bool,
}

/// An axis of an experiment and a point of it.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(axis, point)| !axis.is_empty() && !point.is_empty());
    let (axis, point) = pair.ok_or_else(|| format!("found {text:?}, expected AXIS=POINT"))?;
    Ok((axis.to_owned(), point.to_owned()))
}
