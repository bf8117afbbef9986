//! The rows of a sweep as they come, a line of JSON each. A line that a kill cut off is not taken.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{flock, FlockOperation};
use serde::{Deserialize, Serialize};

use crate::definition::Sweep;
use crate::error::SweepError;
use crate::figures::{Figures, FIGURES};
use crate::grid::Point;
use crate::point::Outcome;

/// The file's name in the folder of a sweep.
const NAME: &str = "rows.jsonl";

/// What stands before the checksum of a row.
const CHECK: &str = ",\"check\":";

/// What decides the rows of a journal: its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Version of the program.
    pub version: String,
    /// Commit that it was built from.
    pub commit: String,
    /// The sweep's file, and its job file.
    pub sweep: String,
    /// Names of the figures.
    pub figures: Vec<String>,
}

impl Origin {
    /// That of a sweep by this program.
    pub fn new(sweep: &Sweep, version: &str, commit: &str) -> Origin {
        Origin {
            version: version.to_owned(),
            commit: commit.to_owned(),
            sweep: sweep.source(),
            figures: FIGURES.map(str::to_owned).to_vec(),
        }
    }
}

/// What came of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Number of the point.
    pub point: u64,
    /// SHA-256 of its board; nothing if there is no such board.
    pub board: String,
    /// Why there are no figures, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// In the order of the origin; none at all after an error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Option<f64>>,
}

impl Row {
    /// The row as a line of a journal. Its last key is the CRC-32 of the JSON without it: a figure that was damaged may be a
    /// figure still.
    pub fn line(&self) -> String {
        let text = serde_json::to_string(self).expect("a row is JSON");
        let check = crc32fast::hash(text.as_bytes());
        format!("{}{CHECK}{check}}}", &text[..text.len() - 1])
    }

    /// The row of such a line; none if it is none, or another than was written.
    pub fn of_line(line: &str) -> Option<Row> {
        let (text, check) = line.trim_end().strip_suffix('}')?.rsplit_once(CHECK)?;
        let text = format!("{text}}}");
        let is_sound = check == crc32fast::hash(text.as_bytes()).to_string();
        serde_json::from_str(&text).ok().filter(|row: &Row| is_sound && row.is_whole())
    }

    /// Whether it has all figures, or an error and none.
    fn is_whole(&self) -> bool {
        self.figures.len() == if self.error.is_some() { 0 } else { FIGURES.len() }
    }

    pub(crate) fn new(point: u64, outcome: Outcome) -> Row {
        let Outcome { board, figures } = outcome;
        match figures {
            Ok(Figures(figures)) => Row { point, board, error: None, figures: figures.to_vec() },
            Err(error) => Row { point, board, error: Some(error), figures: Vec::new() },
        }
    }
}

/// A journal that rows are added to.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: io::BufWriter<File>,
    /// Rows that were there before, by point.
    pub(crate) rows: Vec<Option<Row>>,
}

impl Journal {
    /// Opens the journal in a folder, or makes it.
    ///
    /// # Errors
    /// If it cannot be read or written, or belongs to another sweep or another version of the program.
    pub fn open(folder: &Path, sweep: &Sweep, origin: &Origin) -> Result<Journal, SweepError> {
        let path = folder.join(NAME);
        let wrong =
            |error: &io::Error| SweepError::file(&path, error, "a journal of rows to write to");
        SweepError::if_read(&path)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(|error| wrong(&error))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let expected = "one that no other sweep writes to";
            SweepError::value(&path.display().to_string(), "lock", "a journal in use", expected)
        })?;
        let mut rows = vec![None; sweep.points() as usize];
        let kept = read(&file, origin, &mut rows).map_err(|fault| match fault {
            Fault::System(error) => wrong(&error),
            Fault::Foreign(found) => {
                let expected = "the rows of this sweep by this program: name another folder with --out, or remove this one";
                SweepError::value(&path.display().to_string(), "origin", found, expected)
            }
        })?;
        let begun = (|| {
            file.set_len(kept)?;
            file.seek(io::SeekFrom::Start(kept))?;
            if kept == 0 {
                file.write_all(format!("{}\n", serde_json::to_string(origin)?).as_bytes())?;
            }
            Ok(())
        })();
        begun.map_err(|error: io::Error| wrong(&error))?;
        Ok(Journal { path, file: io::BufWriter::new(file), rows })
    }

    /// Points that have a row.
    pub fn done(&self) -> u64 {
        self.rows.iter().flatten().count() as u64
    }

    /// Whether a point has a row.
    pub fn has(&self, point: u64) -> bool {
        self.rows[point as usize].is_some()
    }

    /// Takes the rows that the journal in another folder has, of the same sweep by the same program.
    ///
    /// # Errors
    /// If there is no such journal, or a row cannot be written.
    pub fn take_from(
        &mut self,
        folder: &Path,
        sweep: &Sweep,
        origin: &Origin,
    ) -> Result<(), SweepError> {
        let path = folder.join(NAME);
        let wrong = |error: &io::Error| SweepError::file(&path, error, "rows of this sweep");
        let file = foreign::input::open(&path).map_err(|error| wrong(&error))?;
        let mut rows = vec![None; sweep.points() as usize];
        read(&file, origin, &mut rows).map_err(|fault| match fault {
            Fault::System(error) => wrong(&error),
            Fault::Foreign(found) => {
                let file = path.display().to_string();
                SweepError::value(&file, "origin", found, "the rows of this sweep by this program")
            }
        })?;
        self.take(rows.into_iter().flatten().collect())
    }

    /// Rows in the order of their points. All are there once a sweep is done.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// Rows with their points, in order.
    pub fn with_points(&self, sweep: &Sweep) -> Vec<(Point, &Row)> {
        self.rows().map(|row| (sweep.point(row.point), row)).collect()
    }

    /// Points that have no row yet.
    pub fn left(&self) -> Vec<u64> {
        let points = self.rows.iter().zip(0_u64..);
        points.filter(|(row, _)| row.is_none()).map(|(_, point)| point).collect()
    }

    /// Takes rows that workers have made; they outlast the process.
    ///
    /// # Errors
    /// If one cannot be written, or is of no point of the sweep.
    pub fn take(&mut self, rows: Vec<Row>) -> Result<(), SweepError> {
        for row in rows {
            if row.point as usize >= self.rows.len() {
                let (file, points) = (self.path.display().to_string(), self.rows.len());
                let expected = format!("one of the {points} points of the sweep");
                return Err(SweepError::value(&file, "point", row.point, expected));
            }
            // A point that was given to two workers has the same row from both.
            if self.rows[row.point as usize].is_none() {
                self.add(row)?;
            }
        }
        self.flush()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&mut self, row: Row) -> Result<(), SweepError> {
        let written = writeln!(self.file, "{}", row.line());
        let point = row.point as usize;
        self.rows[point] = Some(row);
        written.map_err(|error| self.full(&error))
    }

    /// What was added is in the file, and outlasts the process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), SweepError> {
        self.file.flush().map_err(|error| self.full(&error))
    }

    fn full(&self, error: &io::Error) -> SweepError {
        SweepError::file(&self.path, error, "room for another row")
    }
}

/// Bytes of a line: what is longer is none of a journal.
const LONGEST_LINE: u64 = 1 << 24;

enum Fault {
    System(io::Error),
    /// It has this.
    Foreign(String),
}

/// Takes the rows that are there. Returns up to where the file is whole.
fn read(file: &File, origin: &Origin, rows: &mut [Option<Row>]) -> Result<u64, Fault> {
    let mut lines = BufReader::new(file);
    let (mut kept, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let length = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let length = length.map_err(Fault::System)?;
        if line.last() != Some(&b'\n') {
            return Ok(kept);
        }
        if kept == 0 {
            let found: Origin = serde_json::from_slice(&line)
                .map_err(|_| Fault::Foreign("a line that is none".to_owned()))?;
            if found != *origin {
                let same = (&found.version, &found.commit) == (&origin.version, &origin.commit);
                let what = if same {
                    "another sweep".to_owned()
                } else {
                    format!("rows by version {}, commit {}", found.version, found.commit)
                };
                return Err(Fault::Foreign(what));
            }
        } else {
            // What does not read as a row was damaged, and so may be what follows.
            let row = std::str::from_utf8(&line).ok().and_then(Row::of_line);
            let Some(row) = row else { return Ok(kept) };
            let Some(place) = rows.get_mut(row.point as usize) else { return Ok(kept) };
            *place = Some(row);
        }
        kept += length as u64;
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
