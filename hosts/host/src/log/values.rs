//! A log of one value a request, or of one a window: fio's latency logs.

use report::Direction;

use super::line::{Entry, LineWriter};
use crate::job::WindowValue;

/// A log of values that requests have, such as their latency.
#[derive(Debug)]
pub(super) struct ValueLog {
    pub(super) lines: LineWriter,
    /// None if every request has its line.
    windows: Option<Windows>,
}

/// What the open window of each direction holds.
#[derive(Debug)]
struct Windows {
    length_ms: u64,
    told: WindowValue,
    open: [Window; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    since_ms: u64,
    count: u64,
    sum: u128,
    max: u64,
}

impl Window {
    /// The mean, rounded to the nearest, or the largest value.
    fn value(&self, told: WindowValue) -> u64 {
        let count = u128::from(self.count);
        match told {
            WindowValue::Mean => ((self.sum + count / 2) / count) as u64,
            WindowValue::Largest => self.max,
        }
    }
}

impl ValueLog {
    /// A log with a line a request, or a line a window of `window_ms` if that is not zero.
    pub(super) fn new(lines: LineWriter, window_ms: u64, told: WindowValue) -> Self {
        let windows = (window_ms > 0).then(|| Windows {
            length_ms: window_ms,
            told,
            open: [Window::default(); 3],
        });
        ValueLog { lines, windows }
    }

    /// A request completed that has `value`. As in fio, the request with which a window is over
    /// counts in it, and its time is the line's.
    #[inline]
    pub(super) fn record(&mut self, entry: &Entry, value: u64) {
        let Some(windows) = &mut self.windows else {
            self.lines.write(entry, value);
            return;
        };
        let window = &mut windows.open[entry.direction as usize];
        window.count += 1;
        window.sum += u128::from(value);
        window.max = window.max.max(value);
        if entry.at_ms >= window.since_ms + windows.length_ms {
            let value = window.value(windows.told);
            let since_ms = entry.at_ms - entry.at_ms % windows.length_ms;
            *window = Window { since_ms, ..Window::default() };
            self.lines.write(&Entry::of_window(entry.at_ms, entry.direction), value);
        }
    }

    /// The job ends: windows that hold something are told.
    pub(super) fn end(&mut self, at_ms: u64) {
        let Some(windows) = &mut self.windows else { return };
        for direction in Direction::ALL {
            let window = std::mem::take(&mut windows.open[direction as usize]);
            if window.count > 0 {
                let value = window.value(windows.told);
                self.lines.write(&Entry::of_window(at_ms, direction), value);
            }
        }
    }
}
