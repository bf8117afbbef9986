//! Reads the table at each multiple of the period, and writes what happened.

use std::io::{self, Write};

use serde::Serialize;

use crate::header::Header;
use crate::history::History;
use crate::interval::{Interval, Rates};
use crate::period::Period;
use crate::table::Table;

/// A line after the first.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    interval: &'a Interval,
    rates: Rates,
}

/// Writes the lines of one run, each as soon as it is known.
pub struct Sampler {
    out: Box<dyn Write>,
    period: Period,
    page_bytes: u32,
    origin_ps: u64,
    /// Start of the interval under way, in the drive's time.
    from_ps: u64,
    last: Table,
    history: History,
    text: Vec<u8>,
    /// The first fault of `out`. The run goes on; nothing more is written.
    fault: Option<io::Error>,
}

impl Sampler {
    /// A sampler that writes to `out`, each line at once: `out` should not buffer.
    pub fn new(out: Box<dyn Write>, period: Period) -> Self {
        Sampler {
            out,
            period,
            page_bytes: 0,
            origin_ps: 0,
            from_ps: 0,
            last: Table::default(),
            history: History::new(),
            text: Vec::new(),
            fault: None,
        }
    }

    /// Virtual time between two readings.
    pub fn period(&self) -> Period {
        self.period
    }

    /// The first job starts, with the table as it is.
    pub fn start(&mut self, header: &Header, table: Table) {
        self.page_bytes = header.page_bytes;
        (self.origin_ps, self.from_ps) = (table.now_ps, table.now_ps);
        self.last = table;
        self.write(header);
    }

    /// The drive's time at which the table has to be read next.
    pub fn due_ps(&self) -> u64 {
        self.from_ps.saturating_add(self.period.as_ps())
    }

    /// Takes the table that was read when it was due, or at the end of the turn in which it became
    /// so. Where a turn spans several periods, the first has all that was counted.
    pub fn sample(&mut self, table: &Table) {
        while self.due_ps() <= table.now_ps {
            self.close(self.due_ps(), table);
        }
    }

    /// The last job is over: what is left of the last interval is a line as well.
    pub fn end(&mut self, table: &Table) {
        self.sample(table);
        if table.now_ps > self.last.now_ps {
            self.close(table.now_ps, table);
        }
    }

    /// Ends the sampling; what it saw, for reports.
    ///
    /// # Errors
    /// The first one of writing.
    pub fn finish(self) -> io::Result<History> {
        match self.fault {
            None => Ok(self.history),
            Some(error) => Err(error),
        }
    }

    /// What was seen so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    fn close(&mut self, to_ps: u64, table: &Table) {
        let interval = Interval {
            from_ps: self.from_ps - self.origin_ps,
            to_ps: to_ps - self.origin_ps,
            seen_ps: table.now_ps - self.origin_ps,
            span_ps: table.now_ps - self.last.now_ps,
            counts: table.counts.since(&self.last.counts),
        };
        self.from_ps = to_ps;
        self.last.clone_from(table);
        self.write(&Line { interval: &interval, rates: interval.rates(self.page_bytes) });
        self.history.push(interval);
    }

    fn write(&mut self, line: &impl Serialize) {
        if self.fault.is_some() {
            return;
        }
        self.text.clear();
        let written = serde_json::to_writer(&mut self.text, line).map_err(io::Error::from);
        self.text.push(b'\n');
        // One call a line: whoever follows the file seldom sees half of one.
        let written = written.and_then(|()| self.out.write_all(&self.text));
        self.fault = written.and_then(|()| self.out.flush()).err();
    }
}
