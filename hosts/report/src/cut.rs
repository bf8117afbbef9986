//! The end of a run before its jobs were done.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The end of a run that was ended from outside: its results cover what was done until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Number of the signal, for example 2 for SIGINT.
    pub signal: u32,
    /// Virtual time since the first job started at which no job began anything more.
    pub at_ps: u64,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cut { signal, at_ps } = self;
        let at_s = *at_ps as f64 / 1e12;
        write!(
            f,
            "cut short by signal {signal} at {at_s:.6} s of virtual time: the jobs were not done"
        )
    }
}
