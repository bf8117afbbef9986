//! Where the former data of a page are, while erases and programs of its block are queued; and what stays lost.

use contract::{CommandTag, Span};

use super::*;
use crate::nvme::backend::{Durability, IoCommand, IoKind};
use crate::nvme::tests::mock::{configuration, MockHardware};
use crate::operations::{Deed, Owner, Page, Sequence, Task, Touch};
use crate::planted::plant;

/// Where the former data of [`LPN`] are: in block 1 of the second way.
const FORMER: Place = Place { page: Page { die: 1, row: 40 }, unit: 0 };
const BLOCK: u32 = 1;
const LPN: Lpn = Lpn(7);

/// What waits for the way of a page.
#[derive(Clone, Copy, Debug)]
enum Queued {
    /// An erase of its block.
    Erase,
    /// A program of the same logical page to the same place.
    Program,
}

use Queued::{Erase, Program};

/// Whether former data can be read where they were, when of the queued erases of their block so many were planned since a
/// write took the page for replaced. Nothing of it was moved.
fn is_intact(queued: &[Queued], planned: u32) -> bool {
    let config = configuration();
    let mut hw = MockHardware::new(&config);
    let mut ftl = Ftl::new(&config, &mut hw);
    let Page { die, row } = FORMER.page;
    let blocks = &mut ftl.translator.blocks;
    blocks.restore(die, BLOCK, (blocks.place_of(die, BLOCK), 5));
    let mut station = Station::of(&config, 16);
    let mut reserve = |row, task| {
        station.reserve(&mut hw, Operation::flash(Owner::Drive, Page { die, row }, task));
    };
    // The first of a way counts as begun.
    reserve(0, Task::Erase);
    for one in queued {
        let sequence = Sequence::new(1);
        let (entry, epoch) = (BufferId(0), Some(0));
        match one {
            Erase => reserve(BLOCK * config.geometry.pages_per_block, Task::Erase),
            Program => {
                reserve(row, Task::Program { entry, lpn: LPN, epoch, lost: false, sequence })
            }
        }
    }
    ftl.intact(&station, LPN, (FORMER, 5 - planned)) == Some(FORMER)
}

/// The former data are read before the first erase that was planned since. Their own program may come before that.
#[test]
fn former_data_are_there_until_an_erase_that_was_planned_since() {
    for (queued, planned, expected) in [
        (&[] as &[Queued], 0, true),
        (&[Erase, Program], 0, true),
        (&[Erase], 1, true),
        (&[Erase, Erase], 2, true),
        (&[], 1, false),
        (&[Erase], 2, false),
        // The program behind the erase is one of newer data.
        (&[Erase, Program], 1, false),
        (&[Program, Erase, Program], 1, false),
        (&[Erase, Program, Erase], 2, false),
    ] {
        assert_eq!(is_intact(queued, planned), expected, "{queued:?}, {planned} planned");
    }
}

/// Seen with the page's own program at the head of the queue, and taken for one behind the erase.
#[test]
fn a_program_before_the_erases_of_its_block_is_of_the_former_data() {
    let found = || [is_intact(&[Program, Erase], 1), is_intact(&[Program, Erase, Erase], 2)];
    assert_eq!(found(), [true; 2]);
    plant(Some(Bug::ErasesInAnyOrder));
    let with_bug = found();
    plant(None);
    assert_eq!(with_bug, [false; 2]);
}

/// The page was programmed to a block that waited to be erased for it.
#[test]
fn an_erase_that_was_planned_before_the_page_was_is_not_one_behind_it() {
    let found = || [is_intact(&[Erase, Program, Erase], 1), is_intact(&[Erase, Erase], 1)];
    assert_eq!(found(), [true; 2]);
    plant(Some(Bug::EarlierEraseCounted));
    let with_bug = found();
    plant(None);
    assert_eq!(with_bug, [false; 2]);
}

/// Whether an entry whose data are lost is so still, after a copy of staged data of a write that did or did not fail.
fn stays_lost(outcome: IoOutcome) -> bool {
    let config = configuration();
    let mut hw = MockHardware::new(&config);
    hw.spare = Some(alloc::vec::Vec::new());
    let mut ftl = Ftl::new(&config, &mut hw);
    let mut station = Station::of(&config, 16);
    let (entry, tag) = (BufferId(3), CommandTag(2));
    ftl.buffer.set_lost(entry, ftl.buffer.division().all(), Lost::Yes);
    ftl.submit(IoCommand {
        tag,
        kind: IoKind::Write,
        start: 0,
        blocks: 4,
        durability: Durability::Cached,
        handle: 0,
    });
    ftl.commands.expect(tag);
    if outcome != IoOutcome::Success {
        ftl.commands.fail(tag, outcome);
    }
    let span = Span { offset: 0, length: config.unit_bytes };
    let touch = Touch { entry, span, deed: Deed::Copy { from: BufferId(0) } };
    let copy = Operation { owner: Owner::Counts(tag), action: Action::Touch(touch) };
    let id = station.reserve(&mut hw, copy);
    station.release(id);
    ftl.run_instant(&mut Ports { hw: &mut hw, station: &mut station }, &mut 10);
    ftl.buffer.has_lost(entry)
}

/// On a drive with a capacitor data wait until all of them are there, and replace nothing if they do not come.
#[test]
fn staged_data_that_did_not_arrive_leave_what_is_lost() {
    assert!(!stays_lost(IoOutcome::Success));
    assert!(stays_lost(IoOutcome::TransferError));
    plant(Some(Bug::AbsentTakenForReplaced));
    let with_bug = stays_lost(IoOutcome::TransferError);
    plant(None);
    assert!(!with_bug);
}
