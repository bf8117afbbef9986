//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size`. `Timestamp` is Unix time in seconds with a fraction, of
//! which the README says that it is accurate to the microsecond; `Response` is seconds and may be missing; `IOType` is
//! `R` or `W`, and blank in requests that are neither, which cannot be replayed; offset and size are bytes.

use super::found::{fields_missing, number, stretch, Found};
use crate::digits::seconds_ns;
use crate::fault::Wrong;
use crate::fields::commas;
use crate::record::{Kind, Raw, UNKNOWN};

const EXPECTED: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

#[inline]
pub(super) fn line(line: &[u8]) -> Result<Found<'_>, Wrong<'_>> {
    let ([time, response, kind, unit, offset, size], count) = commas::<6>(line);
    if count != 6 {
        return Err(fields_missing(line, EXPECTED));
    }
    if time == b"Timestamp" {
        return Ok(Found::Other);
    }
    let seconds = |field, text| {
        seconds_ns(text).ok_or_else(|| Wrong::new(field, text, "seconds such as 1456135200.013118"))
    };
    let ticks = seconds("Timestamp", time)?;
    let response_ns = match response {
        b"" => UNKNOWN,
        response => seconds("Response", response)?,
    };
    let kind = match kind {
        b"R" => Kind::Read,
        b"W" => Kind::Write,
        found => return Err(Wrong::new("IOType", found, "R or W")),
    };
    let at = (number("Offset", offset)?, offset);
    let (offset, length) = stretch(kind, at, (number("Size", size)?, size))?;
    Ok(Found::Request(Raw { ticks, response_ns, kind, offset, length }, unit))
}
