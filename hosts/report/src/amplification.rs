//! Write amplification: what flash is made to write for what the host writes.

use serde::{Deserialize, Serialize};

/// What host and drive have written by a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteMark {
    /// The moment, from the start of the run.
    pub at_ps: u64,
    /// Bytes that the host wrote.
    pub host_bytes: u64,
    /// Flash pages programmed, for the host and for garbage collection.
    pub pages_programmed: u64,
    /// Pages in the buffer that are newer than flash.
    pub dirty_pages: u64,
}

/// What all jobs and the drive wrote between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteWindow {
    /// Start of the window.
    pub from: WriteMark,
    /// End of the window.
    pub to: WriteMark,
}

impl WriteWindow {
    /// Pages programmed, and pages that are still to be programmed for what was written in the window: the
    /// dirty pages at its end, less the pages that were dirty at its start. For each page of `page_bytes` that
    /// the host wrote; `None` when it wrote nothing.
    pub fn write_amplification(&self, page_bytes: u32) -> Option<f64> {
        let host_bytes = self.to.host_bytes.saturating_sub(self.from.host_bytes);
        let programmed = self.to.pages_programmed.saturating_sub(self.from.pages_programmed);
        // A damaged report may say anything.
        let pages = programmed.saturating_add(self.to.dirty_pages);
        let pages = pages.saturating_sub(self.from.dirty_pages);
        (host_bytes > 0).then(|| pages as f64 * f64::from(page_bytes) / host_bytes as f64)
    }

    /// Widens the window so that it covers another job's window as well.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.from.at_ps < self.from.at_ps {
            self.from = other.from;
        }
        if other.to.at_ps > self.to.at_ps {
            self.to = other.to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(at_ps: u64, host_pages: u64, pages_programmed: u64, dirty_pages: u64) -> WriteMark {
        WriteMark { at_ps, host_bytes: 16_384 * host_pages, pages_programmed, dirty_pages }
    }

    #[test]
    fn pages_that_wait_in_the_buffer_count() {
        let cases = [
            // All that the host wrote waits in the buffer.
            ((0, 0, 0), (10, 0, 10), Some(1.0)),
            // What was dirty before was programmed; what was written waits.
            ((0, 0, 10), (10, 10, 10), Some(1.0)),
            ((5, 7, 3), (15, 37, 0), Some(2.7)),
            // Dirty pages were deallocated.
            ((0, 0, 10), (5, 0, 0), Some(0.0)),
            ((5, 7, 3), (5, 9, 0), None),
        ];
        for ((a, b, c), (d, e, f), expected) in cases {
            let window = WriteWindow { from: mark(1, a, b, c), to: mark(2, d, e, f) };
            assert_eq!(window.write_amplification(16_384), expected, "{window:?}");
        }
    }

    #[test]
    fn jobs_together_have_the_window_of_all() {
        let mut window = WriteWindow { from: mark(5, 1, 1, 1), to: mark(6, 2, 2, 2) };
        window.merge(&WriteWindow { from: mark(4, 0, 0, 0), to: mark(9, 7, 7, 7) });
        assert_eq!((window.from, window.to), (mark(4, 0, 0, 0), mark(9, 7, 7, 7)));
        window.merge(&WriteWindow { from: mark(7, 6, 6, 6), to: mark(8, 6, 6, 6) });
        assert_eq!((window.from.at_ps, window.to.at_ps), (4, 9));
    }
}
