//! MQSim: five numbers between blanks, which are arrival time in nanoseconds, device number, first sector of 512 bytes,
//! sectors, and 0 for a write or 1 for a read.

use super::found::{fields_missing, number, sectors, stretch, Found};
use crate::fault::Wrong;
use crate::fields::Words;
use crate::record::{Kind, Raw, UNKNOWN};

const EXPECTED: &str =
    "arrival time, device, first sector, sectors, and 0 for a write or 1 for a read";

#[inline]
pub(super) fn line(line: &[u8]) -> Result<Found<'_>, Wrong<'_>> {
    let mut words = Words::new(line);
    let [time, device, offset, size, kind] = std::array::from_fn(|_| words.next());
    if kind.is_empty() || !words.rest().is_empty() {
        return Err(fields_missing(line, EXPECTED));
    }
    let ticks = number("arrival time", time)?;
    number("device", device)?;
    let at = (sectors("first sector", offset)?, offset);
    let bytes = (sectors("sectors", size)?, size);
    let kind = match kind {
        b"0" => Kind::Write,
        b"1" => Kind::Read,
        found => return Err(Wrong::new("type", found, "0 for a write or 1 for a read")),
    };
    let (offset, length) = stretch(kind, at, bytes)?;
    Ok(Found::Request(Raw { ticks, response_ns: UNKNOWN, kind, offset, length }, device))
}
