//! The latest intervals of a file.

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::Path;

use monitor::{Interval, Reader};

use crate::failure::Failure;

/// Intervals that are kept: more than a terminal has columns.
const KEPT: usize = 1024;

/// The latest intervals, in order.
#[derive(Debug, Default)]
pub struct Course {
    intervals: VecDeque<Interval>,
}

impl Course {
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
        if self.intervals.len() == KEPT {
            self.intervals.pop_front();
        }
        self.intervals.push_back(interval);
    }

    /// The last interval.
    pub fn last(&self) -> Option<&Interval> {
        self.intervals.back()
    }

    /// `value` of the last `most` intervals, in order.
    pub fn recent(&self, most: usize, value: impl Fn(&Interval) -> u64) -> Vec<u64> {
        let skipped = self.intervals.len().saturating_sub(most);
        self.intervals.iter().skip(skipped).map(value).collect()
    }
}
