//! Power losses in a storm: whatever a flush, forced unit access or a write-through cache made durable is
//! there afterwards, and nothing that was never written.

use std::panic::{catch_unwind, AssertUnwindSafe};

use board::Board;
use firmware::planted::{plant, Bug};

use nvme::command::Header;
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use sim::{HostMemory, Payload, Polling, Stamp};

use crate::history::Power;
use crate::plain::{Bench, DATA};
use crate::storm::Storm;
use crate::storms::{seeds, Case, Overrides};

/// What came of a storm.
struct Outcome {
    cuts: u32,
    done: u32,
    lost: u32,
    bad_blocks: u64,
    journal_pages: u64,
}

fn storm((seed, resets): (u64, bool), (cuts, steps): (u32, u32), overrides: Overrides) -> Outcome {
    let case = Case { seed, overrides };
    let usual = [
        ("geometry.blocks_per_way", "48"),
        ("flash.pages_per_physical_block", "32"),
        ("ftl.spare_blocks_per_way", "8"),
        ("ftl.buffer_kib", "512"),
        ("ftl.overprovision_percent", "12"),
        ("recovery.log_entries", "6"),
    ];
    let overrides: Vec<(String, String)> =
        usual.iter().chain(overrides).map(|&(k, v)| (k.into(), v.into())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut storm = Storm::new(&board, (seed, Power::MayFail));
    storm.resets = resets;
    let (mut bad_blocks, mut journal_pages) = (0, 0);
    while storm.cuts < cuts {
        for _ in 0..steps {
            storm.step();
        }
        let firmware = storm.bench.drive.firmware();
        bad_blocks += firmware.counters().bad_blocks;
        journal_pages += firmware.log().journal_pages;
        storm = storm.cut_power();
    }
    storm.finish();
    drop(case);
    Outcome { cuts: storm.cuts, done: storm.done, lost: storm.lost, bad_blocks, journal_pages }
}

#[test]
fn what_was_durable_outlives_the_power() {
    const BOARDS: [Overrides; 6] = [
        &[],
        &[("ftl.cache", "write-through")],
        &[("ftl.background_flush_percent", "0"), ("ftl.background_collection_pages", "0")],
        &[("channel.scheduler", "controller"), ("channel.execution", "sequential")],
        &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
        ],
    ];
    for (overrides, first) in BOARDS.into_iter().zip((1..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let outcome = storm((seed, true), (12, 80), overrides);
            let Outcome { cuts, done, lost, bad_blocks, journal_pages } = outcome;
            assert!(cuts >= 12 && done > 500, "{overrides:?}: {cuts} cuts, {done} done");
            assert_eq!((lost, bad_blocks), (0, 0), "{overrides:?} seed {seed}");
            assert!(journal_pages > 20, "{overrides:?} seed {seed}: {journal_pages} journal pages");
        }
    }
}

/// Blocks go bad meanwhile, and no page is lost: spares last.
#[test]
fn what_was_durable_outlives_the_power_and_blocks_that_go_bad() {
    const FAILURES: (&str, &str) = ("errors.program_failures_per_billion", "2000000");
    const ERASES: (&str, &str) = ("errors.erase_failures_per_billion", "12000000");
    const FACTORY: (&str, &str) = ("errors.factory_bad_blocks_per_million", "20000");
    const SPARES: (&str, &str) = ("ftl.spare_blocks_per_way", "16");
    const BOARDS: [Overrides; 3] = [
        &[FAILURES, ERASES, FACTORY, SPARES],
        &[
            FAILURES,
            ERASES,
            FACTORY,
            SPARES,
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
        ],
        &[
            FAILURES,
            ERASES,
            FACTORY,
            SPARES,
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
            ("flash.planes", "2"),
        ],
    ];
    let mut failed = 0;
    for (overrides, first) in BOARDS.into_iter().zip((101..).step_by(10)) {
        for seed in seeds(first..first + 2) {
            let Outcome { lost, bad_blocks, .. } = storm((seed, true), (10, 80), overrides);
            assert_eq!(lost, 0, "{overrides:?} seed {seed}");
            failed += bad_blocks;
        }
    }
    assert!(failed > 20, "{failed} blocks failed");
}

/// The same with bytes for data, which pass through scrambler and decoder, the log's pages too.
#[test]
fn bytes_outlive_the_power() {
    let overrides = [("recovery.log_entries".to_owned(), "6".to_owned())];
    let board = Board::resolve("small", &overrides).expect("the board");
    let payload = Payload::Bytes { block_bytes: 4096, seed: 3 };
    let mut bench = Bench::new(&board, payload, Polling::Skip);
    bench.start_once();
    let stamp = |lba, version| Stamp::new(lba, version);
    for (version, lbas) in [(2, 0..400), (3, 100..200)] {
        for lba in lbas.step_by(4) {
            bench.write(lba, &[0, 1, 2, 3].map(|nth| stamp(lba + nth, version)));
        }
    }
    bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
    for _ in 0..3 {
        bench = bench.cut_power((&board, payload));
        bench.start_once();
        assert!(bench.drive.firmware().log().recovery_reads > 0);
        for lba in 0..400 {
            let version = if (100..200).contains(&lba) { 3 } else { 2 };
            assert_eq!(bench.read(lba, 1).expect("readable"), [stamp(lba, version)]);
        }
    }
}

/// Boards that rounds take turns on.
const ROUNDS: [Overrides; 7] = [
    &[],
    // Blocks fail.
    &[
        ("errors.program_failures_per_billion", "3000000"),
        ("errors.erase_failures_per_billion", "20000000"),
        ("ftl.spare_blocks_per_way", "24"),
        ("recovery.snapshots_per_journal_page", "1"),
        ("geometry.blocks_per_way", "160"),
    ],
    // A map of many parts, so that snapshots are old.
    &[
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("recovery.snapshots_per_journal_page", "1"),
        ("geometry.blocks_per_way", "160"),
    ],
    // Pages are lost.
    &[("errors.raw_bits_per_terabit", "1900000000"), ("ftl.read_retries", "1")],
    &[("ftl.background_flush_percent", "0"), ("ftl.background_collection_pages", "0")],
    &[
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("channel.merging", "planes-and-cache"),
        ("flash.planes", "2"),
    ],
    // Slow ways with long queues beside fast ones, and blocks that are collected soon.
    &[
        ("flash.t_read_slc_us", "800"),
        ("flash.t_program_slc_us", "800"),
        ("flash.t_erase_us", "800"),
        ("flash.die_deviation_us", "700"),
        ("flash.read_deviation_us", "1"),
        ("flash.program_deviation_us", "1"),
        ("flash.erase_deviation_us", "1"),
        ("flash.pages_per_physical_block", "16"),
        ("geometry.blocks_per_way", "64"),
        ("ftl.background_flush_percent", "0"),
        ("ftl.background_collection_pages", "0"),
        ("ftl.overprovision_percent", "4"),
    ],
];

/// Power losses and steps between them, by turns.
const LENGTHS: [(u32, u32); 3] = [(8, 60), (20, 15), (4, 150)];

/// A round on one of the boards. Every other one has no resets: a reset may overtake a write whose former page is
/// erased, which is then lost, by a known limit. Without them nothing is.
fn round(seed: u64, board: usize) -> Outcome {
    let (lengths, overrides) = (LENGTHS[(seed / 7) as usize % LENGTHS.len()], ROUNDS[board]);
    let resets = seed % 2 == 1;
    let outcome = storm((seed, resets), lengths, overrides);
    let lost = outcome.lost;
    let has_errors = overrides.iter().any(|(key, _)| *key == "errors.raw_bits_per_terabit");
    assert!(lost == 0 || resets || has_errors, "seed {seed}, board {board}: {lost} pages are lost");
    outcome
}

/// Rounds of all boards by turns.
const ALL_ROUNDS: u64 = 21;

/// Without a bug no round finds one.
#[test]
fn rounds_of_power_losses_break_no_promise() {
    let (mut rounds, mut losses, mut commands) = (0, 0, 0);
    for seed in seeds(1_000..1_000 + ALL_ROUNDS) {
        let Outcome { cuts, done, .. } = round(seed, seed as usize % ROUNDS.len());
        (rounds, losses, commands) =
            (rounds + 1, losses + u64::from(cuts), commands + u64::from(done));
    }
    println!("{rounds} rounds, {losses} power losses, {commands} commands that ended well");
}

/// The board whose rounds find each planted bug soon, and from which seed on.
const FOUND_ON: [(Bug, usize, u64); 19] = [
    (Bug::FlushTooEarly, 0, 1000),
    (Bug::FlushForgetsFreed, 5, 1000),
    (Bug::ForcedAccessIgnored, 0, 1000),
    (Bug::FreedNotRecorded, 0, 1000),
    (Bug::StaleCopyMoved, 0, 1000),
    (Bug::WrongBlockErased, 0, 1000),
    (Bug::OpenedNotAwaited, 0, 1000),
    (Bug::SnapshotTooEarly, 1, 1000),
    (Bug::JournalCountsTooEarly, 5, 1003),
    (Bug::BadBlocksNotRecorded, 1, 1000),
    (Bug::FilledTooEarly, 1, 1000),
    (Bug::SequenceIgnored, 2, 1000),
    (Bug::OldRecordsApplied, 5, 1000),
    (Bug::OldSnapshotTaken, 0, 1000),
    (Bug::OpenNotRead, 0, 1000),
    (Bug::TornTakenForErased, 0, 1000),
    (Bug::FoundNotRecorded, 2, 1012),
    (Bug::FilledNotAwaited, 2, 1000),
    (Bug::FreeNotErased, 0, 1020),
];

/// Rounds within which each planted bug is found.
const MOST_ROUNDS: u64 = 10;

/// Every planted bug breaks a promise that a storm sees, and the same storm sees none without it.
#[test]
fn power_losses_find_every_planted_bug() {
    let missed: Vec<_> = FOUND_ON.into_iter().filter(|&round| !is_found(round)).collect();
    assert_eq!(missed, [], "bugs that {MOST_ROUNDS} rounds did not find");
}

fn is_found((bug, board, first): (Bug, usize, u64)) -> bool {
    plant(Some(bug));
    let fails = |seed: &u64| catch_unwind(AssertUnwindSafe(|| round(*seed, board))).is_err();
    let found = (first..first + MOST_ROUNDS).find(fails);
    plant(None);
    if let Some(seed) = found {
        println!("{bug:?}: found with seed {seed}");
        round(seed, board);
    }
    found.is_some()
}

/// What was freed without a promise, and then freed again with one, stays freed.
#[test]
fn what_is_freed_again_durably_stays_freed() {
    assert!(stays_freed());
    plant(Some(Bug::FreedBeforeNotAwaited));
    let found = !stays_freed();
    plant(None);
    assert!(found, "{:?} is not found", Bug::FreedBeforeNotAwaited);
}

/// Deallocates a page, writes zeroes to it with forced unit access, and cuts the power.
fn stays_freed() -> bool {
    let overrides = [("recovery.log_entries".to_owned(), "6".to_owned())];
    let board = Board::resolve("small", &overrides).expect("the board");
    let payload = Payload::Stamps { block_bytes: 4096 };
    let mut bench = Bench::new(&board, payload, Polling::Skip);
    bench.start_once();
    bench.write(0, &[0, 1, 2, 3].map(|lba| Stamp::new(lba, 2)));
    bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
    let mut bytes = [0; Range::BYTES];
    Range { attributes: 0, blocks: 4, start: 0 }.emit(&mut bytes);
    assert!(bench.drive.host_mut().memory.write(DATA, &bytes));
    let deallocate = IoCommand::DatasetManagement { ranges: 1, purpose: DatasetUse::Deallocate };
    let header = bench.data(1);
    bench.io(&[deallocate.emit(header)]);
    let range = BlockRange { start: 0, blocks: 4 };
    bench.io(&[IoCommand::WriteZeroes(range, UnitAccess::Forced).emit(header)]);
    let mut bench = bench.cut_power((&board, payload));
    bench.start_once();
    bench.read(0, 4).is_ok_and(|found| found == [Stamp::ZERO; 4])
}
