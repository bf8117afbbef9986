//! What `trace` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::{seed, trace_format, whole};

const TRACE_EXAMPLES: &str = "\
Traces may be compressed by gzip, zstd or xz. Formats: iolog (fio's), blkparse, blktrace, msr (MSR Cambridge),
systor, alibaba, tencent, mqsim.

Examples:
  firmament trace info hm_0.csv.gz --html hm_0.html
  firmament trace info --format msr --strict hm_0.csv.gz
  firmament trace generate hm_0.csv.gz --records 50000 --output like_hm_0.csv.xz";

/// Arguments of `trace`.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = TRACE_EXAMPLES)]
pub struct TraceArguments {
    /// What to do.
    #[command(subcommand)]
    pub action: TraceAction,
}

/// A command of `trace`.
#[derive(Debug, Subcommand)]
pub enum TraceAction {
    /// Tells what is in a trace: footprint, sizes, skew, sequentiality, arrival
    #[command(display_name = "firmament")]
    Info(TraceInfoArguments),
    /// Makes a trace with the statistics of another
    #[command(display_name = "firmament")]
    Generate(TraceGenerateArguments),
}

/// Arguments of `trace info`.
#[derive(Args, Debug)]
pub struct TraceInfoArguments {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// How it is read
    #[command(flatten)]
    pub reading: TraceReading,
    /// Writes the statistics as a self-contained HTML page to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Arguments of `trace generate`.
#[derive(Args, Debug)]
pub struct TraceGenerateArguments {
    /// The trace that it is to be like
    #[arg(value_name = "TRACE")]
    pub like: PathBuf,
    /// How it is read
    #[command(flatten)]
    pub reading: TraceReading,
    /// The file to write; its end says how it is compressed: .gz, .zst, .xz or anything else
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Its format; that of the other if absent
    #[arg(long = "as", value_name = "FORMAT", value_parser = trace_format)]
    pub written: Option<trace::Format>,
    /// Its records; as many as the other has if absent
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    pub records: Option<u64>,
    /// Seed of every random choice
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: u64,
}

/// How traces are read.
#[derive(Args, Clone, Copy, Debug)]
pub struct TraceReading {
    /// Format of the trace; found from its beginning if absent
    #[arg(long, value_name = "FORMAT", value_parser = trace_format)]
    pub format: Option<trace::Format>,
    /// Refuses a trace with a line that cannot be read
    #[arg(long)]
    pub strict: bool,
}

impl TraceReading {
    /// What happens at a line that cannot be read.
    pub fn strictness(self) -> trace::Strictness {
        if self.strict {
            trace::Strictness::Strict
        } else {
            trace::Strictness::Lenient
        }
    }
}
