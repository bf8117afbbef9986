//! Lines that cannot be read.

use std::fmt;

/// How many faults are kept with what was found; all others are only counted.
pub const SHOWN_FAULTS: usize = 5;
/// The most bytes of a field that are quoted.
const QUOTED_BYTES: usize = 40;

/// Why a line is no record: one field is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong<'a> {
    /// Name of the field, as the format's description has it.
    pub(crate) field: &'static str,
    pub(crate) found: &'a [u8],
    pub(crate) expected: &'static str,
}

impl<'a> Wrong<'a> {
    pub(crate) fn new(field: &'static str, found: &'a [u8], expected: &'static str) -> Self {
        Wrong { field, found, expected }
    }
}

/// A line, or a binary record, that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its number, from 1.
    pub line: u64,
    /// The field that is not what it should be.
    pub field: &'static str,
    /// What stands there.
    pub found: String,
    /// What should.
    pub expected: &'static str,
    /// The file or member that it is in, where a trace has several.
    pub of: Option<Box<str>>,
}

impl Fault {
    pub(crate) fn new(line: u64, wrong: &Wrong<'_>) -> Self {
        let shown = &wrong.found[..wrong.found.len().min(QUOTED_BYTES)];
        let dots = if shown.len() < wrong.found.len() { "..." } else { "" };
        let found = match shown {
            [] => "nothing".to_owned(),
            shown => format!("\"{}{dots}\"", shown.escape_ascii()),
        };
        Fault { line, field: wrong.field, found, expected: wrong.expected, of: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { line, field, found, expected, of } = self;
        if let Some(of) = of {
            write!(f, "{of}: ")?;
        }
        // A record that was found to be wrong when it was put in order has no line any more.
        if *line > 0 {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{field}: found {found}, expected {expected}")
    }
}

/// All that could not be read of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many lines or records.
    pub count: u64,
    /// The first of them, at most [`SHOWN_FAULTS`].
    pub first: Vec<Fault>,
    /// Why the file ends early, if it does: a compressed file that is cut off or damaged.
    pub broken: Option<Fault>,
}

impl Faults {
    pub(crate) fn note(&mut self, line: u64, wrong: &Wrong<'_>) {
        self.count += 1;
        if self.first.len() < SHOWN_FAULTS {
            self.first.push(Fault::new(line, wrong));
        }
    }

    /// Those of two streams.
    pub(crate) fn with(mut self, other: Faults) -> Self {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.truncate(SHOWN_FAULTS);
        self.broken = self.broken.or(other.broken);
        self
    }

    /// The fault that `--strict` ends with: the first of all, or that of the file.
    pub fn fatal(&self) -> Option<&Fault> {
        self.first.first().or(self.broken.as_ref())
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.broken.is_none()
    }
}
