//! What was run: everything that decides the bytes of a report.

use serde::{Deserialize, Serialize};

/// What has to be the same for a run to give the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Version of Firmament.
    pub version: String,
    /// Commit that the program was built from; it ends in `-dirty` if files had been changed, and is
    /// `unknown` without a repository.
    pub commit: String,
    /// The drive.
    pub board: BoardOrigin,
    /// The load.
    pub jobs: JobSource,
    /// Seed of every random stream.
    pub seed: u64,
    /// What the drive held before the run, as `--precondition` names it.
    pub precondition: String,
    /// What stood for user data, as `--payload` names it.
    pub payload: String,
    /// How idle turns of the firmware were run, as `--polling` names it.
    pub polling: String,
    /// Virtual time between two readings of the operation monitor; `None` if it was off.
    pub monitor_interval_ps: Option<u64>,
    /// What the drive was made of, as `--body` names it; `None` for the body in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The processor in the controller that the firmware ran on, as `--processor` names it; `None` where it ran as the
    /// board's processor would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// `none` where nobody asked where the time of requests goes, as `--causes` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<String>,
    /// The image that the drive was in, as `--image` names it. What it held before the run is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The snapshot that the drive came from, or the runs before in memory; `None` for a new drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SnapshotOrigin>,
    /// What was to be known before the jobs were ended, as `--until` names it; `None` if nothing was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// With how many seeds the run was done, from `seed` on; `None` for a single seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u32>,
    /// The function in Python that chose the victims of collection; `None` where the board's policy did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<FunctionOrigin>,
}

/// A function in Python. It may know more than its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionOrigin {
    /// What Python calls it.
    pub name: String,
    /// Its text, empty if it could not be had.
    pub text: String,
}

/// A snapshot that a drive came from, or a drive that was in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotOrigin {
    /// The file, as given; of a drive in memory its seed, and how many runs it had seen.
    pub name: String,
    /// The checksum at its end, a SHA-256 in hexadecimal digits; empty for a drive in memory.
    pub sha256: String,
}

/// A board, and how it was come by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardOrigin {
    /// Name of the built-in board, or the stem of the board's file.
    pub name: String,
    /// What the command line changed, in the order given.
    pub overrides: Vec<Override>,
    /// SHA-256 of all resolved values, in hexadecimal digits.
    pub sha256: String,
    /// The resolved board as a board file that inherits nothing.
    pub toml: String,
}

/// A value of the board that the command line replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Key of the value.
    pub key: String,
    /// The value, as given.
    pub value: String,
    /// What the board has there, as TOML; `None` where it is no board without the change.
    pub before: Option<String>,
}

/// Where a load came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum JobSource {
    /// A job file.
    File {
        /// Name of the file, as given.
        name: String,
        /// All of it.
        text: String,
    },
    /// Options of the command line in place of a job file: name and value, in the order given; the
    /// value of a flag is empty.
    Options(Vec<(String, String)>),
    /// Block traces, and how they were replayed.
    Traces {
        /// The traces, one a tenant.
        files: Vec<TraceOrigin>,
        /// Options of the command line that say how: name and value.
        options: Vec<(String, String)>,
    },
    /// A program in Python. It may know more than its text, so that it cannot be run again from the report.
    Program {
        /// Name of the function.
        name: String,
        /// Text of the function, empty if it could not be had.
        text: String,
        /// How it was run: name and value.
        options: Vec<(String, String)>,
    },
    /// A virtual machine. Its commands are not in the report, so that it cannot be run again.
    Guest,
}

/// A trace that was replayed. Its requests are not in the report: the file has to be there to run it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceOrigin {
    /// The file, as given.
    pub name: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Format of the trace, and how the format was found.
    pub format: String,
    /// Requests that were read from it.
    pub requests: u64,
    /// Lines or records that could not be read.
    pub unreadable: u64,
}
