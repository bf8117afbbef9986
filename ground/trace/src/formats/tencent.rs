//! Tencent: `Timestamp,Offset,Size,IOType,VolumeID`. The time is Unix time in whole seconds, offset and size are sectors of
//! 512 bytes, `IOType` is 0 for reads and 1 for writes.

use super::found::{fields_missing, number, sectors, stretch, Found};
use crate::fault::Wrong;
use crate::fields::commas;
use crate::record::{Kind, Raw, UNKNOWN};

const EXPECTED: &str = "Timestamp,Offset,Size,IOType,VolumeID";

#[inline]
pub(super) fn line(line: &[u8]) -> Result<Found<'_>, Wrong<'_>> {
    let ([time, offset, size, kind, volume], count) = commas::<5>(line);
    if count != 5 {
        return Err(fields_missing(line, EXPECTED));
    }
    if time == b"Timestamp" {
        return Ok(Found::Other);
    }
    let ticks = number("Timestamp", time)?;
    let at = (sectors("Offset", offset)?, offset);
    let bytes = (sectors("Size", size)?, size);
    let kind = match kind {
        b"0" => Kind::Read,
        b"1" => Kind::Write,
        found => return Err(Wrong::new("IOType", found, "0 or 1")),
    };
    number("VolumeID", volume)?;
    let (offset, length) = stretch(kind, at, bytes)?;
    Ok(Found::Request(Raw { ticks, response_ns: UNKNOWN, kind, offset, length }, volume))
}
