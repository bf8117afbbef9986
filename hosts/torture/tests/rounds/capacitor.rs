//! Power losses of boards with a capacitor: whatever was said to be written is there afterwards, and a write within a
//! mapping unit is there as a whole or not at all.

use board::Board;
use firmware::planted::{plant, Bug};
use machine::{HostMemory, Payload, Polling, Stamp};
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, IdentifyStructure, LogPage};
use nvme::dataset::Range;
use nvme::identify::{Controller, Namespace, ATOMIC_SIZES_VALID};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::log::{critical_warning, Health};
use torture::bench::{Bench, DATA};
use torture::faults::{Fault, Faults};
use torture::storm::Outcome;
use torture::violation::attempt;

use crate::boards::{lawful, plan, run, seeds, Length, Overrides};
use crate::power::with_log;

/// Some twenty power losses.
const LENGTH: Length = Length { commands: 2_500, turns_between_cuts: 40 };
const PAYLOAD: Payload = Payload::Stamps { block_bytes: 4096 };

const CONTROLLER: (&str, &str) = ("channel.scheduler", "controller");
/// Where channels have more under way that is not broken off.
const MORE: (&str, &str) = ("power_loss.capacitor_millijoules", "100");
const FREELY: (&str, &str) = ("channel.execution", "out-of-order");
/// Quarters of pages, and room for what pages of them say.
const QUARTERS: [(&str, &str); 2] =
    [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "52")];
const HALVES: [(&str, &str); 2] =
    [("ftl.mapping_unit_bytes", "8192"), ("flash.metadata_bytes", "36")];

/// The board with a log, and a capacitor that is enough for a few pages a way.
fn with_capacitor(overrides: Overrides) -> Vec<(&'static str, &'static str)> {
    let mut all = with_log(&[("power_loss.capacitor_millijoules", "60")]);
    all.extend(overrides);
    all
}

#[test]
fn what_was_said_to_be_written_outlives_the_power() {
    const BOARDS: [Overrides; 9] = [
        &QUARTERS,
        &[QUARTERS[0], QUARTERS[1], CONTROLLER, FREELY, MORE],
        &[HALVES[0], HALVES[1], ("channel.read_unit_bytes", "4096")],
        &[],
        &[("power_loss.capacitor_millijoules", "400")],
        &[("ftl.cache", "write-through")],
        &[("ftl.background_flush_percent", "0"), ("ftl.background_collection_pages", "0")],
        &[CONTROLLER, FREELY, MORE],
        &[
            CONTROLLER,
            FREELY,
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
            ("power_loss.capacitor_millijoules", "200"),
        ],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((1..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let Outcome { cuts, done, lost, .. } =
                run(seed, &with_capacitor(overrides), (lawful(), LENGTH));
            assert!(cuts >= 6 && done > 500, "{overrides:?}: {cuts} cuts, {done} done");
            assert_eq!(lost, 0, "{overrides:?} seed {seed}");
        }
    }
}

/// Blocks go bad meanwhile, those that are saved to among them.
#[test]
fn what_was_said_to_be_written_outlives_the_power_and_blocks_that_go_bad() {
    const FAILURES: [(&str, &str); 4] = [
        ("errors.program_failures_per_billion", "2000000"),
        ("errors.erase_failures_per_billion", "12000000"),
        ("errors.factory_bad_blocks_per_million", "20000"),
        ("ftl.spare_blocks_per_way", "16"),
    ];
    const BOARDS: [Overrides; 2] = [&[], &[CONTROLLER, FREELY, MORE]];
    for (overrides, first) in BOARDS.into_iter().zip((101..).step_by(10)) {
        let overrides = [with_capacitor(overrides), FAILURES.to_vec()].concat();
        for seed in seeds(first..first + 2) {
            let Outcome { lost, .. } = run(seed, &overrides, (lawful(), LENGTH));
            assert_eq!(lost, 0, "{overrides:?} seed {seed}");
        }
    }
}

/// Every bug that is planted in the protection breaks a promise that a round sees, and the same round sees none
/// without it.
#[test]
fn rounds_find_what_is_wrong_with_the_protection() {
    // A large buffer of which the capacitor keeps little.
    const LITTLE: Overrides = &[
        ("ftl.buffer_kib", "4096"),
        ("ftl.background_flush_percent", "0"),
        ("power_loss.kept_back_percent", "0"),
        ("power_loss.capacitor_millijoules", "45"),
    ];
    const BUGS: [(Bug, Overrides, u32); 6] = [
        (Bug::SequenceIgnored, &[], 100),
        (Bug::SaveForgetsJoined, &QUARTERS, 40),
        (Bug::SavedUnitsSwapped, &QUARTERS, 40),
        (Bug::ReserveIgnored, LITTLE, 100),
        (Bug::SaveForgetsJournal, &[], 15),
        (Bug::AreaErasedTooEarly, &[], 15),
    ];
    for (bug, overrides, turns_between_cuts) in BUGS {
        let how = (lawful(), Length { turns_between_cuts, ..LENGTH });
        let boards = with_capacitor(overrides);
        plant(Some(bug));
        let found = (1..20).find(|&seed| attempt(&plan(seed, &boards, how)).is_err());
        plant(None);
        let seed = found.unwrap_or_else(|| panic!("{bug:?} is not found"));
        println!("{bug:?}: found with seed {seed}");
        assert_eq!(attempt(&plan(seed, &boards, how)).err(), None, "seed {seed} without {bug:?}");
    }
}

/// A round compares the blocks of a unit with each other: where data replace others bit by bit, a write whose data come in part is torn.
#[test]
fn rounds_see_that_a_write_is_torn() {
    for overrides in [&[] as Overrides, &HALVES] {
        let boards = with_capacitor(overrides);
        let how = (Faults::of(&[Fault::Power, Fault::Pointers]), LENGTH);
        let is_torn = |seed: &u64| {
            let found = attempt(&plan(*seed, &boards, how)).err();
            found.is_some_and(|violation| violation.what.contains("a write is torn"))
        };
        plant(Some(Bug::StagingSkipped));
        let found = (1..40).find(is_torn);
        plant(None);
        let seed = found.unwrap_or_else(|| panic!("{overrides:?}: nothing is torn"));
        println!("{overrides:?}: torn with seed {seed}");
        assert_eq!(attempt(&plan(seed, &boards, how)).err(), None, "seed {seed} as it should be");
    }
}

fn board(overrides: Overrides) -> Board {
    let values = with_capacitor(overrides);
    let values: Vec<_> = values.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    Board::resolve("small", &values).expect("the board")
}

/// The power goes away at every moment of a write that replaces another: its blocks are the new ones or the old
/// ones, and the new ones if the host knows that they are written.
#[test]
fn writes_within_a_mapping_unit_are_there_as_a_whole() {
    for (overrides, blocks) in [(&[] as Overrides, 4), (&HALVES, 2)] {
        let board = board(overrides);
        assert_eq!(torn(&board, blocks), 0, "{overrides:?}");
        plant(Some(Bug::StagingSkipped));
        let found = torn(&board, blocks);
        plant(None);
        assert!(found > 0, "{overrides:?}: {:?} is not found", Bug::StagingSkipped);
    }
}

/// Power losses that left a write of a mapping unit of so many blocks torn or lost.
fn torn(board: &Board, blocks: u32) -> u32 {
    let (mut wrong, mut seen) = (0, [0; 2]);
    for nth in 0..60 {
        let mut bench = Bench::new(board, PAYLOAD, Polling::Skip);
        bench.start_once();
        let lbas = 8..8 + u64::from(blocks);
        let stamps =
            |version| -> Vec<Stamp> { lbas.clone().map(|lba| Stamp::new(lba, version)).collect() };
        bench.write(8, &stamps(2));
        for (at, stamp) in stamps(3).iter().enumerate() {
            let at = DATA + at as u64 * 4096;
            assert!(bench.drive.host_mut().memory.write(at, &stamp.to_bits().to_le_bytes()));
        }
        let range = BlockRange { start: 8, blocks };
        let header = bench.data(blocks as usize);
        bench.submit(1, &[IoCommand::Write(range, UnitAccess::Normal).emit(header)]);
        let due = bench.drive.now() + nth * 500_000;
        bench.drive.run_to(due, |_| false);
        let known = !bench.drive.host().seen.is_empty();
        let mut bench = bench.cut_power((board, PAYLOAD));
        bench.start_once();
        let found = bench.read(8, blocks as usize).ok();
        let is = |version| found.as_deref() == Some(&stamps(version)[..]);
        seen[0] += u32::from(is(2));
        seen[1] += u32::from(is(3));
        wrong += u32::from(!(is(3) || is(2) && !known));
    }
    assert!(wrong > 0 || seen.iter().all(|&count| count > 5), "the moments miss it: {seen:?}");
    wrong
}

/// The host is told that nothing is volatile, and what is atomic.
#[test]
fn the_host_is_told_of_the_protection() {
    for (overrides, atomic) in [(&[] as Overrides, 3), (&HALVES, 1), (&QUARTERS, 0)] {
        assert_eq!(told_atomic(&board(overrides)), [atomic; 4], "{overrides:?}");
    }
}

/// Blocks, but for one, that the host is told are written at once, always and when power fails, and boundaries.
fn told_atomic(board: &Board) -> [u16; 4] {
    let mut bench = Bench::new(board, PAYLOAD, Polling::Skip);
    bench.start_once();
    let page = |bench: &mut Bench, structure, nsid| {
        bench.admin_for((AdminCommand::Identify(structure), nsid), DATA);
        let mut page = [0; 4096];
        assert!(bench.drive.host_mut().memory.read(DATA, &mut page));
        page
    };
    let controller = Controller::parse(&page(&mut bench, IdentifyStructure::Controller, 0));
    assert_eq!((controller.cache, controller.atomic_blocks_power_fail), (0, 0));
    let namespace = Namespace::parse(&page(&mut bench, IdentifyStructure::Namespace, 1));
    assert_ne!(namespace.features & ATOMIC_SIZES_VALID, 0);
    assert_eq!(namespace.atomic_boundary_offset, 0);
    [
        namespace.atomic_blocks,
        namespace.atomic_blocks_power_fail,
        namespace.atomic_boundary,
        namespace.atomic_boundary_power_fail,
    ]
}

/// Deallocates a range of blocks.
fn deallocate(bench: &mut Bench, range: Range) {
    let mut bytes = [0; Range::BYTES];
    range.emit(&mut bytes);
    assert!(bench.drive.host_mut().memory.write(DATA, &bytes));
    let deallocate = IoCommand::DatasetManagement { ranges: 1, purpose: DatasetUse::Deallocate };
    let header = bench.data(1);
    bench.io(&[deallocate.emit(header)]);
}

/// What was deallocated stays so: the journal is saved too.
#[test]
fn what_was_deallocated_stays_so() {
    let board = board(&[]);
    let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
    bench.start_once();
    bench.write(0, &[0, 1, 2, 3].map(|lba| Stamp::new(lba, 2)));
    let mut bench = bench.cut_power((&board, PAYLOAD));
    bench.start_once();
    assert_eq!(bench.read(0, 4), Ok([0, 1, 2, 3].map(|lba| Stamp::new(lba, 2)).to_vec()));
    deallocate(&mut bench, Range { attributes: 0, blocks: 4, start: 0 });
    for _ in 0..2 {
        bench = bench.cut_power((&board, PAYLOAD));
        bench.start_once();
        assert_eq!(bench.read(0, 4), Ok(vec![Stamp::ZERO; 4]));
    }
}

/// What the host is warned of.
fn warning(bench: &mut Bench) -> u8 {
    let (page, event) = (LogPage::Health, EventAfterRead::Retained);
    let log = GetLogPage { page, event, offset: 0, length: Health::BYTES as u64 };
    bench.admin(AdminCommand::GetLogPage(log), DATA);
    let mut bytes = [0; Health::BYTES];
    assert!(bench.drive.host_mut().memory.read(DATA, &mut bytes));
    Health::parse(&bytes).critical_warning
}

/// A drive of which so many erases in a thousand fail. Whatever it promises, a write is there when the power is back, and what a
/// flush covers of what was deallocated is gone. Whether its protection failed and it took writes.
fn holds_without_protection(overrides: Overrides, failing: u32) -> bool {
    let rate = (failing * 1_000_000).to_string();
    let mut values = with_capacitor(overrides);
    values.extend([
        ("errors.erase_failures_per_billion", &*rate),
        ("ftl.spare_blocks_per_way", "16"),
    ]);
    let values: Vec<_> = values.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    let board = Board::resolve("small", &values).expect("the board");
    let mut bench = Bench::new(&board, PAYLOAD, Polling::Skip);
    bench.start_once();
    let has_failed = warning(&mut bench) & critical_warning::BACKUP != 0;
    let stamps = |lba| -> Vec<Stamp> { (lba..lba + 4).map(|lba| Stamp::new(lba, 2)).collect() };
    for lba in (0..16).step_by(4) {
        if bench.try_write(lba, &stamps(lba)).is_err() {
            return false;
        }
    }
    deallocate(&mut bench, Range { attributes: 0, blocks: 4, start: 8 });
    let header = bench.data(1);
    bench.io(&[IoCommand::Flush.emit(header)]);
    let lasts = (16..32).step_by(4).all(|lba| bench.try_write(lba, &stamps(lba)).is_ok());
    if !lasts {
        return false;
    }
    let mut bench = bench.cut_power((&board, PAYLOAD));
    bench.start_once();
    for lba in (0..32).step_by(4) {
        let expected = if lba == 8 { vec![Stamp::ZERO; 4] } else { stamps(lba) };
        assert_eq!(bench.read(lba, 4), Ok(expected), "{overrides:?}, {failing}: block {lba}");
    }
    has_failed
}

/// Blocks of the save area cannot be erased, so that nothing can be saved: the drive says so, and makes writes durable before it
/// completes them.
#[test]
fn a_drive_whose_protection_failed_does_not_promise_it() {
    for overrides in [&[] as Overrides, &QUARTERS] {
        assert!(!holds_without_protection(overrides, 0), "a sound drive is protected");
        let failed = (1..20).filter(|nth| holds_without_protection(overrides, 40 * nth)).count();
        println!("{overrides:?}: {failed} drives whose protection failed");
        assert!(failed > 2, "{overrides:?}: {failed} drives");
    }
}
