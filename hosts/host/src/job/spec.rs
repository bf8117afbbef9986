//! A job as it will run: every option resolved against the drive and checked.

use std::sync::Arc;

use nvme::io::UnitAccess;

use report::{Percentiles, SteadyCriterion, SteadyLimit, Unified};

use super::direction::{Direction, PerDirection};
use super::extent::ByteRange;
use super::faults::Faults;
use super::handles::Handles;
use super::history::GoingBack;
use super::logging::Logging;
use super::overlap::Overlap;
use super::pacing::Pacing;
use super::parts::Parts;
use super::steering::Steering;
use super::zoned::{ZoneLayout, Zoned};
use crate::program::FittedProgram;
use crate::replay::FittedTrace;

/// What is known of the drive when jobs are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveShape {
    /// Bytes that a namespace holds.
    pub capacity_bytes: u64,
    /// Bytes of a logical block; offsets and lengths are multiples of it.
    pub block_bytes: u32,
    /// Placement identifiers that writes may name; 0 where the host does not place its data.
    pub placement_handles: u16,
    /// Its zones, if it has some: offsets count what of them can be written.
    pub zones: Option<ZoneLayout>,
}

impl AsRef<[DriveShape]> for DriveShape {
    /// A drive with this namespace alone.
    fn as_ref(&self) -> &[DriveShape] {
        std::slice::from_ref(self)
    }
}

/// A namespace that a job is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its identifier, from 1.
    pub id: u32,
    /// Its first block among those of all namespaces: the oracle and the data of the drive count them all.
    pub first_block: u64,
}

/// One clone of one job, free of contradictions and within the drive.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Section name, or what `name` says.
    pub name: String,
    /// Text of `description`, often empty.
    pub description: String,
    /// Number of this clone among all clones of all jobs, from 0, in the order of the file.
    pub index: u32,
    /// Number of this clone among those of its own job (`numjobs`), from 0.
    pub clone: u32,
    /// Jobs of one stage run together; a stage starts when the one before has ended (`stonewall`).
    pub stage: u32,
    /// Reporting group, opened by `new_group` or `stonewall`.
    pub group: u32,
    /// What happens to others when this job ends.
    pub on_end: OnEnd,
    /// Requests kept in flight, at least 1.
    pub iodepth: u32,
    /// How requests are handed over and completions taken.
    pub batching: Batching,
    /// Which directions are issued, and in what proportion.
    pub mix: Mix,
    /// How offsets are chosen.
    pub access: Access,
    /// How the offset of a request follows from the one before.
    pub stepping: Stepping,
    /// Request lengths.
    pub lengths: PerDirection<Lengths>,
    /// Offsets are the start of `range` plus multiples of this many bytes.
    pub align_bytes: PerDirection<u64>,
    /// The namespace that it is on.
    pub namespace: Namespace,
    /// The bytes of the namespace that requests stay within.
    pub range: ByteRange,
    /// The files in it, if there are several.
    pub parts: Option<Parts>,
    /// When the job ends.
    pub stop: Stop,
    /// What ends the job when its rate settles.
    pub steadiness: Option<Steadiness>,
    /// When the job starts and is measured.
    pub timing: Timing,
    /// What holds requests back.
    pub pacing: Pacing,
    /// What it has to keep to.
    pub steering: Steering,
    /// Flushes between writes.
    pub flush: Flushing,
    /// Whether requests force unit access, as writes of `sync` do.
    pub unit_access: PerDirection<UnitAccess>,
    /// The placement identifiers that its writes name, if they name any.
    pub handles: Option<Handles>,
    /// How it uses zones, on a drive that has some.
    pub zoned: Option<Zoned>,
    /// Whether writes are read back.
    pub verify: Verify,
    /// What it takes for a failure, beside commands that fail.
    pub faults: Faults,
    /// How the job goes back to what it wrote, if it needs a list for that.
    pub going_back: Option<GoingBack>,
    /// Whether requests wait for those that they overlap.
    pub overlap: Overlap,
    /// How random numbers are seeded.
    pub seeding: Seeding,
    /// How results are shown.
    pub report: Report,
    /// What it logs.
    pub logging: Logging,
    /// Options of its own section as they were written, by fio's names of them.
    pub written: Vec<(String, String)>,
    /// Where its requests come from.
    pub load: Load,
}

/// Where the requests of a job come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// They are drawn as the job says.
    Drawn,
    /// From a trace.
    Trace(Arc<FittedTrace>),
    /// From a program that sees what becomes of them.
    Program(Arc<FittedProgram>),
}

impl Load {
    /// The trace, if they come from one.
    pub fn trace(&self) -> Option<&Arc<FittedTrace>> {
        match self {
            Load::Trace(trace) => Some(trace),
            Load::Drawn | Load::Program(_) => None,
        }
    }
}

/// Directions of a job and their proportion (fio's `rw`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// All requests go one way.
    Only(Direction),
    /// Reads and writes, drawn one by one.
    ReadWrite {
        /// Percent of the requests that are reads, 0 to 100.
        read_percent: u8,
    },
    /// Each block is trimmed, then written.
    TrimThenWrite,
}

impl Mix {
    /// The directions that occur.
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Self::Only(Direction::Read) => &[Direction::Read],
            Self::Only(Direction::Write) => &[Direction::Write],
            Self::Only(Direction::Trim) => &[Direction::Trim],
            Self::ReadWrite { .. } => &[Direction::Read, Direction::Write],
            Self::TrimThenWrite => &[Direction::Trim, Direction::Write],
        }
    }

    /// Whether the job writes data.
    pub fn writes(self) -> bool {
        self.directions().contains(&Direction::Write)
    }
}

/// How offsets follow each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// In rising order, each direction with a position of its own.
    Sequential,
    /// Each block once a pass, in random order.
    Covering,
    /// Drawn anew for each request.
    Drawn(Distribution),
}

/// How the offset of a request follows from the one before, in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepping {
    /// Bytes that a sequential job leaves out between two requests; negative to walk backwards
    /// (`rw=read:8k`).
    pub gap_bytes: i64,
    /// Requests for each random offset, at least 1 (`rw=randread:8`).
    pub run: u32,
    /// Where the others of them go.
    pub rest: RunRest,
    /// Of the random offsets, so many percent are random, and the others follow on (`percentage_random`).
    pub random_percent: PerDirection<u8>,
}

/// Where requests after the first of a run go (`rw_sequencer`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRest {
    /// Each follows the one before.
    Sequential,
    /// All go to one offset.
    Identical,
}

/// How requests are handed over and completions taken, where a job says so; otherwise all that can be
/// is done at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batching {
    /// Most requests that one doorbell hands over (`iodepth_batch`).
    pub submit: u32,
    /// Completions that are awaited before any is taken (`iodepth_batch_complete_min`).
    pub complete_min: u32,
    /// Most completions taken at once (`iodepth_batch_complete_max`).
    pub complete_max: u32,
    /// Requests in flight to which a full queue drains before it is filled again (`iodepth_low`).
    pub low: u32,
}

impl Default for Batching {
    /// All that can be, at once.
    fn default() -> Self {
        Self { submit: u32::MAX, complete_min: 1, complete_max: u32::MAX, low: u32::MAX }
    }
}

/// The likelihood of blocks that are drawn (`random_distribution`).
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// All blocks alike.
    Uniform,
    /// Zipf's law.
    Zipf {
        /// Exponent, positive and not 1.
        theta: f64,
        /// Where the hottest block lies, 0 to 1 of the range; anywhere if none.
        center: Option<f64>,
    },
    /// Pareto's law.
    Pareto {
        /// Share of the blocks that gets all but that share of the requests; between 0 and 1.
        h: f64,
        /// As for Zipf.
        center: Option<f64>,
    },
    /// The normal distribution, which favours blocks near its centre.
    Normal {
        /// Deviation in percent of the range, 0 to 100.
        deviation_percent: f64,
        /// As for Zipf.
        center: Option<f64>,
    },
    /// Parts of the range with a share of the requests each, uniform within.
    Zoned(PerDirection<Vec<Zone>>),
}

/// A part of the range with its share of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Requests of a hundred that go there.
    pub percent: u8,
    /// First byte, from the start of the range.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

/// Request lengths of one direction, in bytes, all multiples of the logical block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Always the same.
    Fixed(u64),
    /// Every multiple of `min` up to `max`, equally likely (`bsrange`).
    Range {
        /// Shortest.
        min: u64,
        /// Longest.
        max: u64,
    },
    /// Listed lengths with their weights (`bssplit`).
    Split(Vec<WeightedLength>),
}

/// An entry of `bssplit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedLength {
    /// Request length.
    pub bytes: u64,
    /// Likelihood in proportion to the sum of all weights of the list.
    pub weight: u64,
}

impl Lengths {
    /// The shortest length.
    pub fn min_bytes(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range { min, .. } => *min,
            Self::Split(list) => list.iter().map(|entry| entry.bytes).min().unwrap_or(0),
        }
    }

    /// The longest length.
    pub fn max_bytes(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range { max, .. } => *max,
            Self::Split(list) => list.iter().map(|entry| entry.bytes).max().unwrap_or(0),
        }
    }
}

/// Whole passes that are enough: so many, and so many bytes in all of them, what was read back among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enough {
    /// Passes (`loops`).
    pub passes: u64,
    /// Bytes that were read, written and trimmed.
    pub bytes: u64,
}

/// What ends a job; the first that occurs counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Bytes after which a pass ends (and is verified, and starts anew if more is to be done).
    pub pass_bytes: u64,
    /// Bytes after which the job ends; none for `time_based`.
    pub total_bytes: Option<u64>,
    /// When a job that reads back what it wrote starts no further pass, if its bytes are given (`io_size`).
    pub enough: Option<Enough>,
    /// Virtual time, measured from the end of the ramp.
    pub runtime_ps: Option<u64>,
    /// Sweeps over the range after which a sequential job that leaves gaps ends; none if such a job
    /// starts anew until its bytes are moved.
    pub sweeps: Option<u64>,
    /// Requests after which the job ends (`number_ios`).
    pub requests: Option<u64>,
}

/// What ends a job when its rate settles (`steadystate`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// Which rate, and what of it.
    pub criterion: SteadyCriterion,
    /// What is settled.
    pub limit: SteadyLimit,
    /// Length of the window, whole seconds, at least one.
    pub duration_ps: u64,
    /// Time from the start of the job before the window.
    pub ramp_ps: u64,
}

/// Start and measurement of a job, in virtual picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Shortest wait after the start of the stage (`startdelay`).
    pub delay_min_ps: u64,
    /// Longest wait; the actual one is drawn.
    pub delay_max_ps: u64,
    /// Time at the start that is run but not measured (`ramp_time`).
    pub ramp_ps: u64,
}

/// After how many writes a flush is issued; none means never. A flush stands for both `fsync` and
/// `fdatasync`: on a raw drive both send the same command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flushing {
    /// From `fsync`.
    pub fsync_writes: Option<u64>,
    /// From `fdatasync`.
    pub fdatasync_writes: Option<u64>,
    /// From `end_fsync` and `fsync_on_close`.
    pub at_end: EndFlush,
}

/// Whether a pass that wrote ends with a flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndFlush {
    /// The pass ends without a flush.
    #[default]
    No,
    /// Yes, unless nothing was written since the last one.
    Yes,
}

/// Whether a pass is followed by reading back what it wrote. The oracle checks the bytes of every
/// read in any case, so every kind of fio's `verify` means the same here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// No.
    Off,
    /// Yes.
    ReadBack,
}

/// How random numbers are seeded, besides the seed of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeding {
    /// `randseed`, 0 if absent.
    pub salt: u64,
    /// What a further pass does.
    pub passes: Passes,
}

/// The order of a pass after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// The same as in the first (`randrepeat=1`).
    Alike,
    /// Another each time (`randrepeat=0`).
    Different,
}

/// What happens to other jobs when one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEnd {
    /// They go on.
    Continue,
    /// Those of the same group end too (`exitall`).
    EndGroup,
}

/// How results are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Whether a group is summed up or each clone shown.
    pub grouping: Grouping,
    /// Which percentiles are shown.
    pub percentiles: Percentiles,
    /// Whether directions are shown together (`unified_rw_reporting`).
    pub unified: Unified,
}

/// Whether clones and jobs of a group are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Each by itself.
    Each,
    /// Summed up (`group_reporting`).
    Summed,
}
