//! Block traces as load: what is asked for, and how it is fitted to a drive.
//!
//! Each trace is a tenant: one job with its own queue pair and its own part of the drive. Its requests come from the file
//! while it runs ([`TraceSource`]), so that memory does not depend on the length of the trace. Everything else is as
//! for fio jobs: the queues, the host's own times, the oracle that checks each read, the measurements.

mod fit;
mod log;
mod place;
mod source;
mod weights;

use std::path::PathBuf;

use report::Direction;
use trace::{Survey, Trace};

pub(crate) use self::fit::fit;
pub(crate) use self::log::{fit_log, Log};
pub use self::place::{Narrowing, Place, Placement};
pub use self::source::TraceSource;
pub use self::weights::Classes;

/// Response time that a request is taken to have had where the trace does not tell, in nanoseconds.
pub const ASSUMED_RESPONSE_NS: u64 = 100_000;
/// Requests of an open loop, or of one by dependency, that are under way at the most if nothing is said.
pub const USUAL_LIMIT: u32 = 256;

/// When the requests of a trace are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Open loop: at their times, whatever became of those before. Latencies count from there.
    Arrival,
    /// Closed loop: so many are kept in flight, and their times do not matter.
    Depth(u32),
    /// Closed loop: each when all that had completed before it in the trace have completed, and then after the pause that
    /// the trace had there.
    Dependency,
    /// As fio plays a log back: at most so many in flight, and each not before the pause that the trace had
    /// since the request before it has passed since that was issued here.
    Stalls(u32),
}

/// How fast the clock of the trace runs, in millionths: 2,000,000 for twice as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u64);

impl Speed {
    /// As the trace says.
    pub const ONE: Speed = Speed(1_000_000);

    /// A factor from a millionth to a million; none if it is another.
    pub fn of(factor: f64) -> Option<Self> {
        let millionths = (factor * 1e6).round();
        (1.0..=1e12).contains(&millionths).then_some(Speed(millionths as u64))
    }

    /// How many times as fast as in the trace time goes: 1.0 for as fast.
    pub fn factor(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Picoseconds of the replay that so many nanoseconds of the trace take.
    #[inline]
    pub fn scaled_ps(self, ns: u64) -> u64 {
        if self == Speed::ONE {
            return ns.saturating_mul(1000);
        }
        let ps = u128::from(ns) * 1_000_000_000 / u128::from(self.0);
        u64::try_from(ps).unwrap_or(u64::MAX)
    }
}

/// How addresses of a trace become addresses of its part of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remap {
    /// They stay. A trace that does not fit, or that has several volumes, is refused.
    None,
    /// Modulo the part's size, all volumes on top of each other.
    Modulo,
    /// In proportion, so that the highest address of the trace comes to the end of the part.
    Scale,
    /// Volumes lie one behind another, each as long as its highest address; where they do not fit, each gets a share of
    /// the part in proportion, and addresses are modulo its share.
    Volume,
}

impl Remap {
    /// All of them.
    pub const ALL: [Remap; 4] = [Remap::None, Remap::Modulo, Remap::Scale, Remap::Volume];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Remap::None => "none",
            Remap::Modulo => "modulo",
            Remap::Scale => "scale",
            Remap::Volume => "volume",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Remap::ALL.into_iter().find(|remap| remap.name() == name)
    }
}

/// How traces are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// When requests are issued.
    pub timing: Timing,
    /// How fast the clock of the trace runs.
    pub speed: Speed,
    /// How addresses are mapped.
    pub remap: Remap,
    /// Requests that are under way at the most, unless [`Timing::Depth`] says so.
    pub limit: u32,
    /// Response time where the trace does not tell, for [`Timing::Dependency`].
    pub assumed_ns: u64,
}

/// A trace to replay.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// Name of its job.
    pub name: String,
    /// Its files, with compression and format.
    pub trace: Trace,
    /// What is in it.
    pub survey: Survey,
    /// Its weight among the tenants, 1 to 256, under weighted round robin; none if all are alike.
    pub weight: Option<u32>,
}

/// A tenant, fitted to a drive: what its job needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedTrace {
    /// How it is replayed.
    pub replay: Replay,
    /// Its files, with compression and format.
    pub trace: Trace,
    /// Where its requests go.
    pub placement: Placement,
    /// Requests that the trace has.
    pub requests: u64,
    /// Requests by direction: reads, writes, trims.
    pub directions: [u64; 3],
    /// Requests that were rounded to logical blocks.
    pub rounded: u64,
    /// Weight among the tenants, 1 to 256, under weighted round robin; none if all are alike.
    pub weight: Option<u32>,
    /// Time of the job before the first request, and the time after which no request is issued, if there is
    /// a limit.
    pub window_ps: (u64, Option<u64>),
    /// Name of the file.
    pub path: PathBuf,
}

impl FittedTrace {
    /// What a user has to be told of its requests.
    pub fn warning(&self, block_bytes: u32) -> Option<String> {
        let FittedTrace { rounded, ref path, .. } = *self;
        (rounded > 0).then(|| {
            format!(
                "{}: {rounded} requests do not begin and end at multiples of {block_bytes} bytes: they are \
                 rounded outwards",
                path.display()
            )
        })
    }

    /// The directions that its requests have.
    pub fn opened(&self) -> Vec<Direction> {
        let all = [Direction::Read, Direction::Write, Direction::Trim].into_iter();
        all.zip(self.directions).filter(|(_, requests)| *requests > 0).map(|(way, _)| way).collect()
    }
}
