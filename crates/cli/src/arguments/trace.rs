//! What `trace` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::trace_format;

const TRACE_EXAMPLES: &str = "\
Traces may be compressed by gzip, zstd or xz. Formats: iolog (fio's), blkparse, blktrace, msr (MSR Cambridge),
systor, alibaba, tencent, mqsim.

Examples:
  firmament trace info hm_0.csv.gz --html hm_0.html
  firmament trace info --format msr --strict hm_0.csv.gz";

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
