//! MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Times are "Windows filetime", units of
//! 100 ns; `Type` is `Read` or `Write`; offset and size are bytes. A volume is host and disk together.

use super::found::{fields_missing, number, stretch, Found};
use crate::fault::Wrong;
use crate::fields::{commas, span};
use crate::record::{Kind, Raw};

const EXPECTED: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

#[inline]
pub(super) fn line(line: &[u8]) -> Result<Found<'_>, Wrong<'_>> {
    let ([time, host, disk, kind, offset, size, response], count) = commas::<7>(line);
    if count != 7 {
        return Err(fields_missing(line, EXPECTED));
    }
    if time == b"Timestamp" {
        return Ok(Found::Other);
    }
    let ticks = number("Timestamp", time)?;
    let kind = match kind {
        b"Read" | b"read" | b"R" => Kind::Read,
        b"Write" | b"write" | b"W" => Kind::Write,
        found => return Err(Wrong::new("Type", found, "Read or Write")),
    };
    let at = (number("Offset", offset)?, offset);
    let (offset, length) = stretch(kind, at, (number("Size", size)?, size))?;
    let response_ns = number("ResponseTime", response)?.saturating_mul(100).min(u64::MAX - 1);
    Ok(Found::Request(Raw { ticks, response_ns, kind, offset, length }, span(line, host, disk)))
}
