//! What `replay` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use host::replay::{self, Speed};

use super::run::RunArguments;
use super::trace::TraceReading;
use super::values::{response_ns, speed, whole};

const REPLAY_EXAMPLES: &str = "\
A TRACE is a block trace in one of the formats that `firmament trace --help` names, or an archive of them. Without --depth and --dependency
requests are issued at the times that the trace tells, and latencies count from there.

Several traces are several tenants: each has its own queue pair and an equal part of the drive. With --one-clock they
are one trace of several volumes.

Examples:
  firmament replay traces/web.csv.xz
  firmament replay cosmos-plus hm_0.csv.gz --speed=10x --remap=modulo --html hm_0.html
  firmament replay ali.csv.zst --remap=volume --depth=32
  firmament replay --one-clock hm_0.csv hm_1.csv --remap=volume
  firmament replay ali.csv.zst --volume=3 --remap=modulo
  firmament replay a.csv b.csv --weights=8,1 --set host.arbitration=weighted
  firmament replay small fio.log --dependency --json replay.json";

/// Arguments of `replay`.
#[derive(Args, Debug)]
#[command(
    display_name = "firmament",
    override_usage = "firmament replay [BOARD] TRACE... [OPTIONS]",
    after_help = REPLAY_EXAMPLES,
    mut_arg("inputs", |inputs| inputs.value_name("BOARD | TRACE").required(true).help(
        "Board (a name that `firmament boards` lists or a path that ends in .toml; cosmos-plus if absent) and traces"
    ))
)]
pub struct ReplayArguments {
    /// What `run` takes as well
    #[command(flatten)]
    pub run: RunArguments,
    /// How traces are replayed
    #[command(flatten)]
    pub how: ReplayHow,
}

/// How traces are replayed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Replay")]
pub struct ReplayHow {
    /// How traces are read
    #[command(flatten)]
    pub reading: TraceReading,
    /// How fast the clock of the trace runs: 2x halves its times
    #[arg(long, value_name = "FACTOR", default_value = "1x", value_parser = speed)]
    pub speed: Speed,
    /// Keeps so many requests in flight and ignores the times of the trace
    #[arg(long, value_name = "N", value_parser = whole(1..=65_535_u32))]
    pub depth: Option<u32>,
    /// Issues each request when those have completed that had in the trace, after the pause that the trace had there
    #[arg(long, conflicts_with = "depth")]
    pub dependency: bool,
    /// Takes requests to have lasted so long where the trace does not tell, for --dependency
    #[arg(long, value_name = "TIME", default_value = "100us", value_parser = response_ns)]
    pub assumed_latency: u64,
    /// The most requests in flight without --depth
    #[arg(
        long,
        value_name = "N",
        default_value_t = replay::USUAL_LIMIT,
        value_parser = whole(1..=65_535_u32)
    )]
    pub in_flight: u32,
    /// How addresses of the trace become addresses of the drive
    #[arg(long, value_enum, value_name = "HOW", default_value_t = RemapKind::None)]
    pub remap: RemapKind,
    /// Shares of the traces under weighted round robin, one each, 1 to 256 and at most three different
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        value_parser = whole(1..=256_u32)
    )]
    pub weights: Vec<u32>,
}

/// How addresses of a trace become addresses of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RemapKind {
    /// They stay; a trace that does not fit or has several volumes is refused.
    None,
    /// Modulo the size of the trace's part of the drive.
    Modulo,
    /// In proportion to the highest address.
    Scale,
    /// Each volume gets a place of its own.
    Volume,
}

impl ReplayHow {
    /// The options that say it, as far as they are not as usual: names and values, a flag with an empty one.
    pub fn options(&self) -> Vec<(String, String)> {
        let mut options = self.reading.options();
        let mut say = |key: &str, value: String| options.push((key.to_owned(), value));
        if self.speed != Speed::ONE {
            say("speed", format!("{}x", self.speed.factor()));
        }
        if let Some(depth) = self.depth {
            say("depth", depth.to_string());
        }
        if self.dependency {
            say("dependency", String::new());
        }
        if self.assumed_latency != replay::ASSUMED_RESPONSE_NS {
            // Times of a command line are whole microseconds.
            say("assumed-latency", format!("{}us", self.assumed_latency / 1000));
        }
        if self.in_flight != replay::USUAL_LIMIT {
            say("in-flight", self.in_flight.to_string());
        }
        if self.remap != RemapKind::None {
            say("remap", super::values::named(&self.remap));
        }
        if !self.weights.is_empty() {
            let weights: Vec<_> = self.weights.iter().map(u32::to_string).collect();
            say("weights", weights.join(","));
        }
        options
    }
}

/// Board and traces of a command line: boards end in .toml or have the name of a built-in one, and are no files.
pub fn divide(inputs: &[String]) -> (Vec<&String>, Vec<PathBuf>) {
    let is_board =
        |name: &&String| name.ends_with(".toml") || board::names().contains(&name.as_str());
    let (boards, traces): (Vec<&String>, Vec<&String>) = inputs.iter().partition(is_board);
    (boards, traces.into_iter().map(PathBuf::from).collect())
}
