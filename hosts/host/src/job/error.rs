//! What can be wrong with a job file, and where.

use std::fmt;
use std::sync::Arc;

/// Where an option was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a job file.
    Line {
        /// Name of the file as the user gave it.
        file: Arc<str>,
        /// Line number, from 1.
        line: u32,
    },
    /// An option given in place of a job file.
    CommandLine,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}

/// An error in a job file or in options given in its place. `Display` is one line that names the
/// place, the option, what was found and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobError {
    /// A line that is neither a section, an option nor a comment.
    Malformed {
        /// Where.
        place: Place,
        /// The text found.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// An option whose value cannot be used: ill-formed, out of range, or at odds with the drive
    /// or with another option.
    Value {
        /// Where the option was written; the head of the job where it was left to its default.
        place: Place,
        /// Name of the option.
        key: String,
        /// The value found.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// No option of fio.
    Unknown {
        /// Where.
        place: Place,
        /// The name found.
        key: String,
        /// The option that may be meant.
        nearest: Option<&'static str>,
    },
    /// An option of fio that would change the result and is not modelled.
    Unsupported {
        /// Where.
        place: Place,
        /// Name of the option.
        key: String,
        /// The value found.
        found: String,
        /// The values that are accepted because they leave the result as it is.
        harmless: &'static [&'static str],
    },
    /// A trace that cannot be replayed on this drive; the line names it.
    Trace(String),
    /// A program that cannot be run on this drive; the line names it.
    Program(String),
    /// No job was defined.
    NoJobs {
        /// Name of the file, or "command line".
        file: String,
    },
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { place, found, expected } => {
                write!(f, "{place}: found {found:?}, expected {expected}")
            }
            Self::Value { place, key, found, expected } => {
                write!(f, "{place}: {key}: found {found:?}, expected {expected}")
            }
            Self::Unknown { place, key, nearest } => {
                let expected = nearest.unwrap_or("an option of fio, as fio --cmdhelp lists them");
                write!(
                    f,
                    "{place}: {key}: found an option that fio does not know, expected {expected}"
                )
            }
            Self::Unsupported { place, key, found, harmless } => {
                write!(f, "{place}: {key}: found {found:?}, which is not modelled and would ")?;
                match harmless {
                    [] => write!(f, "change the result; expected the option to be absent"),
                    [one] => write!(f, "change the result; expected {one} or no such option"),
                    many => {
                        let many = many.join(" or ");
                        write!(f, "change the result; expected {many} or no such option")
                    }
                }
            }
            Self::Trace(line) | Self::Program(line) => f.write_str(line),
            Self::NoJobs { file } => {
                write!(f, "{file}: found no job, expected at least one section such as [read]")
            }
        }
    }
}

impl std::error::Error for JobError {}
