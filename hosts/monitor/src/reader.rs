//! Takes the lines in, of a finished run or of one that still goes on.

use contract::Cause;
use std::fmt;
use std::io::{self, BufRead};

use serde_json::error::Category;

use crate::header::{Header, KIND, VERSION};
use crate::interval::Interval;

/// The longest line: several times that of a drive of 64 x 64.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads lines as they come.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// A line that is not there whole yet.
    line: Vec<u8>,
    number: u64,
    header: Option<Header>,
}

/// Why a file cannot be read. One line: where, what was found, what is expected.
#[derive(Debug)]
pub enum ReadError {
    /// The operating system refused.
    Io(io::Error),
    /// A line is not what it should be.
    Line {
        /// Its number, from 1.
        number: u64,
        /// What was found in place of what is expected.
        found: String,
    },
    /// Another version's lines.
    Version(u32),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => write!(f, "found {error}, expected a file of run --monitor"),
            ReadError::Line { number, found } => {
                write!(f, "line {number}: found {found}, expected a line of run --monitor")
            }
            ReadError::Version(version) => {
                write!(f, "line 1: found version {version}, expected version {VERSION}")
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl<R: BufRead> Reader<R> {
    /// A reader that has read nothing.
    pub fn new(source: R) -> Self {
        Reader { source, line: Vec::new(), number: 0, header: None }
    }

    /// The first line, once it was there.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The next interval, or none if no further line is there whole by now. Later there may be.
    ///
    /// # Errors
    /// When a line cannot be read or is not one of the monitor's.
    pub fn next_interval(&mut self) -> Result<Option<Interval>, ReadError> {
        if self.header.is_none() {
            if !self.next_line()? {
                return Ok(None);
            }
            let header: Header = self.parsed()?;
            if header.kind != KIND {
                return Err(self.wrong(format!("kind {:?}", header.kind)));
            }
            if header.version != VERSION {
                return Err(ReadError::Version(header.version));
            }
            self.header = Some(header);
        }
        if !self.next_line()? {
            return Ok(None);
        }
        let interval: Interval = self.parsed()?;
        self.check(&interval)?;
        Ok(Some(interval))
    }

    /// Whether the next line is there whole.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        if self.line.last() == Some(&b'\n') {
            self.line.clear();
        }
        let room = LONGEST_LINE - self.line.len() as u64;
        io::Read::take(&mut self.source, room)
            .read_until(b'\n', &mut self.line)
            .map_err(ReadError::Io)?;
        if self.line.last() == Some(&b'\n') {
            self.number += 1;
            return Ok(true);
        }
        if self.line.len() as u64 == LONGEST_LINE {
            self.number += 1;
            return Err(self.wrong("more than 1 MiB".to_owned()));
        }
        Ok(false)
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self) -> Result<T, ReadError> {
        serde_json::from_slice(&self.line).map_err(|error| {
            self.wrong(match error.classify() {
                Category::Data => format!("JSON of something else ({error})"),
                _ => "no JSON".to_owned(),
            })
        })
    }

    /// Whoever shows an interval relies on the shape that the header promises.
    fn check(&self, interval: &Interval) -> Result<(), ReadError> {
        let Some(header) = &self.header else { return Ok(()) };
        let channels = &interval.counts.channels;
        let ways = |count: usize| count as u64 == u64::from(header.ways);
        if channels.len() as u64 != u64::from(header.channels)
            || !channels.iter().all(|channel| ways(channel.ways_busy_ps.len()))
            || interval.counts.modules_ps.len() != header.modules.len()
            || header.causes.len() != Cause::COUNT
        {
            return Err(self.wrong("another geometry than the header's".to_owned()));
        }
        Ok(())
    }

    fn wrong(&self, found: String) -> ReadError {
        ReadError::Line { number: self.number, found }
    }
}
