//! One parser a format: from a line to what it says of a request.

mod alibaba;
mod blkparse;
pub(crate) mod blktrace;
pub(crate) mod found;
mod iolog;
pub(crate) mod letters;
mod mqsim;
mod msr;
mod systor;
mod tencent;

use self::found::Found;
use crate::fault::Wrong;
use crate::format::Format;
use crate::layout::Heading;

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
