//! Where the reports of a drive go, and in which form.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use report::TerseVersion;

use super::values::{monitor_file, terse_version};

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
