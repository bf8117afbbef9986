//! What is in a trace.

use crate::fault::{Fault, Faults};
use crate::reader::Reader;
use crate::record::{Kind, Record, UNKNOWN};
use crate::regions::Regions;
use crate::summary::{Course, Gaps, Lengths, Seconds};
use crate::volumes::Volumes;

/// Requests before a request among which the one that it follows on is looked for.
pub(crate) const STREAMS: usize = 32;

/// Requests of one kind.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    /// How many.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of trims only the sum of bytes is kept.
    pub lengths: Lengths,
    /// Those that begin where the request before them in their volume ends.
    pub sequential: u64,
    /// Those that begin where one of the 32 requests before them ends.
    pub streaming: u64,
}

/// What happens at a line that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// It is counted.
    Lenient,
    /// Reading ends with it.
    Strict,
}

/// What one volume needs and gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeSum {
    /// Requests with an address.
    pub requests: u64,
    /// The first byte that was touched; the end of all if none was.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
    /// The end of its last request.
    last_end: u64,
}

/// The statistics of a trace, gathered in bounded memory.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// By [`Kind`], in the order of [`Kind::ALL`].
    pub kinds: [Distribution; 4],
    /// The volumes, by number.
    pub volumes: Vec<VolumeSum>,
    /// Their names.
    pub names: Volumes,
    /// Which parts were touched.
    pub regions: Regions,
    /// Times between arrivals.
    pub gaps: Gaps,
    /// Response times, where the trace tells them.
    pub responses: Gaps,
    /// Reads and writes over time.
    pub course: Course,
    /// From the first to the last arrival.
    pub span_ns: u64,
    /// The most bytes of a read or a write.
    pub max_data_bytes: u64,
    /// Lines or binary records.
    pub lines: u64,
    /// What could not be read.
    pub faults: Faults,
    /// Times that were earlier than one before them, and by how many nanoseconds at most.
    pub back: (u64, u64),
    /// Whether the trace says when requests came.
    pub has_times: bool,
    seconds: Seconds,
    /// Volume and end of the last requests with an address.
    recent: [(u32, u64); STREAMS],
    /// Records so far.
    nth: usize,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            kinds: Default::default(),
            volumes: Vec::new(),
            names: Volumes::default(),
            regions: Regions::default(),
            gaps: Gaps::default(),
            responses: Gaps::default(),
            course: Course::default(),
            span_ns: 0,
            max_data_bytes: 0,
            lines: 0,
            faults: Faults::default(),
            back: (0, 0),
            has_times: true,
            seconds: Seconds::default(),
            recent: [(u32::MAX, u64::MAX); STREAMS],
            nth: 0,
        }
    }
}

impl Statistics {
    /// Reads a trace to its end. `look` is called with each record; it may end the reading.
    ///
    /// # Errors
    /// When it is strict: the first line that cannot be read.
    pub fn gather(
        reader: &mut Reader,
        strictness: Strictness,
        mut look: impl FnMut(&Record) -> bool,
    ) -> Result<Self, Fault> {
        let mut statistics = Statistics::default();
        while let Some(record) = reader.next() {
            statistics.record(&record);
            if strictness == Strictness::Strict && !reader.is_good() || !look(&record) {
                break;
            }
        }
        if let (Strictness::Strict, Some(fault)) = (strictness, reader.faults().fatal()) {
            return Err(fault.clone());
        }
        statistics.finish();
        statistics.lines = reader.lines();
        statistics.names = reader.volumes().clone();
        statistics.faults = reader.faults();
        statistics.back = reader.back();
        statistics.has_times = reader.has_times();
        Ok(statistics)
    }

    /// Takes note of a record. Times do not go back.
    #[inline]
    pub fn record(&mut self, record: &Record) {
        let &Record { time_ns, response_ns, volume, kind, offset, length } = record;
        if self.nth > 0 {
            self.gaps.record(time_ns - self.span_ns);
        }
        self.nth += 1;
        self.span_ns = time_ns;
        self.seconds.record(time_ns);
        if response_ns != UNKNOWN {
            self.responses.record(response_ns);
        }
        let sums = &mut self.kinds[kind as usize];
        sums.requests += 1;
        sums.bytes = sums.bytes.saturating_add(length);
        if kind == Kind::Flush {
            return;
        }
        if self.volumes.len() <= volume as usize {
            self.volumes.resize(volume as usize + 1, VolumeSum::NONE);
        }
        let place = &mut self.volumes[volume as usize];
        sums.sequential += u64::from(place.last_end == offset);
        place.requests += 1;
        place.start = place.start.min(offset);
        place.end = place.end.max(record.end());
        place.last_end = record.end();
        let before = (volume, offset);
        sums.streaming += u64::from(self.recent.contains(&before));
        self.recent[self.nth % STREAMS] = (volume, record.end());
        if kind != Kind::Trim {
            sums.lengths.record(length);
            self.max_data_bytes = self.max_data_bytes.max(length);
            self.regions.touch(record);
            self.course.record(time_ns, kind as usize);
        }
    }

    /// Closes what is open, after the last record.
    pub fn finish(&mut self) {
        self.kinds.iter_mut().for_each(|kind| kind.lengths.finish());
    }

    /// Requests of all kinds.
    pub fn requests(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.requests).sum()
    }

    /// Reads and writes.
    pub fn data_requests(&self) -> u64 {
        self.of(Kind::Read).requests + self.of(Kind::Write).requests
    }

    /// Bytes of reads and writes.
    pub fn data_bytes(&self) -> u64 {
        self.of(Kind::Read).bytes.saturating_add(self.of(Kind::Write).bytes)
    }

    /// Requests of one kind.
    pub fn of(&self, kind: Kind) -> &Distribution {
        &self.kinds[kind as usize]
    }

    /// The share of reads and writes that begin where the one before them in their volume ends, and where one of the
    /// 32 before ends; 0 to 1.
    pub fn sequential(&self) -> (f64, f64) {
        let all = self.data_requests().max(1) as f64;
        let sum = |of: fn(&Distribution) -> u64| {
            (of(self.of(Kind::Read)) + of(self.of(Kind::Write))) as f64 / all
        };
        (sum(|kind| kind.sequential), sum(|kind| kind.streaming))
    }

    /// The share of requests, 0 to 1, that the most popular `share` of the touched regions get, at least one region.
    pub fn skew(&self, share: f64) -> f64 {
        let counts = self.regions.counts();
        let many = (counts.len() as f64 * share).ceil() as usize;
        let all: u64 = counts.iter().sum();
        counts[..many.min(counts.len())].iter().sum::<u64>() as f64 / all.max(1) as f64
    }

    /// Mean requests a second, and the most of any second.
    pub fn rates(&self) -> (f64, u64) {
        let seconds = self.span_ns as f64 / 1e9;
        let mean = if seconds > 0.0 { self.gaps.count() as f64 / seconds } else { 0.0 };
        (mean, self.seconds.peak())
    }

    /// Variance over mean of the requests of each second: 1 for a Poisson process; none for less than two seconds.
    pub fn dispersion(&self) -> Option<f64> {
        self.seconds.dispersion()
    }

    /// The byte behind the last that any volume needs.
    pub fn end(&self) -> u64 {
        self.volumes.iter().map(|volume| volume.end).max().unwrap_or(0)
    }
}

impl VolumeSum {
    const NONE: VolumeSum = VolumeSum { requests: 0, start: u64::MAX, end: 0, last_end: u64::MAX };
}
