//! A line of fio's logs: `time (msec), value, direction, block size[, offset], priority`.

use report::Direction;

use super::file::LogFile;
use crate::job::{OffsetColumn, PriorityForm};

/// A request, or a window of requests, as a line tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// From the start of what the job measures, in whole milliseconds.
    pub(super) at_ms: u64,
    pub(super) direction: Direction,
    /// 0 for a window.
    pub(super) bytes: u64,
    /// Of the drive; 0 for a window.
    pub(super) offset_bytes: u64,
}

impl Entry {
    /// A window that ended at `at_ms`.
    pub(super) fn of_window(at_ms: u64, direction: Direction) -> Self {
        Entry { at_ms, direction, bytes: 0, offset_bytes: 0 }
    }
}

/// Writes lines of one log.
#[derive(Debug)]
pub(super) struct LineWriter {
    pub(super) file: LogFile,
    pub(super) offset: OffsetColumn,
    pub(super) priority: PriorityForm,
    /// What is added to all times.
    pub(super) shift_ms: u64,
}

impl LineWriter {
    #[inline]
    pub(super) fn write(&self, entry: &Entry, value: u64) {
        let Entry { at_ms, direction, bytes, offset_bytes } = *entry;
        let (at_ms, direction) = (at_ms + self.shift_ms, direction as usize);
        // No request has a priority here.
        let priority = match self.priority {
            PriorityForm::Flag => "0",
            PriorityForm::Hexadecimal => "0x0000",
        };
        match self.offset {
            OffsetColumn::Absent => self
                .file
                .write(format_args!("{at_ms}, {value}, {direction}, {bytes}, {priority}\n")),
            OffsetColumn::Shown => self.file.write(format_args!(
                "{at_ms}, {value}, {direction}, {bytes}, {offset_bytes}, {priority}\n"
            )),
        }
    }
}
