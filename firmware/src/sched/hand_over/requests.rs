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

#[cfg(test)]
mod tests {
    use contract::{CommandTag, Lpn, Span};

    use super::*;
    use crate::nvme::tests::mock::{configuration, MockHardware};
    use crate::operations::{Owner, Page, Sequence};
    use crate::planted::plant;

    const PAGE: Page = Page { die: 1, row: 5 };

    fn read(owner: Owner) -> Operation {
        let (entry, part) = (BufferId(1), Span { offset: 0, length: 4096 });
        Operation::flash(
            owner,
            PAGE,
            Task::Read { entry, part, lpn: Lpn(3), retries: 0, unit: 0, lost: false },
        )
    }

    /// The priority of a command's read of a page, behind an operation that its channel has.
    fn behind(page: Page, task: Task) -> Priority {
        let config = configuration();
        let (mut station, mut hw) = (Station::of(&config, 16), MockHardware::new(&config));
        let id = station.pool.add(Operation::flash(Owner::Drive, page, task));
        station.put(&mut hw, id);
        station.hand_over(&mut hw, page.die);
        priority(&station, PAGE.die, &read(Owner::Counts(CommandTag(0))))
    }

    /// Behind an urgent read that waits for its page, nobody would learn of one whose chip hangs.
    #[test]
    fn a_read_that_waits_for_its_page_is_not_urgent() {
        let (entry, lpn) = (BufferId(0), Lpn(3));
        let sequence = Sequence::new(1);
        let program = Task::Program { entry, lpn, epoch: Some(1), lost: false, sequence };
        let next = Page { row: PAGE.row + 1, ..PAGE };
        let far = Page { row: PAGE.row + configuration().geometry.pages_per_block, ..PAGE };
        assert_eq!(behind(PAGE, program), Priority::Low);
        assert_eq!(behind(next, program), Priority::High);
        assert_eq!(behind(next, Task::Erase), Priority::Low);
        assert_eq!(behind(far, Task::Erase), Priority::High);
        plant(Some(Bug::ReadBehindProgramUrgent));
        let with_bug = behind(PAGE, program);
        plant(None);
        assert_eq!(with_bug, Priority::High);
        let station = Station::of(&configuration(), 16);
        assert_eq!(priority(&station, PAGE.die, &read(Owner::Drive)), Priority::Low);
    }
}
