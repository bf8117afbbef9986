//! What can be wrong with a sweep as a whole. What goes wrong in a point is in its row.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a sweep cannot be done. `Display` is one line.
#[derive(Debug)]
pub enum SweepError {
    /// A file or folder cannot be read or written.
    File {
        /// Which.
        file: String,
        /// Why, as the operating system says it.
        reason: String,
        /// What is expected of it.
        expected: &'static str,
    },
    /// A key that no board or no job has.
    Key {
        /// The sweep's file.
        file: String,
        /// What is wrong with it, in one line.
        line: String,
    },
    /// A key holds nothing, or what it must not hold.
    Value {
        /// Path of the sweep's file, or of its journal.
        file: String,
        /// The key in the file; the line where the file is no TOML.
        key: String,
        /// What stands there.
        found: String,
        /// What would be right.
        expected: String,
    },
}

impl SweepError {
    pub(crate) fn file(path: &Path, error: &io::Error, expected: &'static str) -> SweepError {
        SweepError::File { file: path.display().to_string(), reason: error.to_string(), expected }
    }

    /// An error if a file that is to be written to was read.
    pub(crate) fn if_read(path: &Path) -> Result<(), SweepError> {
        let refused = |error| SweepError::file(path, &error, "another one to write to");
        foreign::input::must_not_be(path).map_err(refused)
    }

    pub(crate) fn value(
        file: &str,
        key: &str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> SweepError {
        SweepError::Value {
            file: file.to_owned(),
            key: key.to_owned(),
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SweepError::File { file, reason, expected } => {
                write!(f, "{file}: found {reason}, expected {expected}")
            }
            SweepError::Key { file, line } => write!(f, "{file}: {line}"),
            SweepError::Value { file, key, found, expected } => {
                write!(f, "{file}: {key}: found {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for SweepError {}
