//! Power losses in rounds on boards that are known to be hard: whatever a flush, forced unit access or a
//! write-through cache made durable is there afterwards, and nothing that was never written.

use board::Board;
use firmware::ftl::precondition::Precondition;
use firmware::planted::{plant, Bug};
use machine::{HostMemory, Payload, Polling, Stamp};
use nvme::command::{Entry, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use torture::bench::{Bench, DATA};
use torture::storm::Outcome;

use crate::boards::{lawful, run, seeds, Length, Overrides};

/// Some ten power losses.
const LENGTH: Length = Length { commands: 2_500, turns_between_cuts: 80 };

/// The board with a log, and with blocks for it.
pub fn with_log(overrides: Overrides) -> Vec<(&'static str, &'static str)> {
    const LOG: [(&str, &str); 2] =
        [("geometry.blocks_per_way", "48"), ("recovery.log_entries", "6")];
    LOG.iter().chain(overrides).copied().collect()
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
        for seed in seeds(first..first + 1) {
            let Outcome { cuts, done, lost, bad_blocks, journal_pages, .. } =
                run(seed, &with_log(overrides), (lawful(), LENGTH));
            assert!(cuts >= 6 && done > 500, "{overrides:?}: {cuts} cuts, {done} done");
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
        for seed in seeds(first..first + 1) {
            let Outcome { lost, bad_blocks, .. } =
                run(seed, &with_log(overrides), (lawful(), LENGTH));
            assert_eq!(lost, 0, "{overrides:?} seed {seed}");
            failed += bad_blocks;
        }
    }
    assert!(failed > 4, "{failed} blocks failed");
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

/// What was freed without a promise stays freed behind a command that promises it: one that frees it again durably, and a
/// flush.
#[test]
fn what_is_freed_stays_freed_behind_what_promises_it() {
    let header = Header { cid: 0, nsid: 1, ..Header::default() };
    let zeroes = IoCommand::WriteZeroes(BlockRange { start: 0, blocks: 4 }, UnitAccess::Forced);
    for (bug, promise) in [
        (Bug::FreedBeforeNotAwaited, zeroes.emit(header)),
        (Bug::FlushForgetsFreed, IoCommand::Flush.emit(header)),
    ] {
        assert!(stays_freed(promise), "without {bug:?}");
        plant(Some(bug));
        let found = !stays_freed(promise);
        plant(None);
        assert!(found, "{bug:?} is not found");
    }
}

/// Deallocates a page, does what promises that, and cuts the power.
fn stays_freed(promise: Entry) -> bool {
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
    bench.io(&[promise]);
    let mut bench = bench.cut_power((&board, payload));
    bench.start_once();
    bench.read(0, 4).is_ok_and(|found| found == [Stamp::ZERO; 4])
}

/// Blocks are known to be as worn as they were, but for one erase of each, and all of them but for less than one a way.
#[test]
fn erases_of_a_block_outlive_the_power() {
    let overrides = [
        ("geometry.blocks_per_way", "160"),
        ("flash.pages_per_physical_block", "256"),
        ("recovery.log_entries", "6"),
        ("recovery.snapshots_per_journal_page", "1"),
        ("ftl.wear_levelling", "static"),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let board = Board::resolve("small", &overrides).expect("the board");
    let payload = Payload::Stamps { block_bytes: 4096 };
    let mut bench = Bench::new(&board, payload, Polling::Skip);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    let counts = |bench: &Bench| bench.drive.firmware().erase_counts().collect::<Vec<u32>>();
    let sum = |counts: &[u32]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    for cut in 0..3 {
        for page in 0..20_000_u64 {
            let lba = page * 7919 % 600 * 4;
            bench.write(lba, &[0, 1, 2, 3].map(|nth| Stamp::new(lba + nth, 2)));
        }
        let before = counts(&bench);
        bench = bench.cut_power((&board, payload));
        bench.start_once();
        let after = counts(&bench);
        let off = before.iter().zip(&after).map(|(before, after)| before.abs_diff(*after)).max();
        assert!(off <= Some(1), "cut {cut}: {off:?} erases of a block");
        let off = sum(&before).abs_diff(sum(&after));
        assert!(off < 4, "cut {cut}: {off} erases of all blocks");
    }
}
