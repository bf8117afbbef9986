//! What can be wrong with a board.

use std::fmt;

/// Why a board could not be resolved. Its `Display` is one line: file, key, found, expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardError {
    /// The file cannot be read.
    Unreadable {
        /// Path of the file, as it was given or as `inherits` of another file leads to it.
        file: String,
        /// Why, as the operating system says it.
        reason: String,
    },
    /// The file is not TOML.
    Syntax {
        /// Path of the file; a built-in board has `boards/NAME.toml`.
        file: String,
        /// Line of the fault, from 1.
        line: usize,
        /// What the parser says.
        reason: String,
    },
    /// No board has this name.
    UnknownBoard {
        /// The name that was asked for.
        name: String,
        /// The known name that is nearest to it.
        nearest: String,
    },
    /// No board has this key.
    UnknownKey {
        /// The file, or `--set`.
        file: String,
        /// The key, sections included.
        key: String,
        /// The known key that is nearest to it.
        nearest: String,
    },
    /// A key holds nothing, or what it must not hold.
    Value {
        /// The file, or `--set`.
        file: String,
        /// The key, sections included.
        key: String,
        /// What stands there.
        found: String,
        /// What would be right.
        expected: String,
    },
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Unreadable { file, reason } => {
                let file = file.escape_debug();
                write!(f, "{file}: found {}, expected a board file", reason.escape_debug())
            }
            BoardError::Syntax { file, line, reason } => {
                let (file, reason) = (file.escape_debug(), reason.replace('\n', " "));
                write!(f, "{file}: line {line}: found a fault ({reason}), expected TOML")
            }
            BoardError::UnknownBoard { name, nearest } => write!(
                f,
                "{}: found no board of this name, expected one such as {nearest}, or a path that \
                 ends in .toml",
                name.escape_debug()
            ),
            BoardError::UnknownKey { file, key, nearest } => {
                let (file, key) = (file.escape_debug(), key.escape_debug());
                write!(f, "{file}: {key}: found an unknown key, expected one such as {nearest}")
            }
            BoardError::Value { file, key, found, expected } => {
                write!(f, "{}: {key}: found {found}, expected {expected}", file.escape_debug())
            }
        }
    }
}

impl std::error::Error for BoardError {}
