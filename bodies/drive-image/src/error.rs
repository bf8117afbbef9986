//! Why an image cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an image cannot be used. `Display` is one line: file, key, found, expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageError {
    /// The file.
    pub path: PathBuf,
    /// What of it; empty for all of it.
    pub key: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl ImageError {
    /// An image that is not as expected, at a key of its head or in a part of it.
    pub fn new(path: &Path, key: &str, (found, expected): (impl fmt::Display, &str)) -> Self {
        ImageError {
            path: path.to_owned(),
            key: key.to_owned(),
            found: found.to_string(),
            expected: expected.to_owned(),
        }
    }

    /// The operating system refuses the file.
    pub(crate) fn system(path: &Path, error: &io::Error, expected: &str) -> Self {
        ImageError::new(path, "", (error, expected))
    }

    /// A part of the file does not have the checksum that it says.
    pub(crate) fn damaged(path: &Path, key: &str) -> Self {
        ImageError::new(path, key, ("a wrong checksum", "an undamaged drive image"))
    }
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImageError { path, key, found, expected } = self;
        write!(f, "{}: ", path.display())?;
        if !key.is_empty() {
            write!(f, "{key}: ")?;
        }
        write!(f, "found {found}, expected {expected}")
    }
}

impl std::error::Error for ImageError {}
