//! fio's log of requests: `filename action offset length`, in version 3 with a time in microseconds before it. The first
//! line tells the version. Version 2 has no times but those that `wait` tells, each in microseconds after the `wait`
//! before it ("Trace file format v2" in fio's documentation).

use super::found::{fields_missing, number, stretch, Found};
use crate::fault::Wrong;
use crate::fields::{trimmed, Words};
use crate::record::{Kind, Raw, UNKNOWN};

/// First line of version 2.
pub(crate) const VERSION_2: &[u8] = b"fio version 2 iolog";
/// First line of version 3.
pub(crate) const VERSION_3: &[u8] = b"fio version 3 iolog";

/// What the first line said, and what has passed since.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Version {
    /// No first line yet.
    #[default]
    Unknown,
    /// Times are sums of pauses.
    Two { waited: u64 },
    /// Each line has its time.
    Three,
}

impl Version {
    /// Whether there were times: a log of version 2 without pauses has none.
    pub(super) fn has_times(&self) -> bool {
        !matches!(self, Version::Two { waited: 0 })
    }
}

#[inline]
pub(super) fn line<'a>(line: &'a [u8], version: &mut Version) -> Result<Found<'a>, Wrong<'a>> {
    match version {
        Version::Three => {
            let mut words = Words::new(line);
            let time = words.next();
            let ticks = number("timestamp", time)?;
            let (file, action) = (words.next(), words.next());
            match action {
                b"" => Err(fields_missing(line, "timestamp filename action offset length")),
                b"wait" => {
                    Err(Wrong::new("action", action, "an action of version 3, which has no wait"))
                }
                action => request(line, (ticks, file, action), &mut words),
            }
        }
        Version::Two { waited } => {
            let mut words = Words::new(line);
            let (file, action) = (words.next(), words.next());
            match action {
                b"" => Err(fields_missing(line, "filename action offset length")),
                b"wait" => {
                    let pause = words.next();
                    *waited = waited.saturating_add(number("offset", pause)?);
                    Ok(Found::Other)
                }
                action => request(line, (*waited, file, action), &mut words),
            }
        }
        Version::Unknown => {
            *version = match trimmed(line) {
                VERSION_2 => Version::Two { waited: 0 },
                VERSION_3 => Version::Three,
                _ => {
                    let expected =
                        "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line";
                    return Err(fields_missing(line, expected));
                }
            };
            Ok(Found::Other)
        }
    }
}

#[inline]
fn request<'a>(
    line: &'a [u8],
    (ticks, file, action): (u64, &'a [u8], &'a [u8]),
    words: &mut Words<'a>,
) -> Result<Found<'a>, Wrong<'a>> {
    let kind = match action {
        b"read" => Kind::Read,
        b"write" => Kind::Write,
        b"trim" => Kind::Trim,
        b"sync" | b"datasync" => Kind::Flush,
        b"add" | b"open" | b"close" => return Ok(Found::Other),
        found => {
            let expected = "add, open, close, read, write, trim, sync, datasync or wait";
            return Err(Wrong::new("action", found, expected));
        }
    };
    if kind == Kind::Flush {
        let raw = Raw { ticks, response_ns: UNKNOWN, kind, offset: 0, length: 0 };
        return Ok(Found::Request(raw, file));
    }
    let (offset, length) = (words.next(), words.next());
    if length.is_empty() || !words.rest().is_empty() {
        return Err(fields_missing(line, "offset and length after the action"));
    }
    let at = (number("offset", offset)?, offset);
    let (offset, length) = stretch(kind, at, (number("length", length)?, length))?;
    Ok(Found::Request(Raw { ticks, response_ns: UNKNOWN, kind, offset, length }, file))
}
