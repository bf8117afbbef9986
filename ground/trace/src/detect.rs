//! Which format a trace has, found from its beginning.

use crate::event::Event;
use crate::fields::trimmed;
use crate::format::Format;
use crate::formats::blktrace::{self, Order, HEADER_BYTES};
use crate::formats::found::Found;
use crate::formats::{self, Memory};
use crate::source::{is_comment, BYTE_ORDER_MARK};

/// Lines that are looked at.
const LINES: u32 = 200;
/// The earliest and the latest Unix time, in seconds, for which five bare numbers are taken for Tencent's: 2001 to 2065.
const UNIX_TIMES: std::ops::Range<u64> = 1_000_000_000..3_000_000_000;

/// A format, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The format that reads the most of the first lines, or that was asked for.
    pub format: Format,
    /// Lines or binary records at the beginning that it reads; none if the format was asked for.
    pub read: Option<u32>,
    /// So many were looked at.
    pub of: u32,
}

/// Why no format was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undetected {
    /// There is nothing.
    Empty,
    /// No format reads at least half of the lines.
    None,
    /// Several formats read them.
    Several(Format, Format),
}

/// Finds the format of a trace that begins with `sample`.
///
/// A format is taken if it reads at least half of the first lines, and no other reads more than a tenth of what it
/// reads.
pub(crate) fn detect(sample: &[u8]) -> Result<Detected, Undetected> {
    if sample.is_empty() {
        return Err(Undetected::Empty);
    }
    if Order::of(sample).is_some() {
        let format = Format::Blktrace(event_of_binary(sample));
        let read = sample.len() / HEADER_BYTES;
        let count = (read as u32).clamp(1, LINES);
        return Ok(Detected { format, read: Some(count), of: count });
    }
    let mut counts: Vec<(u32, Format)> = Format::all()
        .filter(|format| format.is_text())
        .map(|format| (readable(sample, format), format))
        .collect();
    counts.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    let of = lines(sample).count() as u32;
    let [(best, format), (second, other)] = [counts[0], counts[1]];
    if of == 0 {
        return Err(Undetected::Empty);
    }
    if best == 0 || best * 2 < of {
        return Err(Undetected::None);
    }
    if second * 10 > best {
        return Err(Undetected::Several(format, other));
    }
    let format = format.by(event_of_text(sample, format));
    Ok(Detected { format, read: Some(best), of })
}

/// As [`detect`], of a format that is known: its event is still to be found.
pub(crate) fn settle(sample: &[u8], format: Format) -> Detected {
    let format = match format {
        Format::Blktrace(_) => format.by(event_of_binary(sample)),
        format => format.by(event_of_text(sample, format)),
    };
    Detected { format, read: None, of: 0 }
}

/// Whether a format that is asked for reads at least half of the first lines, as it has to where files are chosen by it.
pub(crate) fn is_read_by(sample: &[u8], format: Format) -> bool {
    match format {
        Format::Blktrace(_) => Order::of(sample).is_some(),
        format => {
            let mut memory = Memory::default();
            let mut is_read = |line| formats::line(format, line, &mut memory).is_ok();
            let (all, read) =
                (lines(sample).count(), lines(sample).filter(|line| is_read(line)).count());
            read > 0 && read * 2 >= all
        }
    }
}

/// The first lines that are not blank, and no comments. The last line of a sample may be cut off, and counts only if it is the only one.
fn lines(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    let sample = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    let whole = match memchr::memrchr(b'\n', sample) {
        Some(end) => &sample[..end],
        None => sample,
    };
    let lines = whole.split(|&byte| byte == b'\n').map(trimmed);
    lines.filter(|line| !is_comment(line)).take(LINES as usize)
}

fn readable(sample: &[u8], format: Format) -> u32 {
    let mut memory = Memory::default();
    let mut read = 0;
    for line in lines(sample) {
        match formats::line(format, line, &mut memory) {
            Ok(Found::Request(raw, _)) => {
                let is_sure = match format {
                    Format::Tencent => UNIX_TIMES.contains(&raw.ticks),
                    Format::Layout(layout, _) => layout.is_sure(line, memory.layout()),
                    _ => true,
                };
                read += u32::from(is_sure);
            }
            Ok(Found::Other) => read += 1,
            // Without its first line nothing is a log of fio's.
            Err(_) if format == Format::Iolog && read == 0 => return 0,
            Err(_) => {}
        }
    }
    read
}

/// The event by which requests of a text trace are to be read: `Q`, or `D` if there is no `Q` at the beginning.
fn event_of_text(sample: &[u8], format: Format) -> Event {
    if format.event().is_none() {
        return Event::Queue;
    }
    let has = |event| {
        let mut memory = Memory::default();
        let is_request = |line| {
            let found = formats::line(format.by(event), line, &mut memory);
            matches!(found, Ok(Found::Request(..)))
        };
        lines(sample).any(is_request)
    };
    if !has(Event::Queue) && has(Event::Issue) {
        Event::Issue
    } else {
        Event::Queue
    }
}

/// As [`event_of_text`], of a binary trace.
fn event_of_binary(sample: &[u8]) -> Event {
    let Some(order) = Order::of(sample) else { return Event::Queue };
    let (mut queue, mut issue) = (false, false);
    let mut rest = sample;
    while rest.len() >= HEADER_BYTES && Order::of(rest).is_some() {
        let behind_bytes = match blktrace::header(rest, order, Event::Queue) {
            Ok(event) => {
                queue |= blktrace::is_event(event.action, Event::Queue);
                issue |= blktrace::is_event(event.action, Event::Issue);
                event.behind_bytes
            }
            Err((_, behind_bytes)) => behind_bytes,
        };
        rest = rest.get(HEADER_BYTES + behind_bytes..).unwrap_or_default();
    }
    if issue && !queue {
        Event::Issue
    } else {
        Event::Queue
    }
}
