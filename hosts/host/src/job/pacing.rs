//! What holds the requests of a job back, resolved and checked.

use super::direction::PerDirection;

/// What holds requests back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// Most that is issued, direction by direction.
    pub rate: PerDirection<Rate>,
    /// When requests are due that keep to the rate.
    pub process: RateProcess,
    /// Pauses of the application.
    pub think: Option<Think>,
    /// Whether rates count them.
    pub pauses: PausesInRates,
}

/// An upper bound on what is issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rate {
    /// None.
    #[default]
    Unlimited,
    /// Bytes a second, not zero.
    Bytes(u64),
}

/// When the requests of a rate are due (`rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateProcess {
    /// At even distances.
    #[default]
    Linear,
    /// At distances that are distributed exponentially: a Poisson process.
    Poisson,
}

/// A pause each time some requests have gone, or some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// Length of the pause, which starts when nothing is in flight; not zero.
    pub time_ps: u64,
    /// Requests between pauses, at least 1; without bound if a time alone divides pauses.
    pub blocks: u64,
    /// Time between pauses (`thinktime_iotime`).
    pub every_ps: u64,
    /// Which requests count.
    pub counts: ThinkCount,
}

/// Which requests count towards a pause (`thinktime_blocks_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkCount {
    /// Completed ones.
    Completed,
    /// Issued ones.
    Issued,
}

/// Whether the rates of a job count its pauses (`rate_ignore_thinktime`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PausesInRates {
    /// They do: what a pause held up is caught up with.
    Counted,
    /// They do not.
    LeftOut,
}
