//! Whole operations as packets: the channel schedules, and may join what lies on several planes.

use super::{Interrupt, Operation, PhaseFormat, Priority, Request};
use crate::{BufferId, Location, Span};

/// What a channel runs from the first command to the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeOperation {
    /// This part of a page, to the same part of a buffer entry.
    Read(Span),
    /// A buffer entry into a page.
    Program,
    /// Erase the block that the row lies in.
    Erase,
}

/// A whole operation on one or more planes.
///
/// It becomes a request for each plane. They differ in row and buffer entry only; requests
/// like that, one after the other, are what a channel joins into one multi-plane operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeRequest<'a> {
    /// What to do.
    pub operation: WholeOperation,
    /// Where, on the first plane. The channel is the caller's to choose.
    pub location: Location,
    /// Lowest bit of the plane in a row of the chip.
    pub plane_shift: u8,
    /// The buffer entry of each plane's page, from the first one on; an erase ignores them.
    pub buffers: &'a [BufferId],
    /// Stream, below 8.
    pub stream: u8,
    /// Comes back in each response.
    pub tag: u8,
    /// Which queue of the way the requests wait in.
    pub priority: Priority,
    /// When to raise an interrupt.
    pub interrupt: Interrupt,
}

impl WholeRequest<'_> {
    /// The requests, a plane each.
    ///
    /// # Panics
    /// If a buffer entry has more bits than the packet has for it.
    pub fn requests(&self, format: &PhaseFormat) -> impl Iterator<Item = Request> + '_ {
        let (whole, format) = (*self, *format);
        let first = format.rows.chip_row(self.location.row);
        (0..).zip(self.buffers).map(move |(plane, &buffer)| {
            let row = first + (plane << whole.plane_shift);
            let request = Request {
                tag: whole.tag,
                stream: whole.stream,
                priority: whole.priority,
                interrupt: whole.interrupt,
                ..Request::new(whole.operation.number(), whole.location.way, row)
            };
            match whole.operation {
                WholeOperation::Read(part) => format.with_data(request, part, buffer),
                WholeOperation::Program => format.with_data(request, format.page(), buffer),
                WholeOperation::Erase => request,
            }
        })
    }
}

impl WholeOperation {
    const fn number(self) -> Operation {
        match self {
            Self::Read(_) => Operation::Read,
            Self::Program => Operation::Program,
            Self::Erase => Operation::Erase,
        }
    }
}
