//! What can be wrong with a study, and how its runs fail.

use std::fmt;
use std::path::Path;

use host::RunError;

/// Why a study gave no outcome. `Display` is one line.
#[derive(Clone, Debug, PartialEq)]
pub enum StudyError {
    /// A file or folder cannot be read or written.
    File {
        /// Which.
        file: String,
        /// Why, as the operating system says it.
        reason: String,
        /// What is expected of it.
        expected: &'static str,
    },
    /// A file is not TOML, or not a study's, or not CSV.
    Syntax {
        /// Path of the file.
        file: String,
        /// Line of the fault, from 1.
        line: u64,
        /// What the parser says.
        reason: String,
        /// What the file is expected to be.
        expected: &'static str,
    },
    /// A key holds nothing, or what it must not hold.
    Value {
        /// Path of the file.
        file: String,
        /// The key, after what it belongs to.
        key: String,
        /// What stands there.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A run came to no end.
    Run {
        /// Experiment and conditions.
        point: String,
        /// How it failed.
        error: Box<RunError>,
    },
    /// A load of cells cannot be done on its board.
    Cells {
        /// Experiment and conditions.
        point: String,
        /// What was found, and what was expected.
        message: String,
    },
    /// A job of a run ended with an error.
    Job {
        /// Experiment and conditions.
        point: String,
        /// What happened, and fio's number of it.
        message: String,
    },
}

impl StudyError {
    /// Whether the drive is to blame, not the study.
    pub fn is_fault_of_drive(&self) -> bool {
        match self {
            StudyError::Run { error, .. } => !matches!(
                **error,
                RunError::Board(_)
                    | RunError::Placed { .. }
                    | RunError::Zoned { .. }
                    | RunError::Stamped { .. }
                    | RunError::Job(_)
                    | RunError::Memory { .. }
            ),
            StudyError::Job { .. } => true,
            _ => false,
        }
    }

    /// A file that the operating system refuses.
    pub(crate) fn file(file: &Path, error: &std::io::Error, expected: &'static str) -> Self {
        let (file, reason) = (file.to_string_lossy().into_owned(), error.to_string());
        StudyError::File { file, reason, expected }
    }

    /// A file that is no CSV.
    pub(crate) fn csv(file: &Path, error: &csv::Error, expected: &'static str) -> Self {
        let line = error.position().map_or(1, csv::Position::line);
        let (file, reason) = (file.to_string_lossy().into_owned(), error.to_string());
        StudyError::Syntax { file, line, reason, expected }
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::File { file, reason, expected } => {
                write!(f, "{file}: found {reason}, expected {expected}")
            }
            StudyError::Syntax { file, line, reason, expected } => {
                let reason = reason.replace('\n', " ");
                write!(f, "{file}: line {line}: found a fault ({reason}), expected {expected}")
            }
            StudyError::Value { file, key, found, expected } => {
                write!(f, "{file}: {key}: found {found}, expected {expected}")
            }
            StudyError::Run { point, error } => write!(f, "{point}: {error}"),
            StudyError::Cells { point, message } | StudyError::Job { point, message } => {
                write!(f, "{point}: {message}")
            }
        }
    }
}

impl std::error::Error for StudyError {}

/// A fault at a key of a study's file, not yet placed in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The key, after what it belongs to.
    pub key: String,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl Fault {
    /// A fault at `key`.
    pub fn new(
        key: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Fault { key: key.into(), found: found.into(), expected: expected.into() }
    }

    /// The same, below `owner`.
    pub fn below(self, owner: impl fmt::Display) -> Self {
        Fault { key: format!("{owner}: {}", self.key), ..self }
    }

    /// The error, with the file that the fault is in.
    pub fn in_file(self, file: &Path) -> StudyError {
        let Fault { key, found, expected } = self;
        StudyError::Value { file: file.to_string_lossy().into_owned(), key, found, expected }
    }
}

/// "one of a, b, c", for what would be right.
pub(crate) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names[..] {
        [] => "nothing".to_owned(),
        [only] => only.to_owned(),
        _ => format!("one of {}", names.join(", ")),
    }
}
