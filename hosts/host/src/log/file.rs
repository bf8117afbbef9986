//! A file that logs are written into, bit by bit.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::rc::Rc;

use foreign::input;

use crate::error::RunError;

/// Bytes that are kept before the operating system is asked.
const BUFFER_BYTES: usize = 1 << 16;

/// A file of one log, or of the same log of several jobs.
///
/// What goes wrong while a job runs is kept until [`LogFile::finish`]: a log cannot change a run.
#[derive(Clone, Debug)]
pub(super) struct LogFile(Rc<RefCell<Inner>>);

#[derive(Debug)]
struct Inner {
    path: String,
    out: BufWriter<File>,
    failed: Option<io::Error>,
}

impl LogFile {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub(super) fn create(path: &str) -> Result<Self, RunError> {
        let created = input::must_not_be(Path::new(path)).and_then(|()| File::create(path));
        let file = created.map_err(|error| refused(path, &error))?;
        let out = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(LogFile(Rc::new(RefCell::new(Inner { path: path.to_string(), out, failed: None }))))
    }

    /// Whether this is the file at `path`, as the job names it.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.0.borrow().path == path
    }

    /// Appends text.
    #[inline]
    pub(super) fn write(&self, text: fmt::Arguments<'_>) {
        let Inner { out, failed, .. } = &mut *self.0.borrow_mut();
        if failed.is_none() {
            *failed = out.write_fmt(text).err();
        }
    }

    /// Writes what was kept back.
    ///
    /// # Errors
    /// The first that met this file.
    pub(super) fn finish(&self) -> Result<(), RunError> {
        let Inner { path, out, failed } = &mut *self.0.borrow_mut();
        match failed.take().map_or_else(|| out.flush(), Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(refused(path, &error)),
        }
    }
}

fn refused(path: &str, error: &io::Error) -> RunError {
    RunError::Log { path: path.to_string(), found: error.to_string() }
}
