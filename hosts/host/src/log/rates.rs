//! A log of a rate: fio's bandwidth and IOPS logs.

use report::Direction;

use super::line::{Entry, LineWriter};

const MS_PER_SECOND: u64 = 1000;

/// Which rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateKind {
    /// KiB a second.
    Bandwidth,
    /// Requests a second.
    Iops,
}

/// A log of a rate by window, or request by request.
#[derive(Debug)]
pub(super) struct RateLog {
    pub(super) lines: LineWriter,
    kind: RateKind,
    window_ms: u64,
    window_end_ms: u64,
    /// Bytes or requests of the open window, by direction.
    amounts: [u64; 3],
}

impl RateLog {
    /// A log with a line a request, or a line a window of `window_ms` if that is not zero.
    pub(super) fn new(lines: LineWriter, kind: RateKind, window_ms: u64) -> Self {
        RateLog { lines, kind, window_ms, window_end_ms: window_ms, amounts: [0; 3] }
    }

    /// A request completed after `clat_ns`. As in fio, a single request's bandwidth is its size over
    /// its completion latency, in kB a second, and its IOPS are 1.
    #[inline]
    pub(super) fn record(&mut self, entry: &Entry, clat_ns: u64) {
        if self.window_ms == 0 {
            let value = match self.kind {
                RateKind::Bandwidth => (entry.bytes * 1_000_000).checked_div(clat_ns).unwrap_or(0),
                RateKind::Iops => 1,
            };
            self.lines.write(entry, value);
            return;
        }
        self.close_windows(entry.at_ms);
        self.amounts[entry.direction as usize] += match self.kind {
            RateKind::Bandwidth => entry.bytes,
            RateKind::Iops => 1,
        };
    }

    /// Tells the window that is over by `now_ms`. As in fio, there is no line where nothing completed,
    /// nor for the last, unfinished window.
    pub(super) fn close_windows(&mut self, now_ms: u64) {
        if self.window_ms == 0 || now_ms < self.window_end_ms {
            return;
        }
        for direction in Direction::ALL {
            let amount = std::mem::take(&mut self.amounts[direction as usize]);
            if amount > 0 {
                let a_second = amount * MS_PER_SECOND / self.window_ms;
                let value = match self.kind {
                    RateKind::Bandwidth => a_second / 1024,
                    RateKind::Iops => a_second,
                };
                self.lines.write(&Entry::of_window(self.window_end_ms, direction), value);
            }
        }
        self.window_end_ms = now_ms - now_ms % self.window_ms + self.window_ms;
    }
}
