//! What the channels are told of an operation.

use contract::packet::{Interrupt, Priority, WholeRequest, STREAMS};
use contract::{BufferId, Location, Span};

use crate::operations::{Flash, Operation, Station, Task};
use crate::planted::{is_planted, Bug};

/// How soon a channel is to do an operation: a read that a command waits for goes first. A program's data are in the
/// buffer, and what the drive does by itself can wait (Ozone section 4). A read of a page that is still to be programmed
/// stays behind that in any case. It goes with the operations of low priority then, since urgent reads behind it
/// would otherwise be answered after it, one whose chip hangs among them, for which its way halts before it has run.
#[inline]
pub(super) fn priority(station: &Station, die: u32, op: &Operation) -> Priority {
    let Some(&Flash { task: Task::Read { .. }, page, .. }) = op.on_flash() else {
        return Priority::Low;
    };
    let block = |row: u32| row / station.pages_per_block();
    let keeps_behind = |other: &Flash| match other.task {
        Task::Program { .. } => other.page == page,
        Task::Erase => block(other.page.row) == block(page.row),
        _ => false,
    };
    let mut before = station.handed(die).filter_map(Operation::on_flash);
    let is_behind = before.any(keeps_behind) && !is_planted(Bug::ReadBehindProgramUrgent);
    if op.owner.command().is_none() || is_behind {
        return Priority::Low;
    }
    Priority::High
}

/// The stream of a way's operations. Each priority has streams of its own, as the answer of an urgent read would
/// otherwise wait for those of the operations that the read has overtaken.
#[inline]
pub(super) fn stream(way: u8, priority: Priority) -> u8 {
    const EACH: u8 = STREAMS / 2;
    match priority {
        Priority::Low => way % EACH,
        Priority::High => EACH + way % EACH,
    }
}

/// A task as the packet has it.
#[inline]
pub(super) fn whole<'a>(
    (priority, task): (Priority, &Task),
    (location, tag): (Location, u8),
    (buffers, part): (&'a [BufferId], Span),
) -> WholeRequest<'a> {
    use contract::packet::WholeOperation::{Erase, Program, Read};
    WholeRequest {
        operation: match *task {
            Task::Read { .. } | Task::Probe { .. } | Task::Mark { .. } => Read(part),
            Task::Program { .. } | Task::Log { .. } => Program,
            Task::Erase | Task::Wipe => Erase,
        },
        location,
        plane_shift: 0,
        buffers,
        stream: stream(location.way, priority),
        tag,
        priority,
        interrupt: Interrupt::Never,
    }
}
