//! Alibaba: `device_id,opcode,offset,length,timestamp`. `opcode` is `R` or `W`, offset and length are bytes, the time is
//! microseconds.

use super::found::{fields_missing, number, stretch, Found};
use crate::fault::Wrong;
use crate::fields::commas;
use crate::record::{Kind, Raw, UNKNOWN};

const EXPECTED: &str = "device_id,opcode,offset,length,timestamp";

#[inline]
pub(super) fn line(line: &[u8]) -> Result<Found<'_>, Wrong<'_>> {
    let ([device, kind, offset, size, time], count) = commas::<5>(line);
    if count != 5 {
        return Err(fields_missing(line, EXPECTED));
    }
    if device == b"device_id" {
        return Ok(Found::Other);
    }
    number("device_id", device)?;
    let kind = match kind {
        b"R" => Kind::Read,
        b"W" => Kind::Write,
        found => return Err(Wrong::new("opcode", found, "R or W")),
    };
    let at = (number("offset", offset)?, offset);
    let (offset, length) = stretch(kind, at, (number("length", size)?, size))?;
    let ticks = number("timestamp", time)?;
    Ok(Found::Request(Raw { ticks, response_ns: UNKNOWN, kind, offset, length }, device))
}
