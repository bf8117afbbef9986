//! Why a snapshot cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a snapshot cannot be used. `Display` is one line: file, key, found, expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotError {
    /// The file.
    pub path: PathBuf,
    /// What of it; empty for all of it.
    pub key: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl SnapshotError {
    /// A snapshot that is not as expected, at a key of its head or in a part of it.
    pub fn new(path: &Path, key: &str, (found, expected): (impl fmt::Display, &str)) -> Self {
        SnapshotError {
            path: path.to_owned(),
            key: key.to_owned(),
            found: found.to_string(),
            expected: expected.to_owned(),
        }
    }

    /// The operating system refuses the file.
    pub(crate) fn system(path: &Path, error: &io::Error) -> Self {
        SnapshotError::new(path, "", (error, "a snapshot of a drive"))
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SnapshotError { path, key, found, expected } = self;
        write!(f, "{}: ", path.display())?;
        if !key.is_empty() {
            write!(f, "{key}: ")?;
        }
        write!(f, "found {found}, expected {expected}")
    }
}

impl std::error::Error for SnapshotError {}
