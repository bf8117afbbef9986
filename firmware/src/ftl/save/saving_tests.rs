//! What is saved, and as of when: mapping units of pages that are saved again, and of which data never came.

use alloc::vec::Vec;
use contract::Lpn;
use contract::{CommandTag, Completer, Configuration};

use super::*;
use crate::ftl::buffer::{Freshness, Lost};
use crate::ftl::depend::Adder;
use crate::ftl::gathered::Unit;
use crate::ftl::log::page::journal;
use crate::ftl::log::record::Record;
use crate::ftl::save::newest;
use crate::ftl::save::tests::{new_ftl, with_capacitor};
use crate::nvme::tests::mock::MockHardware;
use crate::operations::{Action, Data, Dma, Place, Station};
use crate::planted::plant;

/// The FTL of a drive with a capacitor, and what it works with.
struct Drive {
    ftl: Ftl,
    station: Station,
    hw: MockHardware,
}

impl Drive {
    fn new() -> Self {
        let config: Configuration = with_capacitor();
        let mut hw = MockHardware::new(&config);
        hw.spare = Some(Vec::new());
        Drive { ftl: new_ftl(&config), station: Station::of(&config, 64), hw }
    }

    fn save(&mut self) -> &mut crate::ftl::save::Save {
        self.ftl.save.as_mut().expect("a drive with a capacitor")
    }

    /// Plans a page of these mapping units.
    fn pack(&mut self, units: &[ToSave]) -> OpId {
        let mut packed = Packed { units: [None; Metadata::MOST_UNITS], count: units.len() };
        packed.units.iter_mut().zip(units).for_each(|(unit, own)| *unit = Some(*own));
        let Drive { station, hw, .. } = self;
        packed.plan(&mut Ports { hw, station })
    }

    /// The units of a program that are to be saved, elsewhere or at all.
    fn saved_again(&mut self, id: OpId) -> Vec<ToSave> {
        let Drive { ftl, station, hw } = self;
        ftl.save_units(&Ports { hw, station }, id);
        core::mem::take(&mut self.save().next)
    }

    /// A page is programmed to a row of the first way, and read when the power is back.
    fn comes_back(&mut self, id: OpId, row: u32) {
        let Drive { ftl, station, hw } = self;
        station.describe(hw, id);
        let entry = station.pool[id].on_flash().and_then(|flash| flash.task.entry());
        let Some(Phase::Gather(gathering)) = ftl.save.as_mut().map(|save| &mut save.phase) else {
            unreachable!("it looks what was saved")
        };
        gathering.begin_read();
        let page = Page { die: 0, row };
        ftl.gathered(hw, (page, entry.expect("a page of data")), Ended::Well);
    }

    /// Logical pages that are put back, and from which rows.
    fn put_back(&mut self) -> Vec<(u32, u32)> {
        let Phase::Gather(gathering) = &self.save().phase else {
            unreachable!("it looks what was saved")
        };
        let pages = newest(gathering.pages.clone(), &[]);
        pages.iter().map(|saved| (saved.lpn.0, saved.place.page.row)).collect()
    }
}

fn unit(lpn: u32, sequence: u64) -> ToSave {
    ToSave { entry: BufferId(lpn), lpn: Lpn(lpn), lost: false, sequence }
}

/// The old data of logical page 5 are saved twice, since the first time their chip hung, each time beside much newer data
/// of page 9. The new ones share a page with older data of page 7.
fn put_back() -> Vec<(u32, u32)> {
    let mut drive = Drive::new();
    let hung = drive.pack(&[unit(5, 10), unit(9, 40)]);
    let again = drive.saved_again(hung);
    let again = drive.pack(&again);
    let newer = drive.pack(&[unit(5, 20), unit(7, 15)]);
    drive.comes_back(again, 0);
    drive.comes_back(newer, 1);
    drive.put_back()
}

/// However a unit came to its page, the one that was planned last is put back.
#[test]
fn of_a_logical_page_that_was_saved_twice_the_newer_data_come_back() {
    let expected = [(5, 1), (7, 1), (9, 0)];
    assert_eq!(put_back(), expected);
    for bug in [Bug::JoinedAgesIgnored, Bug::PackedAgesIgnored, Bug::GatheredAgesIgnored] {
        plant(Some(bug));
        let with_bug = put_back();
        plant(None);
        assert_eq!(with_bug[0], (5, 0), "{bug:?} brings old data back");
    }
}

/// What was to bring the data of a mapping unit that never come.
#[derive(Clone, Copy, Debug)]
enum Missing {
    /// A transfer from the host.
    Sent,
    /// A read of the unit.
    Read,
    /// A read of another unit of its page, joined with it.
    ReadBeside,
}

impl Drive {
    /// Operations go to the drive by this.
    fn with_adder<T>(&mut self, add: impl FnOnce(&mut Adder<'_, '_, MockHardware>) -> T) -> T {
        let Drive { ftl, station, hw } = self;
        let ports = &mut Ports { hw, station };
        add(&mut Adder { ports, buffer: &mut ftl.buffer, log: &mut None })
    }

    /// Plans what is to bring the data of an entry.
    fn expect(&mut self, missing: Missing, entry: u32) {
        let span = self.station.unit();
        let place = Place { page: Page { die: 1, row: 512 }, unit: 0 };
        let read =
            |entry| Operation::read(Owner::Drive, place, (BufferId(entry), Lpn(entry), span));
        self.with_adder(|adder| match missing {
            Missing::Sent => {
                let data = Data {
                    entry: BufferId(entry),
                    span,
                    host_offset: 0,
                    command_bytes: span.length,
                    completer: Completer::Firmware,
                };
                let action = Action::Dma(Dma::FromHost { data, replaced: None });
                adder.add(Operation { owner: Owner::Step(CommandTag(0)), action })
            }
            Missing::Read => adder.add(read(entry)),
            Missing::ReadBeside => adder.add_with(read(7), &[(Owner::Drive, unit_of(entry, 1))]),
        });
    }
}

fn unit_of(entry: u32, unit: u8) -> Unit {
    Unit { entry: BufferId(entry), lpn: Lpn(entry), unit, moved: false }
}

/// Logical pages that are saved of a program of two, while the data of one of them are still to come.
fn saved_of_program(missing: Missing, absent: u32) -> Vec<u32> {
    let mut drive = Drive::new();
    let save = drive.save();
    (save.phase, save.pages) = (Phase::Ready, 8);
    drive.expect(missing, absent);
    let task = Task::Program {
        entry: BufferId(0),
        lpn: Lpn(0),
        epoch: Some(0),
        lost: false,
        sequence: Sequence::new(7),
    };
    let program = Operation::flash(Owner::Drive, Page { die: 0, row: 512 }, task);
    let id = drive.with_adder(|adder| adder.add_with(program, &[(Owner::Drive, unit_of(1, 1))]));
    let Drive { ftl, station, hw } = &mut drive;
    ftl.lose_power(&mut Ports { hw, station });
    drive.saved_again(id).iter().map(|unit| unit.lpn.0).collect()
}

/// What its entry holds are no data of the host, who does not take the page for written.
#[test]
fn units_whose_data_never_came_are_not_saved() {
    for missing in [Missing::Sent, Missing::Read, Missing::ReadBeside] {
        for absent in [0, 1] {
            assert_eq!(saved_of_program(missing, absent), [1 - absent], "{missing:?}");
            plant(Some(Bug::AbsentSaved));
            let with_bug = saved_of_program(missing, absent);
            plant(None);
            assert_eq!(with_bug, [0, 1], "{missing:?}");
        }
    }
}

/// A program of an entry that waits for another one of the same: the data of the first are in the entry until it has ended, and
/// the entry has room for the metadata of one.
#[test]
fn of_programs_of_an_entry_the_first_alone_is_saved() {
    let saved = || {
        let mut drive = Drive::new();
        let save = drive.save();
        (save.phase, save.pages) = (Phase::Ready, 8);
        let program = |entry, sequence| {
            let (lpn, sequence) = (Lpn(entry), Sequence::new(sequence));
            let task = Task::Program {
                entry: BufferId(entry),
                lpn,
                epoch: Some(0),
                lost: false,
                sequence,
            };
            Operation::flash(Owner::Drive, Page { die: 0, row: 512 + entry }, task)
        };
        // Entry 1 is in both, once beside another.
        let beside = [(Owner::Drive, unit_of(1, 1))];
        let first = drive.with_adder(|adder| adder.add_with(program(0, 7), &beside));
        let second = drive.with_adder(|adder| adder.add(program(1, 9)));
        let Drive { ftl, station, hw } = &mut drive;
        ftl.lose_power(&mut Ports { hw, station });
        let pool = &drive.station.pool;
        let wanted = [first, second].map(|id| drive.ftl.is_to_be_saved(pool, id));
        let units = drive.saved_again(first).iter().map(|unit| unit.lpn.0).collect::<Vec<_>>();
        (wanted, units)
    };
    assert_eq!(saved(), ([true, false], alloc::vec![0, 1]));
    plant(Some(Bug::EntrySavedTwice));
    let with_bug = saved();
    plant(None);
    assert_eq!(with_bug.0, [true, true]);
}

/// What of a journal page that was saved is known again, and the newest epoch: the page has the sixth, and one before it
/// the fourth.
fn known_again(ended: Ended) -> (Vec<Record>, u32) {
    let mut drive = Drive::new();
    drive.hw.log_page = journal(&[
        Record::Unmapped { lpn: 3, count: 2, sequence: 20 },
        Record::Placed { lpn: 9, ppn: 700, sequence: 25 },
        Record::Lost { lpn: 8, sequence: 26 },
    ]);
    let (kind, lpns) = (PageKind::Journal, Lpns::NONE);
    for (row, (ended, epoch)) in (0..).zip([(Ended::Well, 4), (ended, 6)]) {
        let (entry, metadata) = (BufferId(row), Metadata { kind, epoch, sequence: 0, lpns });
        drive.hw.set_metadata(entry, metadata);
        let Phase::Gather(gathering) = &mut drive.save().phase else {
            unreachable!("it looks what was saved")
        };
        gathering.begin_read();
        gathering.records.clear();
        let Drive { ftl, hw, .. } = &mut drive;
        ftl.gathered(hw, (Page { die: 0, row }, entry), ended);
    }
    let Phase::Gather(gathering) = &drive.save().phase else {
        unreachable!("it looks what was saved")
    };
    (gathering.records.clone(), gathering.epoch)
}

/// What was freed or lost is nowhere else; of what was programmed flash tells by itself. A page that cannot be read tells its
/// epoch still.
#[test]
fn a_saved_journal_page_tells_what_was_freed_and_lost() {
    let freed = Record::Unmapped { lpn: 3, count: 2, sequence: 20 };
    let lost = Record::Lost { lpn: 8, sequence: 26 };
    assert_eq!(known_again(Ended::Well), (alloc::vec![freed, lost], 6));
    let unreadable = Ended::Failed(crate::nvme::backend::IoOutcome::UnrecoveredRead);
    assert_eq!(known_again(unreadable), (Vec::new(), 6));
}

/// The spare area says in 32 bits by how much a unit was planned before its page.
#[test]
fn units_that_are_too_far_apart_in_time_do_not_share_a_page() {
    let mut packed = Packed { units: [None; Metadata::MOST_UNITS], count: 2 };
    packed.units[..2].copy_from_slice(&[Some(unit(5, 1000)), Some(unit(6, 1010))]);
    let most = u64::from(u32::MAX);
    for (sequence, expected) in
        [(0, true), (1005, true), (1000 + most, true), (1001 + most, false), (1010 + most, false)]
    {
        assert_eq!(packed.goes_with(&unit(7, sequence)), expected, "{sequence}");
    }
}

/// Data that were lost before the power went away are saved as lost, and come back so.
#[test]
fn what_was_lost_stays_lost_when_it_is_saved() {
    let mut drive = Drive::new();
    let lost = ToSave { lost: true, ..unit(5, 10) };
    let page = drive.pack(&[lost, unit(9, 40)]);
    drive.comes_back(page, 0);
    let Phase::Gather(gathering) = &drive.save().phase else {
        unreachable!("it looks what was saved")
    };
    let found = gathering.pages.iter().map(|saved| (saved.lpn.0, saved.lost));
    assert_eq!(found.collect::<Vec<_>>(), [(9, false), (5, true)]);
    // The page has to be saved again, and the entry tells.
    let all = drive.ftl.buffer.division().all();
    drive.ftl.buffer.set_lost(BufferId(5), all, Lost::Yes);
    let again = drive.saved_again(page);
    assert_eq!(again.iter().map(|unit| unit.lost).collect::<Vec<_>>(), [false, true]);
}

/// Entries that no program was planned for are saved as of now, but for one whose new data are on their way.
#[test]
fn dirty_entries_are_saved_as_the_newest_data() {
    let mut drive = Drive::new();
    let dirty =
        [(0, 30), (1, 31), (2, 32), (3, 33)].map(|(entry, lpn)| (BufferId(entry), Lpn(lpn)));
    for (entry, lpn) in dirty {
        drive.ftl.buffer.recycle(entry, lpn);
        drive.ftl.buffer.set_freshness(entry, Freshness::Dirty);
    }
    drive.ftl.buffer.set_freshness(BufferId(1), Freshness::Clean);
    let all = drive.ftl.buffer.division().all();
    drive.ftl.buffer.set_lost(BufferId(2), all, Lost::Yes);
    let filling = drive.pack(&[unit(3, 1)]);
    drive.ftl.buffer.set_filling(BufferId(3), filling);
    drive.station.pool.remove(filling);
    drive.ftl.translator.sequence = 50;
    drive.save().phase = Phase::Lost(Saving::new(true));
    let Drive { ftl, station, hw } = &mut drive;
    let mut ports = Ports { hw, station };
    let saved: Vec<_> = core::iter::from_fn(|| ftl.next_unit(&mut ports))
        .map(|unit| (unit.entry.0, unit.lpn.0, unit.lost, unit.sequence))
        .collect();
    assert_eq!(saved, [(0, 30, false, 51), (2, 32, true, 52)]);
}

/// A drive whose power has gone away, of whose chips one may hang, with all of its save area erased.
fn losing() -> Drive {
    let mut drive = Drive::new();
    let save = drive.save();
    save.reserve.costs.hung_ways = 1;
    for die in 0..save.geometry.dies() {
        for nth in 0..save.area.per_way() {
            let page = save.area.head(die, nth);
            save.area.erased(page, true);
        }
    }
    save.phase = Phase::Lost(Saving::new(true));
    drive
}

impl Drive {
    fn ports(&mut self) -> (&mut Ftl, Ports<'_, MockHardware>) {
        let Drive { ftl, station, hw } = self;
        (ftl, Ports { hw, station })
    }

    /// Plans a journal page, which a way is given.
    fn give_journal(&mut self, die: u32, position: u64) -> OpId {
        let page = self.save().area.head(die, 0);
        self.save().ways[die as usize].pages += 1;
        let task = Task::Log { entry: BufferId(100), position: Sequence::new(position) };
        self.station.pool.add(Operation::flash(Owner::Drive, page, task))
    }
}

#[test]
fn a_way_is_given_few_pages_at_a_time_and_none_where_its_chip_does_not_answer() {
    let mut drive = losing();
    let ready = |drive: &mut Drive| {
        let (ftl, ports) = drive.ports();
        ftl.ready_way(&ports)
    };
    assert_eq!(ready(&mut drive), Some(0));
    drive.save().ways[0].pages = Reserve::PAGES_A_WAY - 1;
    assert_eq!(ready(&mut drive), Some(0));
    drive.save().ways[0].pages = Reserve::PAGES_A_WAY;
    assert_eq!(ready(&mut drive), Some(1));
    drive.save().ways[1].given_up = true;
    assert_eq!(ready(&mut drive), Some(2));
    drive.save().area.lose_way(2);
    assert_eq!(ready(&mut drive), Some(3));
    drive.station.lose_chip(3);
    assert_eq!(ready(&mut drive), None);
}

/// One chip that hangs explains all that was not answered, once. The journal page that it had been given goes elsewhere.
#[test]
fn one_way_is_given_up_and_its_journal_page_saved_elsewhere() {
    let mut drive = losing();
    let gives_up = |drive: &mut Drive| {
        let (ftl, mut ports) = drive.ports();
        ftl.give_up(&mut ports)
    };
    assert!(!gives_up(&mut drive), "all have answered");
    drive.give_journal(1, 1);
    drive.save().ways[2].pages = 1;
    assert!(!gives_up(&mut drive), "one chip alone may hang");
    drive.save().ways[2].pages = 0;
    assert!(gives_up(&mut drive));
    drive.save().ways[1].pages = 0;
    drive.save().ways[2].pages = 1;
    assert!(!gives_up(&mut drive), "another hangs");
    let (ftl, mut ports) = drive.ports();
    let Some(Next::New(id)) = ftl.next_to_save(&mut ports) else {
        panic!("the journal page is to be saved");
    };
    let task = ports.station.pool[id].on_flash().map(|flash| flash.task);
    assert!(matches!(task, Some(Task::Log { position, .. }) if position.get() == 1), "{task:?}");
}

/// The chip of a way may be slow where it counts as one that hangs. It then takes pages with the metadata that their first entries
/// have by then: those of the pages that are saved elsewhere have to be the same.
#[test]
fn pages_of_a_way_that_is_given_up_are_saved_elsewhere_with_the_same_units() {
    let saved = || {
        let mut drive = losing();
        let packs = [&[unit(9, 40), unit(5, 10)][..], &[unit(7, 20)]];
        for (nth, units) in packs.iter().enumerate() {
            let id = drive.pack(units);
            let mut page = drive.save().area.head(1, 0);
            page.row += nth as u32;
            drive.station.pool[id].on_flash_mut().expect("a program").page = page;
        }
        drive.save().ways[1].pages = 2;
        let (ftl, mut ports) = drive.ports();
        assert!(ftl.give_up(&mut ports));
        ftl.saving().expect("the power is gone").journal = true;
        let mut all = Vec::new();
        while let Some(Next::New(id)) = ftl.next_to_save(&mut ports) {
            let units = ports.station.pool.moved(id).map(|own| own.lpn.0);
            all.push(units.collect::<Vec<_>>());
        }
        all
    };
    let expected = [alloc::vec![9, 5], alloc::vec![7]];
    assert_eq!(saved(), expected);
    plant(Some(Bug::HungPageSavedWithOthers));
    let with_bug = saved();
    plant(None);
    assert_ne!(with_bug, expected);
}

/// Journal pages are saved one after the other: the next when the last that was made is answered, and not one before it
/// whose chip was slow.
#[test]
fn the_next_journal_page_waits_for_the_one_before() {
    let mut drive = losing();
    let (slow, last) = (drive.give_journal(1, 1), drive.give_journal(2, 2));
    let Some(saving) = drive.ftl.saving() else { unreachable!("the power is gone") };
    (saving.journal, saving.journal_pages) = (true, 2);
    for (id, is_busy) in [(slow, true), (last, false)] {
        drive.station.end(id, Ended::Well);
        let (ftl, mut ports) = drive.ports();
        ftl.settle_loss(&mut ports);
        let saving = ftl.saving().expect("the power is gone");
        assert_eq!(saving.journal, is_busy, "{id:?}");
    }
    assert_eq!([1, 2].map(|die: usize| drive.save().ways[die].pages), [0, 0]);
}

/// The page that a way is given next, when a program that had begun before has failed there with a saved page behind it.
fn next_page_behind_a_failed_program() -> (Page, Page) {
    let mut drive = losing();
    let first = drive.save().area.take(0).expect("a page");
    let row = drive.ftl.geometry.rows_per_way() - 1;
    let program = |page, epoch| {
        let (lpn, sequence) = (Lpn(0), Sequence::new(7));
        let task = Task::Program { entry: BufferId(0), lpn, epoch, lost: false, sequence };
        Operation::flash(Owner::Drive, page, task)
    };
    for operation in [program(Page { die: 0, row }, Some(1)), program(first, None)] {
        let id = drive.station.pool.add(operation);
        drive.station.put(&mut drive.hw, id);
    }
    drive.save().ways[0].pages = 1;
    let (ftl, mut ports) = drive.ports();
    ftl.redirect_saved(&mut ports, 0);
    assert_eq!(drive.save().ways[0].pages, 0);
    (first, drive.save().area.take(0).expect("another page"))
}

/// The page that was to be saved behind the program stays erased, and so few pages as possible do before others.
#[test]
fn behind_a_failed_program_pages_are_saved_to_another_block() {
    let (first, next) = next_page_behind_a_failed_program();
    assert_eq!(next, losing().save().area.head(0, 1));
    plant(Some(Bug::SavedBehindErased));
    let with_bug = next_page_behind_a_failed_program();
    plant(None);
    assert_eq!(with_bug, (first, Page { row: first.row + 1, ..first }));
}

/// A program that can only fail, since its way has no block left, saves nothing: its data were given up.
#[test]
fn programs_of_the_host_that_can_end_well_are_saved() {
    for (epoch, doomed, expected) in
        [(Some(3), false, true), (Some(3), true, false), (None, false, false)]
    {
        let mut drive = Drive::new();
        let task = Task::Program {
            entry: BufferId(0),
            lpn: Lpn(0),
            epoch,
            lost: false,
            sequence: Sequence::new(7),
        };
        let mut program = Operation::flash(Owner::Drive, Page { die: 0, row: 512 }, task);
        program.on_flash_mut().expect("a program").doomed = doomed;
        let id = drive.station.pool.add(program);
        let is_saved = drive.ftl.is_to_be_saved(&drive.station.pool, id);
        assert_eq!(is_saved, expected, "{epoch:?}, {doomed}");
    }
}
