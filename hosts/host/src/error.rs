//! How a run fails.

use std::fmt;

use machine::{ImageError, Unsuitable};

use crate::driver::DriverError;
use crate::ftl::Broken;
use crate::job::JobError;
use crate::oracle::Mismatch;
use crate::snapshot::SnapshotError;
use crate::stop::Stopped;

/// Why a run gave no result. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The board's flash cannot be modelled with the chosen payload.
    Board(Unsuitable),
    /// The jobs do not fit the drive.
    Job(JobError),
    /// The jobs keep more data in flight than the simulated host has memory for.
    Memory {
        /// Bytes of the data buffers of all jobs.
        needed: u128,
        /// Bytes that there may be.
        most: u128,
    },
    /// The data of this drive are kept as stamps, by which nobody finds again where its host has placed them.
    Stamped {
        /// Name of the board.
        board: String,
    },
    /// The host places the data of this drive itself.
    Placed {
        /// Name of the board.
        board: String,
        /// What was asked for.
        asked: &'static str,
    },
    /// What is asked for needs blocks that can be written in any order, and those of zones cannot.
    Zoned {
        /// Its name.
        board: String,
        /// What was asked for.
        asked: &'static str,
    },
    /// A signal ended the preconditioning.
    Stopped(Stopped),
    /// The snapshot of the drive cannot be used.
    Snapshot(SnapshotError),
    /// The image of the drive cannot be written.
    Image(ImageError),
    /// The drive did not come up or go down.
    Driver(DriverError),
    /// The drive returned what the order of writes does not permit.
    Data(Box<DataError>),
    /// The drive completed a command that was not outstanding.
    Stray {
        /// Completion queue.
        queue: u16,
        /// Command identifier.
        cid: u16,
        /// When, in picoseconds since power-on.
        time_ps: u64,
        /// Seed of the run.
        seed: u64,
    },
    /// The FTL in the host cannot go on with what the drive did.
    Ftl {
        /// What that was.
        broken: Broken,
        /// When, in picoseconds since power-on.
        time_ps: u64,
        /// Seed of the run.
        seed: u64,
    },
    /// A log of a job cannot be written.
    Log {
        /// The file, as the job names it.
        path: String,
        /// What the operating system said.
        found: String,
    },
    /// Jobs wait for a time beyond the end of virtual time.
    Clock {
        /// Jobs that wait, in the order of the file.
        jobs: Vec<String>,
    },
    /// Nothing happens any more, though requests are outstanding.
    Stalled {
        /// Jobs that wait, in the order of the file.
        jobs: Vec<String>,
        /// Outstanding requests of all of them.
        outstanding: u64,
        /// When, in picoseconds since power-on.
        time_ps: u64,
        /// Seed of the run.
        seed: u64,
    },
}

/// Where wrong data came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// Job that read it.
    pub job: String,
    /// The block.
    pub mismatch: Mismatch,
    /// Byte of the drive that differs first from what was expected; that of the block where the
    /// payload is stamps.
    pub byte: u64,
    /// When the host saw the completion, in picoseconds since power-on.
    pub time_ps: u64,
    /// Seed of the run.
    pub seed: u64,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(error) => error.fmt(f),
            Self::Image(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::Job(error) => error.fmt(f),
            Self::Memory { needed, most } => write!(
                f,
                "jobs: numjobs x iodepth x bs: found {needed} bytes of data buffers, expected at \
                 most {most}"
            ),
            Self::Placed { board, asked } => write!(
                f,
                "board {board}: nvme.command_set: found open-channel, expected block for {asked}: \
                 the host of this drive places its data itself"
            ),
            Self::Zoned { board, asked } => write!(
                f,
                "board {board}: nvme.command_set: found zoned, expected block for {asked}: zones are written in order"
            ),
            Self::Stamped { board } => write!(
                f,
                "board {board}: --payload: found stamp, expected full for a drive that is kept: the host's FTL finds its \
                 data again by lists that it writes among them"
            ),
            Self::Stopped(Stopped { signal }) => {
                write!(f, "terminating on signal {signal}: the drive was being preconditioned, and no job ran")
            }
            Self::Driver(error) => error.fmt(f),
            Self::Data(error) => error.fmt(f),
            Self::Stray { queue, cid, time_ps, seed } => write!(
                f,
                "drive: completion of command {cid} in queue {queue}: found at {}, expected none, \
                 as it is not outstanding; seed {seed}",
                Time(*time_ps)
            ),
            Self::Ftl { broken: Broken::Unknown { queue, cid }, time_ps, seed } => write!(
                f,
                "drive: completion of command {cid} in queue {queue} of the host's FTL: found at {}, \
                 expected none, as it is not outstanding; seed {seed}",
                Time(*time_ps)
            ),
            Self::Ftl { broken: Broken::Refused { asked, status }, time_ps, seed } => write!(
                f,
                "drive: {asked}, by the host's FTL: found {status} at {}, expected success; seed {seed}",
                Time(*time_ps)
            ),
            Self::Log { path, found } => {
                write!(f, "{path}: found {found}, expected a path that can be written")
            }
            Self::Clock { jobs } => write!(
                f,
                "{}: found no request before the end of virtual time, 213 days after the start, \
                 expected a higher rate or shorter pauses",
                jobs.join(", ")
            ),
            Self::Stalled { jobs, outstanding, time_ps, seed } => write!(
                f,
                "{}: found {outstanding} outstanding requests at {} and a drive that does nothing, \
                 expected completions; seed {seed}",
                jobs.join(", "),
                Time(*time_ps)
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DataError { job, mismatch, byte, time_ps, seed } = self;
        let lba = mismatch.lba;
        let time = Time(*time_ps);
        write!(f, "{job}: wrong data at LBA {lba} (byte {byte}): {mismatch}; {time}, seed {seed}")
    }
}

impl From<JobError> for RunError {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

impl From<SnapshotError> for RunError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error)
    }
}

impl From<DriverError> for RunError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

impl From<Unsuitable> for RunError {
    fn from(error: Unsuitable) -> Self {
        Self::Board(error)
    }
}

/// A point in virtual time.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} us", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl From<Stopped> for RunError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::DriverError;

    #[test]
    fn every_error_is_one_line_that_says_what_was_found_and_expected() {
        let rows = [
            (
                RunError::Driver(DriverError::Silent { command: "Identify Controller" }),
                "drive: Identify Controller: found no completion, expected one",
            ),
            (
                RunError::Stray { queue: 2, cid: 7, time_ps: 1_500_000, seed: 3 },
                "drive: completion of command 7 in queue 2: found at 1.500000 us, expected none, \
                 as it is not outstanding; seed 3",
            ),
            (
                RunError::Stalled {
                    jobs: vec!["a".to_string(), "b".to_string()],
                    outstanding: 5,
                    time_ps: 2_000_000,
                    seed: 3,
                },
                "a, b: found 5 outstanding requests at 2.000000 us and a drive that does nothing, \
                 expected completions; seed 3",
            ),
            (
                RunError::Clock { jobs: vec!["a".to_string()] },
                "a: found no request before the end of virtual time, 213 days after the start, \
                 expected a higher rate or shorter pauses",
            ),
        ];
        for (error, expected) in rows {
            assert_eq!(error.to_string(), expected);
        }
    }
}
