//! One stream of a trace: a file, or a member of an archive.

use std::io::Read;

use crate::event::Event;
use crate::fault::{Fault, Faults, Wrong};
use crate::fields::trimmed;
use crate::format::Format;
use crate::formats::blktrace::{self, Event48, Order, HEADER_BYTES};
use crate::formats::found::Found;
use crate::formats::{self, Memory};
use crate::lines::{Line, Lines};
use crate::record::Raw;

/// What stands before text in UTF-8 that some programs write.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A stream that is being read.
#[derive(Debug)]
pub(crate) struct Source {
    lines: Lines,
    format: Format,
    memory: Memory,
    /// Byte order of a binary trace.
    order: Option<Order>,
    /// Lines or binary records so far.
    line: u64,
    /// Records of it that were given.
    pub(crate) records: u64,
    faults: Faults,
    /// Its name, where the trace has several.
    name: Option<Box<str>>,
}

/// What becomes of a request.
pub(crate) trait Taker {
    /// What it is made to.
    type Taken;

    /// Takes a request to a volume of this name; none if it is not asked for.
    ///
    /// # Errors
    /// The first field that is not what it should be.
    fn take<'a>(&mut self, raw: &Raw, volume: &'a [u8]) -> Result<Option<Self::Taken>, Wrong<'a>>;
}

impl Source {
    pub(crate) fn new(input: Box<dyn Read>, format: Format) -> Self {
        let mut lines = Lines::new(input);
        if format.is_text() && lines.peek(BYTE_ORDER_MARK.len()) == BYTE_ORDER_MARK {
            lines.skip(BYTE_ORDER_MARK.len());
        }
        Source {
            lines,
            format,
            memory: Memory::default(),
            order: None,
            line: 0,
            records: 0,
            faults: Faults::default(),
            name: None,
        }
    }

    /// The same, with a name that its faults tell.
    pub(crate) fn named(self, name: &str) -> Self {
        Source { name: Some(name.into()), ..self }
    }

    pub(crate) fn lines(&self) -> u64 {
        self.line
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Whether it says when requests came.
    pub(crate) fn has_times(&self) -> bool {
        self.format != Format::Iolog || self.memory.has_times()
    }

    /// What is made of the next request; none at the end. What cannot be read is passed over and counted.
    #[inline]
    pub(crate) fn next<T: Taker>(&mut self, taker: &mut T) -> Option<T::Taken> {
        let taken = match self.format {
            Format::Blktrace(event) => self.next_binary(event, taker),
            _ => self.next_line(taker),
        };
        self.records += u64::from(taken.is_some());
        taken
    }

    #[inline]
    fn next_line<T: Taker>(&mut self, taker: &mut T) -> Option<T::Taken> {
        let Source { lines, format, memory, line, faults, .. } = self;
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
                Ok(Found::Request(raw, volume)) => taker.take(&raw, volume),
                Err(_) if is_comment(text) => continue,
                Err(wrong) => Err(wrong),
            };
            match read {
                Ok(Some(taken)) => return Some(taken),
                Ok(None) => {}
                Err(wrong) => faults.note(*line, &wrong),
            }
        }
    }

    fn next_binary<T: Taker>(&mut self, event: Event, taker: &mut T) -> Option<T::Taken> {
        let Source { lines, line, faults, order, .. } = self;
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
            let (taken, behind_bytes) = match blktrace::header(bytes, found, event) {
                Ok(Event48 { raw: None, behind_bytes, .. }) => (None, behind_bytes),
                Ok(Event48 { raw: Some(raw), behind_bytes, device, .. }) => {
                    let name = Name::of(device);
                    let taken = taker.take(&raw, name.bytes());
                    let taken = taken.unwrap_or_else(|wrong| {
                        faults.note(*line, &wrong);
                        None
                    });
                    (taken, behind_bytes)
                }
                Err((wrong, behind_bytes)) => {
                    faults.note(*line, &wrong);
                    (None, behind_bytes)
                }
            };
            pass(lines, HEADER_BYTES + behind_bytes);
            if taken.is_some() {
                return taken;
            }
        }
    }

    /// Notes why the stream is over, if it is so early, and to what its faults belong.
    #[cold]
    fn end(&mut self) {
        if let (Some(error), None) = (self.lines.error(), &self.faults.broken) {
            let found = error.to_string();
            let expected = "a file that goes on to its end";
            let line = self.line + 1;
            self.faults.broken = Some(Fault { line, field: "file", found, expected, of: None });
        }
    }

    /// Its faults, with its name.
    pub(crate) fn named_faults(&self) -> Faults {
        let mut faults = self.faults.clone();
        faults.first.iter_mut().chain(&mut faults.broken).for_each(|fault| {
            fault.of.clone_from(&self.name);
        });
        faults
    }
}

/// Whether nothing stands in a line, or a comment.
#[cold]
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(trimmed(line), [] | [b'#', ..])
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
