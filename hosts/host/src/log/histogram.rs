//! fio's histogram log: completion latencies by window, in fio's own bins.

use super::file::LogFile;
use super::line::Entry;

/// fio's `FIO_IO_U_PLAT_BITS`: bins of a doubling of latency are two to the power of this.
const BITS: u32 = 6;
/// fio's `FIO_IO_U_PLAT_GROUP_NR`: groups of so many bins.
const GROUPS: usize = 29;
/// Bins of a histogram.
pub(super) const BINS: usize = GROUPS << BITS;

/// The bin of a latency. Below 128 ns each has its own; above, each doubling has 64.
fn bin(latency_ns: u64) -> usize {
    let top = u64::BITS - latency_ns.leading_zeros();
    let group = top.saturating_sub(BITS + 1);
    let within = (latency_ns >> group) as usize;
    (((group as usize) << BITS) + within).min(BINS - 1)
}

/// A log of one histogram a window.
#[derive(Debug)]
pub(super) struct HistogramLog {
    file: LogFile,
    window_ms: u64,
    /// Two to the power of this many bins are told as one.
    coarseness: u32,
    /// What is added to all times.
    pub(super) shift_ms: u64,
    open: [Window; 3],
    /// The text of a line before it is written.
    line: String,
}

/// What completed in one direction since the last line.
#[derive(Debug)]
struct Window {
    since_ms: u64,
    counts: Vec<u32>,
}

/// A histogram log to make.
pub(super) struct HistogramPlan {
    pub(super) file: LogFile,
    pub(super) window_ms: u64,
    pub(super) coarseness: u32,
}

impl HistogramLog {
    /// A log of windows that are not of zero length.
    pub(super) fn new(plan: HistogramPlan) -> Self {
        let HistogramPlan { file, window_ms, coarseness } = plan;
        let open = [0; 3].map(|since_ms| Window { since_ms, counts: vec![0; BINS] });
        HistogramLog { file, window_ms, coarseness, shift_ms: 0, open, line: String::new() }
    }

    /// A request completed. As in fio, the one with which a window is over counts in it and lends
    /// the line its block size, and the last, unfinished window is not told.
    #[inline]
    pub(super) fn record(&mut self, entry: &Entry, clat_ns: u64) {
        let window = &mut self.open[entry.direction as usize];
        window.counts[bin(clat_ns)] += 1;
        let passed_ms = entry.at_ms - window.since_ms;
        if passed_ms >= self.window_ms {
            window.since_ms = entry.at_ms - passed_ms % self.window_ms;
            self.tell(entry);
        }
    }

    #[cold]
    fn tell(&mut self, entry: &Entry) {
        let Entry { at_ms, direction, bytes, .. } = *entry;
        let counts = &mut self.open[direction as usize].counts;
        self.line.clear();
        for group in counts.chunks(1 << self.coarseness) {
            self.line.push_str(", ");
            self.line.push_str(&group.iter().sum::<u32>().to_string());
        }
        counts.fill(0);
        let (at_ms, line) = (at_ms + self.shift_ms, &self.line);
        self.file.write(format_args!("{at_ms}, {}, {bytes}{line}\n", direction as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_fio() {
        // Bounds as fio's documentation of its histogram has them: each doubling has 64 bins.
        let rows = [
            (0, 0),
            (1, 1),
            (127, 127),
            (128, 128),
            (129, 128),
            (130, 129),
            (255, 191),
            (256, 192),
            (259, 192),
            (260, 193),
            (1 << 34, BINS - 1),
            (u64::MAX, BINS - 1),
        ];
        for (latency_ns, expected) in rows {
            assert_eq!(bin(latency_ns), expected, "{latency_ns} ns");
        }
    }

    #[test]
    fn bins_never_go_back() {
        let bins: Vec<usize> =
            (0..40).flat_map(|s| [1u64 << s, (1 << s) + (1 << s) / 3]).map(bin).collect();
        assert!(bins.windows(2).all(|pair| pair[0] <= pair[1]), "{bins:?}");
    }
}
