//! Why output could not be written.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why output could not be written. `Display` is one line.
#[derive(Debug)]
pub enum OutputError {
    /// A file or folder could not be made.
    Refused {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        reason: io::Error,
    },
    /// A study or figure has a name that cannot be the name of a file.
    Name {
        /// What the study or the figure is called.
        name: String,
    },
    /// A figure could not be drawn.
    Figure {
        /// The file that would show it.
        path: PathBuf,
        /// What the drawing library says.
        reason: String,
    },
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { path, reason } => {
                write!(f, "{}: found {reason}, expected a path that can be written", path.display())
            }
            Self::Name { name } => {
                write!(f, "{name:?}: found no name for a file, expected one without folders in it")
            }
            Self::Figure { path, reason } => {
                write!(f, "{}: found {reason}, expected a figure that can be drawn", path.display())
            }
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused { reason, .. } => Some(reason),
            Self::Name { .. } | Self::Figure { .. } => None,
        }
    }
}
