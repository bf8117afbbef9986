//! Reads a trace, one record after another.

use std::io::Read;

use crate::fault::{Fault, Faults, Wrong};
use crate::fields::trimmed;
use crate::format::{Event, Format};
use crate::formats::blktrace::{self, Event48, Order, HEADER_BYTES};
use crate::formats::{self, Found, Memory};
use crate::lines::{Line, Lines};
use crate::record::{Raw, Record, MAX_SPAN_NS};
use crate::volumes::Volumes;

/// A trace that is being read.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    format: Format,
    memory: Memory,
    /// Byte order of a binary trace.
    order: Option<Order>,
    clock: Clock,
    volumes: Volumes,
    /// Lines or binary records so far.
    line: u64,
    records: u64,
    faults: Faults,
}

/// Turns the times of a format into nanoseconds from the first record.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    tick_ns: u64,
    first_ticks: Option<u64>,
    latest_ns: u64,
    /// A second time that was too late for the first one. If the third is near to it, the first one was wrong.
    other_first: Option<u64>,
    /// Whether a second time was right.
    is_settled: bool,
    /// How often a time was earlier than one before, and by how much at most.
    back: u64,
    back_ns: u64,
}

impl Clock {
    /// Nanoseconds from the first record, never less than before; none if it is too long.
    #[inline]
    fn read(&mut self, ticks: u64) -> Option<u64> {
        let Some(first) = self.first_ticks else {
            self.first_ticks = Some(ticks);
            return Some(0);
        };
        let since_ns = ticks.saturating_sub(first).saturating_mul(self.tick_ns);
        if since_ns > MAX_SPAN_NS {
            return self.begin_anew(ticks);
        }
        self.is_settled = true;
        if since_ns < self.latest_ns || ticks < first {
            let missing = first.saturating_sub(ticks).saturating_mul(self.tick_ns);
            self.back += 1;
            self.back_ns = self.back_ns.max((self.latest_ns - since_ns).saturating_add(missing));
            return Some(self.latest_ns);
        }
        self.latest_ns = since_ns;
        Some(since_ns)
    }

    /// A time that is too late for the first one: with a first time that is decades too early, all others would be.
    #[cold]
    fn begin_anew(&mut self, ticks: u64) -> Option<u64> {
        let other = self.other_first.replace(ticks).filter(|_| !self.is_settled)?;
        let since_ns = ticks.checked_sub(other)?.checked_mul(self.tick_ns)?;
        if since_ns > MAX_SPAN_NS {
            return None;
        }
        (self.first_ticks, self.is_settled) = (Some(other), true);
        self.latest_ns = since_ns;
        Some(since_ns)
    }
}

impl Reader {
    /// Reads what comes out of `input`.
    pub fn new(input: Box<dyn Read>, format: Format) -> Self {
        Reader {
            lines: Lines::new(input),
            format,
            memory: Memory::default(),
            order: None,
            clock: Clock { tick_ns: format.tick_ns(), ..Clock::default() },
            volumes: Volumes::default(),
            line: 0,
            records: 0,
            faults: Faults::default(),
        }
    }

    /// The next record; none at the end. What cannot be read is passed over and counted.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Record> {
        let record = match self.format {
            Format::Blktrace(event) => self.next_binary(event),
            _ => self.next_line(),
        };
        self.records += u64::from(record.is_some());
        record
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Lines or binary records so far.
    pub fn lines(&self) -> u64 {
        self.line
    }

    /// What could not be read so far.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The volumes so far.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// How many times were earlier than one before them, and by how many nanoseconds at most.
    pub fn back(&self) -> (u64, u64) {
        (self.clock.back, self.clock.back_ns)
    }

    /// Whether the trace says when requests came. fio's version 2 need not.
    pub fn has_times(&self) -> bool {
        self.format != Format::Iolog || self.memory.has_times()
    }

    #[inline]
    fn next_line(&mut self) -> Option<Record> {
        let Reader { lines, format, memory, clock, volumes, line, faults, .. } = self;
        loop {
            let (start, end) = match lines.next_line() {
                Line::At { start, end } => (start, end),
                Line::TooLong { start, end } => {
                    *line += 1;
                    let found = lines.bytes(start, end);
                    faults.note(*line, &Wrong::new("line", found, "at most 65536 bytes"));
                    continue;
                }
                Line::End => {
                    self.end();
                    return None;
                }
            };
            *line += 1;
            let text = lines.bytes(start, end);
            let read = match formats::line(*format, text, memory) {
                Ok(Found::Other) => continue,
                Ok(Found::Request(raw, volume)) => place(&raw, volume, (clock, volumes)),
                Err(_) if trimmed(text).is_empty() => continue,
                Err(wrong) => Err(wrong),
            };
            match read {
                Ok(record) => return Some(record),
                Err(wrong) => faults.note(*line, &wrong),
            }
        }
    }

    fn next_binary(&mut self, event: Event) -> Option<Record> {
        let Reader { lines, clock, volumes, line, faults, order, .. } = self;
        loop {
            let bytes = lines.peek(HEADER_BYTES);
            if bytes.is_empty() {
                self.end();
                return None;
            }
            *line += 1;
            let found = Order::of(bytes);
            if bytes.len() < HEADER_BYTES {
                let count = bytes.len();
                faults.note(*line, &Wrong::new("record", bytes, "48 bytes and those behind them"));
                lines.skip(count);
                continue;
            }
            let Some(found) = found.filter(|found| *order.get_or_insert(*found) == *found) else {
                let expected = "0x65617407 in the byte order of the first record";
                faults.note(*line, &Wrong::new("magic number", &bytes[..4], expected));
                seek(lines, *order);
                continue;
            };
            let (read, behind_bytes) = match blktrace::header(bytes, found, event) {
                Ok(Event48 { raw: None, behind_bytes, .. }) => (Ok(None), behind_bytes),
                Ok(Event48 { raw: Some(raw), behind_bytes, device, .. }) => {
                    let name = Name::of(device);
                    match place(&raw, name.bytes(), (clock, volumes)) {
                        Ok(record) => (Ok(Some(record)), behind_bytes),
                        Err(wrong) => {
                            faults.note(*line, &wrong);
                            (Ok(None), behind_bytes)
                        }
                    }
                }
                Err((wrong, behind_bytes)) => (Err(Fault::new(*line, &wrong)), behind_bytes),
            };
            match read {
                Ok(record) => {
                    pass(lines, HEADER_BYTES + behind_bytes);
                    if record.is_some() {
                        return record;
                    }
                }
                Err(fault) => {
                    faults.keep(fault);
                    pass(lines, HEADER_BYTES + behind_bytes);
                }
            }
        }
    }

    /// Notes why the stream is over, if it is so early.
    #[cold]
    fn end(&mut self) {
        if let (Some(error), None) = (self.lines.error(), &self.faults.broken) {
            let found = error.to_string();
            let expected = "a file that goes on to its end";
            self.faults.broken =
                Some(Fault { line: self.line + 1, field: "file", found, expected });
        }
    }
}

/// Puts a request into time and among volumes.
#[inline]
fn place<'a>(
    raw: &Raw,
    volume: &'a [u8],
    (clock, volumes): (&mut Clock, &mut Volumes),
) -> Result<Record, Wrong<'a>> {
    let Some(number) = volumes.number(volume) else {
        let expected = "at most 65536 volumes, with names of at most 256 bytes";
        return Err(Wrong::new("volume", volume, expected));
    };
    let Some(time_ns) = clock.read(raw.ticks) else {
        return Err(Wrong::new(
            "time",
            b"one that is too late",
            "one within 106 days of the first",
        ));
    };
    let Raw { response_ns, kind, offset, length, .. } = *raw;
    Ok(Record { time_ns, response_ns, volume: number, kind, offset, length })
}

/// Passes over so many bytes.
fn pass(lines: &mut Lines, mut count: usize) {
    while count > 0 {
        let there = lines.peek(count.min(1 << 15)).len();
        if there == 0 {
            return;
        }
        lines.skip(there);
        count -= there;
    }
}

/// Passes over bytes until a magic number stands there, or nothing.
fn seek(lines: &mut Lines, order: Option<Order>) {
    lines.skip(1);
    loop {
        let bytes = lines.peek(1 << 15);
        let is_magic = |window: &[u8]| {
            Order::of(window).is_some_and(|found| order.is_none_or(|order| order == found))
        };
        if bytes.len() < 4 {
            let count = bytes.len();
            lines.skip(count);
            return;
        }
        if let Some(at) = bytes.windows(4).position(is_magic) {
            lines.skip(at);
            return;
        }
        let count = bytes.len() - 3;
        lines.skip(count);
    }
}

/// A device as `blkparse` has it: major and minor number.
struct Name {
    text: [u8; 16],
    length: usize,
}

impl Name {
    fn of(device: u32) -> Self {
        use std::io::Write;
        let mut name = Name { text: [0; 16], length: 0 };
        let mut rest = &mut name.text[..];
        let room = rest.len();
        // At most 4 and 7 digits.
        write!(rest, "{},{}", device >> 20, device & 0xf_ffff).expect("it fits");
        name.length = room - rest.len();
        name
    }

    fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }
}
