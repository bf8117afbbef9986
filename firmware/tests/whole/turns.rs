//! A turn of the main loop is bounded in work, whatever the commands are, and nobody starves.

use contract::Configuration;
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::Load;

const NORMAL: UnitAccess = UnitAccess::Normal;
/// Slices and operations a turn, of commands with data and of the others.
const BUDGETS: [u32; 2] = [128, 16];
/// What the last slice of each may go beyond them without collection.
const LAST_SLICES: u32 = 2 * 4;

/// A drive of 12,000 mapping units.
fn wide() -> Configuration {
    let mut config = configuration();
    config.geometry.blocks_per_way = 400;
    Configuration { logical_pages: 12_000, buffer_entries: 512, ..config }
}

const BLOCKS: u64 = 12_000 * BLOCKS_A_PAGE;

/// The turns that pass until something is the case.
fn turns_until(bench: &mut Bench, mut until: impl FnMut(&Bench) -> bool) -> u64 {
    let first = bench.body.turn;
    while !until(bench) {
        assert!(bench.body.turn < first + 100_000, "it never comes");
        bench.firmware.pass(&mut bench.body);
    }
    bench.body.turn - first
}

#[test]
fn a_deallocation_of_the_drive_is_cut_a_few_units_a_turn_and_reads_hardly_wait_for_it() {
    let mut bench = Bench::new(&wide());
    bench.write(0, &numbers(0, 32, 1), UnitAccess::Forced);
    let alone = {
        let read = bench.submit(IoCommand::Read(range(8, 1), NORMAL), vec![0]);
        turns_until(&mut bench, |bench| bench.is_done(read))
    };
    bench.body.most = Load::default();
    let first = bench.body.turn;
    let trim = bench.begin_trim(BLOCKS_A_PAGE * 8, (BLOCKS - BLOCKS_A_PAGE * 8) as usize);
    let mut reads = 0;
    while !bench.is_done(trim) {
        let read = bench.submit(IoCommand::Read(range(reads % 32, 1), NORMAL), vec![0]);
        let turns = turns_until(&mut bench, |bench| bench.is_done(read));
        assert!(turns <= alone + 1, "read {reads} takes {turns} turns, alone {alone}");
        assert_eq!(bench.finish(read).1, numbers(reads % 32, 1, 1));
        reads += 1;
    }
    let turns = bench.body.turn - first;
    let least = 12_000 / u64::from(BUDGETS[1]);
    assert!(bench.body.most.slices <= BUDGETS[1] + 2, "{:?}", bench.body.most);
    assert!((least - 100..least + 100).contains(&turns), "{turns} turns");
    assert!(reads > 50, "{reads} reads");
}

#[test]
fn a_burst_of_commands_with_data_is_cut_within_the_budget() {
    let mut bench = Bench::new(&wide());
    let writes: Vec<_> = (0..31u64)
        .map(|nth| {
            let lba = nth * 32;
            bench.submit(IoCommand::Write(range(lba, 32), NORMAL), numbers(lba, 32, 1))
        })
        .collect();
    writes.into_iter().for_each(|tag| assert!(bench.finish(tag).0.is_success()));
    bench.body.most = Load::default();
    // Pages that were never written: each slice fills an entry and moves it.
    let reads: Vec<_> = (0..31u64)
        .map(|nth| bench.submit(IoCommand::Read(range(8192 + nth * 32, 32), NORMAL), vec![9; 32]))
        .collect();
    for tag in reads {
        let (status, data) = bench.finish(tag);
        assert!(status.is_success() && data == [0; 32]);
    }
    let Load { slices, planned, touched, .. } = bench.body.most;
    assert!(slices + planned <= BUDGETS[0] + LAST_SLICES, "{:?}", bench.body.most);
    assert!(planned > BUDGETS[0] / 2, "{planned}: the budget is used");
    assert!(touched <= 64 * 4, "{touched} blocks are filled in a turn");
}

#[test]
fn a_long_command_goes_on_beside_any_number_of_short_ones() {
    // Nothing but the budget holds the short ones back.
    let mut bench = Bench::new(&Configuration { dma_requests: 1_000, ..wide() });
    let trim = bench.begin_trim(0, BLOCKS as usize);
    let mut tags = Vec::new();
    let turns = turns_until(&mut bench, |bench| bench.is_done(trim) || bench.body.turn > 400);
    assert!(!bench.is_done(trim), "{turns} turns");
    // More than the budget of a turn, all the time.
    let mut nth = 0;
    let first = bench.body.turn;
    while !bench.is_done(trim) {
        while tags.len() < 31 {
            let lba = nth % 1000 * 32;
            tags.push(bench.submit(IoCommand::Read(range(lba, 32), NORMAL), vec![0; 32]));
            nth += 1;
        }
        bench.firmware.pass(&mut bench.body);
        let done: Vec<_> = tags.extract_if(.., |tag| bench.is_done(*tag)).collect();
        done.into_iter().for_each(|tag| assert!(bench.finish(tag).0.is_success()));
        assert!(bench.body.turn < first + 1_000, "the deallocation starves");
    }
}

#[test]
fn a_long_command_gets_its_part_of_a_full_pool() {
    let mut bench = Bench::new(&Configuration { command_slots: 401, buffer_entries: 64, ..wide() });
    let (mut tags, mut nth, mut trim) = (Vec::new(), 0, None);
    // Writes that wait for flash, more of them than the pool has operations for.
    while !trim.is_some_and(|tag| bench.is_done(tag)) {
        while tags.len() < 400 {
            let lba = nth % 300 * 32;
            let write = IoCommand::Write(range(lba, 32), UnitAccess::Forced);
            tags.push(bench.submit(write, numbers(lba, 32, 1)));
            nth += 1;
        }
        bench.firmware.pass(&mut bench.body);
        let done: Vec<_> = tags.extract_if(.., |tag| bench.is_done(*tag)).collect();
        done.into_iter().for_each(|tag| assert!(bench.finish(tag).0.is_success()));
        if trim.is_none() && bench.body.turn > 1_000 {
            trim = Some(bench.begin_trim(40_000, 4_000));
        }
        assert!(bench.body.turn < 2_000, "the deallocation starves");
    }
}

/// Many fills of one page that is read behind many programs come free at the same moment.
#[test]
fn what_the_processor_does_itself_is_bounded_too() {
    let mut bench = Bench::new(&Configuration { command_slots: 250, ..configuration() });
    bench.write(0, &numbers(0, 4, 1), UnitAccess::Forced);
    for page in 1..9 {
        bench.write(page * BLOCKS_A_PAGE, &numbers(page * 4, 4, 1), UnitAccess::Forced);
    }
    let mut tags: Vec<_> = (0..120u64)
        .map(|nth| {
            let lba = (10 + nth % 100) * BLOCKS_A_PAGE;
            let write = IoCommand::Write(range(lba, 4), UnitAccess::Forced);
            bench.submit(write, numbers(lba, 4, 2))
        })
        .collect();
    for _ in 0..100 {
        tags.push(bench.submit(IoCommand::WriteZeroes(range(1, 1), NORMAL), Vec::new()));
    }
    bench.body.most = Load::default();
    for tag in tags {
        assert!(bench.finish(tag).0.is_success());
    }
    assert_eq!(bench.body.most.touched, 64, "{:?}", bench.body.most);
    let expected: Vec<u64> =
        [1, 0, 3, 4].map(|n: u64| if n > 0 { 1_000_000 + n } else { 0 }).into();
    assert_eq!(bench.read(0, 4, NORMAL), Ok(expected));
}

#[test]
fn long_commands_take_turns() {
    let mut bench = Bench::new(&wide());
    bench.write(0, &numbers(0, 32, 1), NORMAL);
    let trim = bench.begin_trim(1024, BLOCKS as usize - 1024);
    turns_until(&mut bench, |bench| bench.body.most.slices >= BUDGETS[1]);
    let flush = bench.submit(IoCommand::Flush, Vec::new());
    let zeroes = bench.submit(IoCommand::WriteZeroes(range(512, 256), NORMAL), Vec::new());
    let turns = turns_until(&mut bench, |bench| bench.is_done(flush) && bench.is_done(zeroes));
    assert!(!bench.is_done(trim) && turns < 100, "{turns} turns");
    assert_eq!(bench.in_flash(31), Some(numbers(31, 1, 1)[0]));
    turns_until(&mut bench, |bench| bench.is_done(trim));
}

#[test]
fn a_flush_that_takes_many_turns_covers_what_was_written_before_it() {
    let mut bench = Bench::new(&wide());
    for lba in (0..2048).step_by(32) {
        bench.write(lba, &numbers(lba, 32, 1), NORMAL);
    }
    bench.body.most = Load::default();
    assert_eq!(bench.firmware.inspect().dirty_entries(), 512);
    let flush = bench.submit(IoCommand::Flush, Vec::new());
    let mut later = Vec::new();
    // Some pages are overwritten meanwhile, and others pushed out of the buffer.
    for lba in (0..4096u64).step_by(512) {
        later.push(bench.submit(IoCommand::Write(range(lba, 32), NORMAL), numbers(lba, 32, 2)));
        bench.firmware.pass(&mut bench.body);
    }
    assert!(bench.finish(flush).0.is_success());
    for lba in 0..2048 {
        let found = bench.in_flash(lba).expect("it is in flash");
        let versions = [1, 2].map(|version| numbers(lba, 1, version)[0]);
        assert!(versions.contains(&found), "block {lba}: {found}");
    }
    let most = bench.body.most;
    assert!(most.planned <= BUDGETS[0] + BUDGETS[1] + LAST_SLICES, "{most:?}");
    later.into_iter().for_each(|tag| assert!(bench.finish(tag).0.is_success()));
}

#[test]
fn commands_that_end_at_once_are_taken_eight_a_turn() {
    let mut bench = Bench::new(&configuration());
    let beyond = u64::from(configuration().logical_pages) * BLOCKS_A_PAGE;
    let tags: Vec<_> = (0..20)
        .map(|nth| bench.submit(IoCommand::Read(range(beyond + nth, 1), NORMAL), vec![0]))
        .collect();
    for ended in [8, 16, 20] {
        bench.firmware.pass(&mut bench.body);
        assert_eq!(tags.iter().filter(|tag| bench.is_done(**tag)).count(), ended);
    }
}
