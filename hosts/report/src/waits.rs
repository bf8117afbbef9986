//! What system calls of a Linux on the drive waited for.

use crate::latency::Latency;
use crate::quantity::total;
use contract::Cause;
use serde::{Deserialize, Serialize};

/// System calls about files on the drive, by program, kind and file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waits {
    /// Those on which most time was spent come first.
    pub calls: Vec<CallWaits>,
    /// Calls that came too fast to be told of.
    pub lost: u64,
}

/// System calls of a program, of one kind and about one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallWaits {
    /// Name of the program's thread, of which Linux keeps 15 bytes.
    pub process: String,
    /// Name of the system call.
    pub call: String,
    /// Name of the file without its folder, of which 23 bytes are kept; empty where the call names none that is open.
    pub file: String,
    /// How long calls took, as the program saw it.
    pub latency: Latency,
    /// What all of them waited for.
    pub all: Waited,
    /// What the slowest hundredth waited for, and at least the slowest call; 1,000 calls at most.
    pub slowest: Waited,
}

/// What some calls waited for, in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waited {
    /// How many calls.
    pub calls: u64,
    /// Their time, in picoseconds.
    pub total_ps: u64,
    /// Commands that they waited for one after the other.
    pub commands: u64,
    /// Their time in the drive by cause, in the order of [`Cause::ALL`], in picoseconds.
    pub causes_ps: [u64; Cause::COUNT],
}

impl Waited {
    /// Adds other calls.
    pub fn merge(&mut self, other: &Waited) {
        self.calls += other.calls;
        self.total_ps += other.total_ps;
        self.commands += other.commands;
        for (sum, more) in self.causes_ps.iter_mut().zip(other.causes_ps) {
            *sum += more;
        }
    }

    /// Their time in the drive, in picoseconds.
    pub fn drive_ps(&self) -> u64 {
        total(self.causes_ps)
    }

    /// Their time while no command of theirs was in the drive: Linux, other programs, and the interrupt on its way.
    pub fn linux_ps(&self) -> u64 {
        self.total_ps.saturating_sub(self.drive_ps())
    }

    /// A part of their time, from 0 to 1.
    pub fn share(&self, part_ps: u64) -> f64 {
        part_ps as f64 / self.total_ps.max(1) as f64
    }

    /// Their mean time in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        self.total_ps as f64 / 1e3 / self.calls.max(1) as f64
    }

    /// The causes that took longest, with their times in picoseconds; at most so many.
    pub fn largest(&self, most: usize) -> Vec<(Cause, u64)> {
        let mut causes: Vec<_> = Cause::ALL.into_iter().zip(self.causes_ps).collect();
        causes.retain(|&(_, ps)| ps > 0);
        causes.sort_by_key(|&(_, ps)| std::cmp::Reverse(ps));
        causes.truncate(most);
        causes
    }
}
