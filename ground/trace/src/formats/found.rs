//! What parsers find in a line, and the numbers that all of them read alike.

use crate::digits::whole;
use crate::fault::Wrong;
use crate::record::{Kind, Raw, MAX_DATA_BYTES};

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// A request to a volume of this name.
    Request(Raw, &'a [u8]),
    /// Something else that the format has: a heading, another event, a pause.
    Other,
}

/// A number of 64 bits.
#[inline]
pub(crate) fn number<'a>(field: &'static str, text: &'a [u8]) -> Result<u64, Wrong<'a>> {
    whole(text).ok_or_else(|| Wrong::new(field, text, "a whole number below 2^64"))
}

/// Bytes of that many sectors of 512.
#[inline]
pub(crate) fn sectors<'a>(field: &'static str, text: &'a [u8]) -> Result<u64, Wrong<'a>> {
    let sectors = number(field, text)?;
    sectors
        .checked_mul(512)
        .ok_or_else(|| Wrong::new(field, text, "sectors that end below 2^63 bytes"))
}

/// A stretch of bytes that a request of this kind may have; `offset` and `length` stand in these fields.
#[inline]
pub(crate) fn stretch<'a>(
    kind: Kind,
    (offset, offset_text): (u64, &'a [u8]),
    (length, length_text): (u64, &'a [u8]),
) -> Result<(u64, u64), Wrong<'a>> {
    if length == 0 {
        return Err(Wrong::new("size", length_text, "at least one byte"));
    }
    if kind != Kind::Trim && length > MAX_DATA_BYTES {
        return Err(Wrong::new("size", length_text, "at most 1 GiB"));
    }
    match offset.checked_add(length) {
        Some(end) if end < 1 << 63 => Ok((offset, length)),
        _ => Err(Wrong::new("offset", offset_text, "a request that ends below 2^63 bytes")),
    }
}

/// A line with another number of fields than the format has.
#[inline]
pub(crate) fn fields_missing<'a>(line: &'a [u8], expected: &'static str) -> Wrong<'a> {
    Wrong::new("line", crate::fields::trimmed(line), expected)
}
