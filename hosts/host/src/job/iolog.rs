//! A log of requests in place of what a job would draw (`read_iolog`).

use crate::replay::Narrowing;

/// What is said of a log that is played back.
#[derive(Clone, Copy, Debug)]
pub(super) struct IologSettings {
    pub(super) stalls: Stalls,
    /// In percent: 200 for twice as fast.
    pub(super) time_scale: u64,
    pub(super) narrowing: Narrowing,
    pub(super) target: Target,
}

/// Whether pauses of the log are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stalls {
    Made,
    Skipped,
}

/// Where requests to several files go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The files lie one behind another.
    Files,
    /// All on the drive (`replay_redirect`).
    Drive,
}

impl Default for IologSettings {
    fn default() -> Self {
        IologSettings {
            stalls: Stalls::Made,
            time_scale: 100,
            narrowing: Narrowing::default(),
            target: Target::Files,
        }
    }
}
