//! What `trace` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::{seed, time_unit, trace_format, whole};

const TRACE_EXAMPLES: &str = "\
Traces may be compressed by gzip, zstd, xz or bzip2, and in tar or zip archives, of which each member is a trace.
Formats: iolog (fio's), blkparse, blktrace, msr (MSR Cambridge), systor, alibaba, tencent, mqsim, spc (UMass), disksim,
femu, fiu, biosnoop, vscsi (VMware), or a layout:

  csv:time=1us,op=3,lba=4,bytes=5    comma-separated; csv, tsv, semicolons, bars or words (blanks)
  time=COLUMN*UNIT | end=...         when requests came, or ended; 1us is column 1 in microseconds
  op=COLUMN  read=1  write=0         what they do, and what values mean if not R, W, read, write or letters such as WS
  offset=COLUMN | lba=COLUMN*512     where they begin, in bytes or sectors
  bytes=COLUMN | sectors=COLUMN*512  how long they are
  volume=COLUMN  response=COLUMN*UNIT  action=COLUMN  text=COLUMN  columns=N
  blkparse:FORMAT                    what `blkparse -f FORMAT` printed

A COLUMN is a number from 1, or a name in the heading. Files of blktrace for the processors of one device
(sda.blktrace.0, sda.blktrace.1, or sda for all) are one trace.

Examples:
  firmament trace info hm_0.csv.gz --html hm_0.html
  firmament trace info --format msr --strict hm_0.csv.gz
  firmament trace info --format 'csv:time=when*ms,op=rw,lba=sector,sectors=count' mine.csv
  firmament trace info sda.blktrace.*
  firmament trace generate hm_0.csv.gz --records 50000 --output like_hm_0.csv.xz";

/// What `trace` is to do with block traces.
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

/// Which traces `trace info` reads, and where it writes statistics.
#[derive(Args, Debug)]
pub struct TraceInfoArguments {
    /// The traces to look at
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// How it is read
    #[command(flatten)]
    pub reading: TraceReading,
    /// Writes the statistics of one trace as a self-contained HTML page to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Which trace `trace generate` imitates, and what it writes.
#[derive(Args, Debug)]
pub struct TraceGenerateArguments {
    /// The trace that it is to be like
    #[arg(value_name = "TRACE")]
    pub like: PathBuf,
    /// How it is read
    #[command(flatten)]
    pub reading: TraceReading,
    /// The file to write; its end says how it is compressed: .gz, .zst, .xz, .bz2 or anything else
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
#[derive(Args, Clone, Debug)]
pub struct TraceReading {
    /// Format of the trace, or a layout such as csv:time=1us,op=3,lba=4,bytes=5; found from its beginning if absent
    #[arg(long, value_name = "FORMAT", value_parser = trace_format)]
    pub format: Option<trace::Format>,
    /// Unit of the times in the trace, such as ms; that of the format if absent
    #[arg(long, value_name = "UNIT", value_parser = time_unit)]
    pub time_unit: Option<trace::TimeUnit>,
    /// Reads the requests of this volume alone; can be given again
    #[arg(long, value_name = "NAME")]
    pub volume: Vec<String>,
    /// Reads this member of an archive alone; can be given again
    #[arg(long, value_name = "NAME")]
    pub member: Vec<String>,
    /// Makes all files and members one trace, with one clock and one space of addresses
    #[arg(long)]
    pub one_clock: bool,
    /// Refuses a trace with a line that cannot be read
    #[arg(long)]
    pub strict: bool,
}

impl TraceReading {
    /// What happens at a line that cannot be read.
    pub fn strictness(&self) -> trace::Strictness {
        if self.strict {
            trace::Strictness::Strict
        } else {
            trace::Strictness::Lenient
        }
    }

    /// How files are opened.
    pub fn opening(&self) -> trace::Opening {
        trace::Opening {
            format: self.format,
            unit: self.time_unit,
            volumes: self.volume.clone(),
            members: self.member.clone(),
            clock: if self.one_clock { trace::Clocks::One } else { trace::Clocks::OfEach },
        }
    }

    /// The options that say it, as far as they are not as usual: names and values, a flag with an empty one.
    pub fn options(&self) -> Vec<(String, String)> {
        let mut options = Vec::new();
        let mut say = |key: &str, value: String| options.push((key.to_owned(), value));
        if let Some(format) = self.format {
            say("format", format.name().to_owned());
        }
        if let Some(unit) = self.time_unit {
            say("time-unit", unit.to_string());
        }
        self.volume.iter().for_each(|name| say("volume", name.clone()));
        self.member.iter().for_each(|name| say("member", name.clone()));
        if self.one_clock {
            say("one-clock", String::new());
        }
        if self.strict {
            say("strict", String::new());
        }
        options
    }
}
