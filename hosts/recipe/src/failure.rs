//! Why nothing came of what a user asked for, in one line, and the exit code of each kind.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use foreign::{error_line, whole_line};
use host::RunError;
use report::RunResult;

/// Exit code after a panic, as of any Rust program.
pub const INTERNAL_ERROR: u8 = 101;

/// Exit code after a signal ended a run, which is fio's.
pub const STOPPED: u8 = 128;

/// Why a command did not succeed. Each is one line for the user.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The user gave something that cannot be used: exit code 2.
    Input(String),
    /// The drive failed the user: wrong data, or a job that ended with an error: exit code 1.
    Drive(String),
    /// A rerun gave another report: exit code 1.
    Different(String),
    /// A study measured something else than was published: exit code 1.
    Tolerance(String),
    /// A signal ended the run before its jobs were done: exit code 128.
    Stopped(String),
}

impl Failure {
    /// An argument or a file that is not what it should be.
    pub fn unexpected(what: impl fmt::Display, found: impl fmt::Display, expected: &str) -> Self {
        Failure::Input(format!("{what}: found {found}, expected {expected}"))
    }

    /// A file that the operating system refuses.
    pub fn file(path: &Path, error: &std::io::Error, expected: &str) -> Self {
        Failure::unexpected(path.display(), error, expected)
    }

    /// The code that the program ends with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) => ExitCode::from(2),
            Failure::Drive(_) | Failure::Different(_) | Failure::Tolerance(_) => ExitCode::FAILURE,
            Failure::Stopped(_) => ExitCode::from(STOPPED),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Failure::Input(line) => error_line(line),
            Failure::Drive(line)
            | Failure::Different(line)
            | Failure::Tolerance(line)
            | Failure::Stopped(line) => whole_line(line),
        })
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let line = error.to_string();
        match error {
            RunError::Board(_)
            | RunError::Placed { .. }
            | RunError::Zoned { .. }
            | RunError::Stamped { .. }
            | RunError::Image(_)
            | RunError::Snapshot(_)
            | RunError::Job(_)
            | RunError::Memory { .. }
            | RunError::Clock { .. }
            | RunError::Log { .. } => Failure::Input(line),
            RunError::Stopped(_) => Failure::Stopped(line),
            RunError::Driver(_)
            | RunError::Data(_)
            | RunError::Stray { .. }
            | RunError::Ftl { .. }
            | RunError::Stalled { .. } => Failure::Drive(line),
        }
    }
}

/// Fails when a job ended with an error.
///
/// # Errors
/// In that case.
pub fn job_errors(result: &RunResult) -> Result<(), Failure> {
    let mut failed = result.jobs.iter().filter_map(|job| Some((job, job.error.as_ref()?)));
    match failed.next() {
        None => Ok(()),
        Some((job, error)) => Err(Failure::Drive(format!(
            "job {}: {} (error {})",
            job.name, error.message, error.number
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::oracle::Mismatch;
    use host::DataError;

    #[test]
    fn wrong_data_is_the_drives_failure_and_names_lba_time_and_seed() {
        let mismatch = Mismatch { lba: 1234, index: 0, found: None, permitted: Vec::new() };
        let error = DataError {
            job: "job1".to_owned(),
            mismatch,
            byte: 1234 * 4096,
            time_ps: 5_000_001,
            seed: 42,
        };
        let Failure::Drive(line) = Failure::from(RunError::Data(Box::new(error))) else {
            panic!("wrong data is the drive's failure");
        };
        for part in ["LBA 1234", "5.000001 us", "seed 42"] {
            assert!(line.contains(part), "{line} does not hold {part:?}");
        }
    }

    #[test]
    fn a_failure_is_one_line_whatever_the_user_typed() {
        let failure = Failure::unexpected("--set", "\"a\nb\u{1b}[31m\"", "key=value");
        assert_eq!(failure.to_string(), r#"--set: found "a\nb\u{1b}[31m", expected key=value"#);
    }
}
