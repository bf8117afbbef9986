//! One parser a format: from a line to what it says of a request.

mod alibaba;
mod blkparse;
pub(crate) mod blktrace;
mod iolog;
pub(crate) mod letters;
mod mqsim;
mod msr;
mod systor;
mod tencent;

use crate::digits::whole;
use crate::fault::Wrong;
use crate::format::Format;
use crate::layout::Heading;
use crate::record::{Kind, Raw, MAX_DATA_BYTES};

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// A request to a volume of this name.
    Request(Raw, &'a [u8]),
    /// Something else that the format has: a heading, another event, a pause.
    Other,
}

/// What a format has to remember from line to line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    iolog: iolog::Version,
    blkparse: blkparse::Part,
    layout: Heading,
}

impl Memory {
    /// Whether the trace says when requests came.
    pub(crate) fn has_times(&self) -> bool {
        self.iolog.has_times()
    }

    /// What is known of the columns of a layout.
    pub(crate) fn layout(&self) -> &Heading {
        &self.layout
    }
}

/// Reads a line of a text format. Blank lines are nothing.
///
/// # Errors
/// The first field that is not what it should be.
#[inline]
pub(crate) fn line<'a>(
    format: Format,
    line: &'a [u8],
    memory: &mut Memory,
) -> Result<Found<'a>, Wrong<'a>> {
    match format {
        Format::Iolog => iolog::line(line, &mut memory.iolog),
        Format::Blkparse(event) => blkparse::line(line, event, &mut memory.blkparse),
        Format::Msr => msr::line(line),
        Format::Systor => systor::line(line),
        Format::Alibaba => alibaba::line(line),
        Format::Tencent => tencent::line(line),
        Format::Mqsim => mqsim::line(line),
        Format::Layout(layout, event) => layout.line(line, event, &mut memory.layout),
        Format::Blktrace(_) => unreachable!("it has no lines"),
    }
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
