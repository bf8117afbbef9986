//! Opening a trace: how it is compressed, and which format it has.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use foreign::input;

use crate::compression::Compression;
use crate::detect::{detect, settle, Detected, Undetected};
use crate::format::Format;
use crate::reader::Reader;

/// Bytes at the beginning from which the format is found.
const SAMPLE_BYTES: u64 = 1 << 16;
const BUFFER_BYTES: usize = 1 << 17;

/// A trace that can be read, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its file.
    pub path: PathBuf,
    /// How the file is compressed.
    pub compression: Compression,
    /// Its format.
    pub detected: Detected,
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
}

impl Trace {
    /// Opens a file and finds its format, unless it is said.
    ///
    /// # Errors
    /// When the file cannot be read, or no format, or more than one, reads its beginning.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, OpenError> {
        let refuse = |error| OpenError::File { path: path.to_owned(), error };
        let (compression, input) = decompressed(path).map_err(refuse)?;
        let mut sample = Vec::new();
        // A file that is damaged behind its beginning can be read up to there.
        if let Err(error) = input.take(SAMPLE_BYTES).read_to_end(&mut sample) {
            if sample.is_empty() {
                return Err(refuse(error));
            }
        }
        let detected = match format {
            Some(format) => Ok(settle(&sample, format)),
            None => detect(&sample),
        };
        let unknown = |found| OpenError::Format { path: path.to_owned(), found };
        let detected = detected.map_err(|undetected| {
            unknown(match undetected {
                Undetected::Empty => "nothing".to_owned(),
                Undetected::None => {
                    "no format that reads at least half of its first lines".to_owned()
                }
                Undetected::Several(one, other) => {
                    format!("lines of {} that are also lines of {}", one.name(), other.name())
                }
            })
        })?;
        Ok(Trace { path: path.to_owned(), compression, detected })
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.detected.format
    }

    /// Reads it from the beginning.
    ///
    /// # Errors
    /// When the operating system refuses the file.
    pub fn reader(&self) -> Result<Reader, OpenError> {
        match decompressed(&self.path) {
            Ok((_, input)) => Ok(Reader::new(input, self.format())),
            Err(error) => Err(OpenError::File { path: self.path.clone(), error }),
        }
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
        format!("{}{event} ({how}), {}", format.name(), self.compression.name())
    }
}

/// How a file is compressed, and what is in it.
fn decompressed(path: &Path) -> io::Result<(Compression, Box<dyn Read>)> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, input::open(path)?);
    let compression = Compression::of(file.fill_buf()?);
    Ok((compression, compression.decompressed(Box::new(file))?))
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::File { path, error } => {
                write!(f, "{}: found {error}, expected a trace", path.display())
            }
            OpenError::Format { path, found } => {
                let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
                let names = names.join(", ");
                let path = path.display();
                write!(
                    f,
                    "{path}: format: found {found}, expected one of {names}; --format says which"
                )
            }
        }
    }
}

impl std::error::Error for OpenError {}
