//! The intervals of a file, the last one, and all added together.

use std::io::BufRead;
use std::path::Path;

use monitor::{History, Interval, Reader};

use recipe::Failure;

/// Intervals that are kept. Of a file that has more, neighbours are joined.
const KEPT: usize = 1 << 13;

/// What a file holds by now.
#[derive(Debug)]
pub struct Course {
    history: History,
    last: Option<Interval>,
    whole: Option<Interval>,
}

impl Course {
    /// Nothing yet.
    pub fn new() -> Self {
        Course { history: History::keeping(KEPT), last: None, whole: None }
    }

    /// Reads all whole lines that the file has by now.
    ///
    /// # Errors
    /// When a line is not one of the monitor's.
    pub fn read(&mut self, reader: &mut Reader<impl BufRead>, path: &Path) -> Result<(), Failure> {
        let fault = |error| Failure::Input(format!("{}: {error}", path.display()));
        while let Some(interval) = reader.next_interval().map_err(fault)? {
            self.push(interval);
        }
        Ok(())
    }

    /// Adds the next interval.
    pub fn push(&mut self, interval: Interval) {
        self.whole = Some(match &self.whole {
            None => interval.clone(),
            Some(before) => interval.joined(before),
        });
        self.last = Some(interval.clone());
        self.history.push(interval);
    }

    /// The intervals, in order.
    pub fn intervals(&self) -> &[Interval] {
        self.history.intervals()
    }

    /// The last interval of the file.
    pub fn last(&self) -> Option<&Interval> {
        self.last.as_ref()
    }

    /// All intervals as one.
    pub fn whole(&self) -> Option<&Interval> {
        self.whole.as_ref()
    }
}
