//! A trace: which files it has, how they are compressed, and which format they have.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::compression::Compression;
use crate::detect::Detected;
use crate::format::Format;
use crate::opening::Opening;
use crate::part::Part;
use crate::reader::Reader;
use crate::source::Source;
use crate::unit::TimeUnit;

/// A trace that can be read, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its file; of several the first, and of a member of an archive the archive and the member.
    pub path: PathBuf,
    /// How the file is compressed.
    pub compression: Compression,
    /// Its format.
    pub detected: Detected,
    /// The files or members that are merged by time.
    pub(crate) parts: Vec<Part>,
    /// The unit of its times, if it is not the usual one.
    pub(crate) unit: Option<TimeUnit>,
    /// The volumes that are asked for; all if there are none.
    pub(crate) volumes: Vec<String>,
}

/// Why a trace cannot be read.
#[derive(Debug)]
pub enum OpenError {
    /// The operating system refuses the file, or it is damaged from the beginning.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// The format is not known.
    Format {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
    },
    /// It is something that is not read, such as a 7z archive.
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// What is asked for cannot be had.
    Asked {
        /// The option, or a file with it.
        what: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
}

impl Trace {
    /// Opens a file that is one trace, and finds its format, unless it is said.
    ///
    /// # Errors
    /// When the file cannot be read, no format, or more than one, reads its beginning, or it has several traces.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, OpenError> {
        let opening = Opening { format, ..Opening::default() };
        let mut traces = opening.open(&[path.to_owned()])?.traces;
        match (traces.pop(), traces.len()) {
            (Some(trace), 0) => Ok(trace),
            (_, others) => Err(OpenError::Asked {
                what: path.display().to_string(),
                found: format!("{} traces", others + 1),
                expected: "one".to_owned(),
            }),
        }
    }

    /// The format that was found from the beginning, or asked for.
    pub fn format(&self) -> Format {
        self.detected.format
    }

    /// The unit that its times are read with.
    pub fn time_unit(&self) -> TimeUnit {
        self.unit.unwrap_or(self.format().time_unit())
    }

    /// Its name without folders; of several files what they have in common, or the first and how many more there are.
    pub fn name(&self) -> String {
        match &self.parts[..] {
            [only] => only.base(),
            [first, others @ ..] => match crate::processors::device(&first.base()) {
                Some((device, _)) => device,
                None => format!("{} and {} more", first.base(), others.len()),
            },
            [] => String::new(),
        }
    }

    /// Of each of its files or members, which of the given files it is or is in.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().map(|part| part.input)
    }

    /// Reads it from the beginning.
    ///
    /// # Errors
    /// When the operating system refuses the file.
    pub fn reader(&self) -> Result<Reader, OpenError> {
        let source = |part: &Part| match part.open() {
            Ok((_, input)) if self.parts.len() == 1 => Ok(Source::new(input, self.format())),
            Ok((_, input)) => Ok(Source::new(input, self.format()).named(&part.name())),
            Err(error) => Err(OpenError::File { path: PathBuf::from(part.name()), error }),
        };
        let sources = self.parts.iter().map(source).collect::<Result<Vec<_>, _>>()?;
        let reader = Reader::of(sources, self.format());
        Ok(match (self.unit, &self.volumes[..]) {
            (None, []) => reader,
            (unit, volumes) => reader.choosing(self.format(), unit, volumes),
        })
    }

    /// How it is read, for people: format, and whether that was found or asked for.
    pub fn told(&self) -> String {
        let Detected { format, read, of } = self.detected;
        let event = match format.event() {
            Some(event) => format!(", events {}", char::from(event.letter())),
            None => String::new(),
        };
        let how = match read {
            Some(read) => format!("detected: it reads {read} of the first {of} lines or records"),
            None => "asked for".to_owned(),
        };
        let mut told = format!("{}{event} ({how}), {}", format.name(), self.compression.name());
        if let Some(member) = &self.parts[0].member {
            told += &format!(", in a {} archive", member.archive().name());
        }
        if self.parts.len() > 1 {
            told += &format!(", {} files by one clock", self.parts.len());
        }
        if let Some(unit) = self.unit {
            told += &format!(", times in {unit}");
        }
        told
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::File { path, error } => {
                write!(f, "{}: found {error}, expected a trace", path.display())
            }
            OpenError::Format { path, found } => {
                let (path, names) = (path.display(), Format::names());
                write!(
                    f,
                    "{path}: format: found {found}, expected one of {names}; --format says which, or tells a layout"
                )
            }
            OpenError::Kind { path, found } => write!(
                f,
                "{}: found {found}, expected text in UTF-8 or records of blktrace, as they are, compressed by gzip, zstd, \
                 xz or bzip2, or in a tar or zip archive",
                path.display()
            ),
            OpenError::Asked { what, found, expected } => {
                write!(f, "{what}: found {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for OpenError {}
