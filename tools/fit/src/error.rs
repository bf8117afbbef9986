//! Why there is no fit.

use std::fmt;

/// Why there is no fit. Its `Display` is one line: place, key, found, expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FitError {
    /// A file, a key or a board cannot be used.
    Input(String),
    /// A simulated drive failed.
    Drive(String),
    /// It was ended by a signal.
    Stopped(String),
}

impl FitError {
    /// Something that is not what it should be.
    pub(crate) fn unexpected(
        place: impl fmt::Display,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> FitError {
        FitError::Input(format!("{place}: found {found}, expected {expected}"))
    }
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (FitError::Input(line) | FitError::Drive(line) | FitError::Stopped(line)) = self;
        f.write_str(line)
    }
}

impl std::error::Error for FitError {}
