//! Channels that move parts of pages: what is read of a page, and that nobody meets what was not.

use contract::{Configuration, Lpn};
use firmware::sched::{HandOverScheduler, PhaseScheduler, Scheduling};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::{Body, BLOCK_BYTES};
use crate::channels::scheduled;

const NORMAL: UnitAccess = UnitAccess::Normal;
const FORCED: UnitAccess = UnitAccess::Forced;

/// A drive of whose pages single blocks can be read, or pairs of them.
fn parts(blocks: u32) -> Configuration {
    Configuration { read_unit_bytes: blocks * BLOCK_BYTES, ..configuration() }
}

/// A drive whose page 2, blocks 8 to 11, is in flash and not in the buffer.
fn bench_of<S: Scheduling<Body>>(config: &Configuration) -> Bench<S> {
    let mut bench = Bench::scheduling(config);
    bench.write(8, &numbers(8, 4, 1), FORCED);
    push_out(&mut bench);
    bench
}

fn bench() -> Bench<PhaseScheduler> {
    bench_of(&parts(1))
}

/// Uses every buffer entry for another page.
fn push_out(bench: &mut Bench<impl Scheduling<Body>>) {
    for page in 0..u64::from(configuration().buffer_entries) {
        let lba = (100 + page) * BLOCKS_A_PAGE;
        assert!(bench.read(lba, 1, NORMAL).is_ok());
    }
}

/// Blocks that were read of flash while something was done.
fn blocks_read<S: Scheduling<Body>>(bench: &mut Bench<S>, what: impl FnOnce(&mut Bench<S>)) -> u64 {
    let before = bench.body.done.blocks_read;
    what(bench);
    bench.body.done.blocks_read - before
}

#[test]
fn a_read_moves_what_it_touches_and_later_ones_what_is_missing() {
    fn check<S: Scheduling<Body>>(config: &Configuration, unit: u64) {
        let mut bench = bench_of::<S>(config);
        let mut read = |lba, count: usize| {
            blocks_read(&mut bench, |bench| {
                assert_eq!(bench.read(lba, count, NORMAL), Ok(numbers(lba, count as u64, 1)));
            })
        };
        assert_eq!(read(9, 1), unit, "its unit");
        assert_eq!(read(9, 1), 0, "it is there");
        // With units of one block the second and the fourth are there by then.
        assert_eq!(read(11, 1), unit);
        assert_eq!(read(8, 2), if unit == 1 { 1 } else { 0 });
        assert_eq!(read(8, 4), if unit == 1 { 1 } else { 0 });
        let counters = bench.firmware.inspect().counters();
        assert_eq!(counters.buffer_hits, if unit == 1 { 1 } else { 3 });
    }
    for unit in [1, 2] {
        let config = parts(unit);
        check::<PhaseScheduler>(&config, unit.into());
        check::<HandOverScheduler>(&scheduled(&config), unit.into());
    }
}

#[test]
fn what_is_there_already_does_not_come_between_two_parts() {
    let mut bench = bench();
    assert_eq!(bench.read(9, 1, NORMAL), Ok(numbers(9, 1, 1)));
    // Blocks 8, 10 and 11 are missing: one read has them all.
    let before = bench.body.done.reads;
    assert_eq!(bench.read(8, 4, NORMAL), Ok(numbers(8, 4, 1)));
    assert_eq!(bench.body.done.reads - before, 1);
}

#[test]
fn whatever_changes_a_page_or_programs_it_finds_all_of_it() {
    type Change = fn(&mut Bench<PhaseScheduler>);
    let change: [(Change, [Option<u64>; 4]); 3] = [
        (|bench| bench.write(9, &[77], NORMAL), [None, Some(77), None, None]),
        (|bench| bench.write(10, &[7, 8], FORCED), [None, None, Some(7), Some(8)]),
        (
            |bench| bench.done(IoCommand::WriteZeroes(range(8, 1), NORMAL)),
            [Some(0), None, None, None],
        ),
    ];
    for before in [0, 1, 4] {
        for (change, changed) in &change {
            let mut bench = bench();
            if before > 0 {
                assert!(bench.read(12 - before, before as usize, NORMAL).is_ok());
            }
            change(&mut bench);
            bench.done(IoCommand::Flush);
            let old = numbers(8, 4, 1);
            for nth in 0..4 {
                let expected = changed[nth].unwrap_or(old[nth]);
                assert_eq!(bench.in_flash(8 + nth as u64), Some(expected), "block {nth}");
                assert_eq!(bench.read(8 + nth as u64, 1, NORMAL), Ok(vec![expected]));
            }
        }
    }
}

#[test]
fn a_write_of_all_of_a_page_reads_nothing_of_it() {
    let mut bench = bench();
    bench.read(9, 1, NORMAL).unwrap();
    let read = blocks_read(&mut bench, |bench| {
        bench.write(8, &numbers(8, 4, 2), NORMAL);
        assert_eq!(bench.read(8, 4, NORMAL), Ok(numbers(8, 4, 2)));
    });
    assert_eq!(read, 0);
}

/// Data that were to replace a page do not arrive. One of its blocks is in the buffer, the others are what
/// the entry held before.
#[test]
fn data_that_do_not_arrive_leave_a_page_as_it_was_that_is_there_in_part() {
    for also in [false, true] {
        let mut bench = bench();
        bench.read(9, 1, NORMAL).unwrap();
        let tag = bench.submit(IoCommand::Write(range(8, 4), NORMAL), numbers(8, 4, 3));
        bench.body.bad_pointers.insert(tag);
        // Somebody waits for the entry, so that it cannot be dropped.
        let read = IoCommand::Read(range(8, 4), NORMAL);
        let behind = also.then(|| bench.submit(read, vec![u64::MAX; 4]));
        assert!(bench.finish(tag).0.is(Status::DATA_TRANSFER_ERROR));
        if let Some(behind) = behind {
            let (status, found) = bench.finish(behind);
            assert!(status.is_success());
            assert_eq!(found, numbers(8, 4, 1));
        }
        assert_eq!(bench.read(8, 4, NORMAL), Ok(numbers(8, 4, 1)));
    }
}

#[test]
fn a_forced_read_or_compare_reads_its_part_of_flash_again() {
    let mut bench = bench();
    assert_eq!(bench.read(8, 4, NORMAL), Ok(numbers(8, 4, 1)));
    let read = |bench: &mut Bench<PhaseScheduler>| {
        assert_eq!(bench.read(10, 2, FORCED), Ok(numbers(10, 2, 1)));
    };
    assert_eq!(blocks_read(&mut bench, read), 2);
    let compare = |bench: &mut Bench<PhaseScheduler>| {
        assert!(bench.compare(11, &numbers(11, 1, 1), FORCED).is_success());
    };
    assert_eq!(blocks_read(&mut bench, compare), 1);
    // What is dirty is programmed first, all of it.
    bench.write(8, &[5], NORMAL);
    assert_eq!(bench.read(9, 1, FORCED), Ok(numbers(9, 1, 1)));
    assert_eq!(bench.in_flash(8), Some(5));
    assert_eq!(bench.read(8, 1, NORMAL), Ok(vec![5]));
}

#[test]
fn an_entry_that_is_used_anew_has_nothing_of_its_page_yet() {
    let mut bench = bench();
    let pages = [2, 20, 21, 22, 23, 24, 25, 26, 27, 28];
    for page in &pages[1..] {
        let lba = page * BLOCKS_A_PAGE;
        bench.write(lba, &numbers(lba, 4, 1), FORCED);
    }
    // Each entry goes from a page of which all was there to one of which a block is asked for.
    for block in [3, 0, 2, 1] {
        for page in pages {
            let lba = page * BLOCKS_A_PAGE + block;
            assert_eq!(bench.read(lba, 1, NORMAL), Ok(numbers(lba, 1, 1)));
        }
    }
}

/// The unit of a block that cannot be read is lost, and no other.
#[test]
fn a_block_that_cannot_be_read_leaves_the_others_readable() {
    let mut bench = bench();
    let page = bench.firmware.inspect().translator().lookup(Lpn(2)).expect("it is in flash").page;
    bench.body.faults.blocks.insert((page.die, page.row, 1));
    for lba in [8, 10, 11] {
        assert_eq!(bench.read(lba, 1, NORMAL), Ok(numbers(lba, 1, 1)));
    }
    for _ in 0..2 {
        assert!(bench.read(9, 1, NORMAL).unwrap_err().is(Status::UNRECOVERED_READ));
        assert!(bench.compare(9, &[0], NORMAL).is(Status::UNRECOVERED_READ));
        assert_eq!(bench.read(10, 1, NORMAL), Ok(numbers(10, 1, 1)));
    }
    // All of a page has to be good before it is changed, but for what is replaced.
    bench.write(9, &[55], NORMAL);
    bench.done(IoCommand::Flush);
    push_out(&mut bench);
    let expected = [numbers(8, 1, 1), vec![55], numbers(10, 2, 1)].concat();
    assert_eq!(bench.read(8, 4, NORMAL), Ok(expected));
}

/// Verify reads what a host would get, and moves nothing of it to the host.
#[test]
fn what_is_verified_is_read() {
    fn verify(bench: &mut Bench, lba: u64, count: usize, access: UnitAccess) -> Status {
        let tag = bench.submit(IoCommand::Verify(range(lba, count), access), Vec::new());
        bench.finish(tag).0
    }
    let mut bench = bench();
    let page = bench.firmware.inspect().translator().lookup(Lpn(2)).expect("it is in flash").page;
    bench.body.faults.blocks.insert((page.die, page.row, 1));
    let read = blocks_read(&mut bench, |bench| {
        assert!(verify(bench, 10, 2, NORMAL).is_success());
    });
    assert_eq!(read, 2, "it was not in the buffer");
    assert!(verify(&mut bench, 9, 1, NORMAL).is(Status::UNRECOVERED_READ));
    assert!(verify(&mut bench, 0, 16, NORMAL).is(Status::UNRECOVERED_READ), "a block of many");
    // What holds no data has nothing to be read.
    bench.trim(8, 4);
    assert!(verify(&mut bench, 8, 4, FORCED).is_success());
    // With forced unit access what is dirty is in flash first, and read from there.
    bench.write(20, &[5], NORMAL);
    assert!(verify(&mut bench, 20, 1, FORCED).is_success());
    assert_eq!(bench.in_flash(20), Some(5));
}

/// A deallocation of the whole drive is taken back in the middle: what it has come to is zeroes, the rest keeps its data.
#[test]
fn a_long_deallocation_can_be_aborted() {
    let mut bench = bench();
    let all = u64::from(configuration().logical_pages) * BLOCKS_A_PAGE;
    for lba in (0..all).step_by(BLOCKS_A_PAGE as usize) {
        bench.write(lba, &numbers(lba, BLOCKS_A_PAGE, 1), NORMAL);
    }
    bench.done(IoCommand::Flush);
    let tag = bench.begin_trim(0, all as usize);
    while bench.firmware.inspect().translator().lookup(Lpn(0)).is_some() {
        bench.firmware.pass(&mut bench.body);
    }
    assert_eq!(bench.abort(), 0, "it was aborted");
    assert!(bench.is_done(tag), "it is over before its Abort is");
    assert!(bench.finish(tag).0.is(Status::ABORT_REQUESTED));
    let found: Vec<bool> =
        (0..all).map(|lba| bench.read(lba, 1, NORMAL).expect("a block")[0] != 0).collect();
    let kept = found.iter().filter(|kept| **kept).count();
    assert!(kept > 0, "it came to its end");
    let first = found.iter().position(|kept| *kept).expect("something is left");
    assert_eq!(first % BLOCKS_A_PAGE as usize, 0, "whole mapping units are freed");
    assert_eq!(bench.abort(), 1, "it is over");
}

#[test]
fn a_change_beside_a_block_that_cannot_be_read_fails() {
    let mut bench = bench();
    let page = bench.firmware.inspect().translator().lookup(Lpn(2)).expect("it is in flash").page;
    bench.body.faults.blocks.insert((page.die, page.row, 1));
    let tag = bench.submit(IoCommand::Write(range(8, 1), NORMAL), vec![9]);
    assert!(bench.finish(tag).0.is(Status::UNRECOVERED_READ));
    bench.done(IoCommand::Flush);
    push_out(&mut bench);
    for lba in 8..12 {
        let status = bench.read(lba, 1, NORMAL).expect_err("the page is lost");
        assert!(status.is(Status::UNRECOVERED_READ), "{status}");
    }
    bench.write(8, &numbers(8, 4, 3), NORMAL);
    assert_eq!(bench.read(8, 4, NORMAL), Ok(numbers(8, 4, 3)));
}

/// A part of a page does not tell whose it is. The page that collection moved to another place without its
/// data reads well there, and is lost all the same: whether it is read later, or while it is moved.
#[test]
fn lost_data_are_not_taken_for_data_by_the_part() {
    fn check<S: Scheduling<Body>>(config: &Configuration) {
        const VICTIM: u64 = 3;
        let mut bench = Bench::<S>::scheduling(config);
        let pages = u64::from(config.logical_pages);
        for page in 0..pages {
            let lba = page * BLOCKS_A_PAGE;
            bench.write(lba, &numbers(lba, BLOCKS_A_PAGE, 1), NORMAL);
        }
        bench.done(IoCommand::Flush);
        let place =
            |bench: &Bench<S>| bench.firmware.inspect().translator().lookup(Lpn(VICTIM as u32));
        let start = place(&bench).expect("the page has a place");
        bench.body.faults.reads.insert((start.page.die, start.page.row));
        let mut reads = Vec::new();
        for nth in 0..4_000 {
            let lba = (VICTIM + 1 + nth * 37 % (pages - VICTIM - 1)) * BLOCKS_A_PAGE;
            let write = IoCommand::Write(range(lba, 4), NORMAL);
            let tag = bench.submit(write, numbers(lba, BLOCKS_A_PAGE, 2));
            while !bench.is_done(tag) && place(&bench) == Some(start) {
                bench.firmware.pass(&mut bench.body);
            }
            let moves = place(&bench) != Some(start);
            if moves {
                // The move is planned and not done: reads of the new place stand behind it.
                for lba in [VICTIM * BLOCKS_A_PAGE, VICTIM * BLOCKS_A_PAGE + 2] {
                    let read = IoCommand::Read(range(lba, 1), NORMAL);
                    reads.push(bench.submit(read, vec![u64::MAX]));
                }
            }
            assert!(bench.finish(tag).0.is_success());
            if moves {
                break;
            }
        }
        assert_eq!(reads.len(), 2, "collection moved the page");
        for tag in reads {
            assert!(bench.finish(tag).0.is(Status::UNRECOVERED_READ));
        }
        push_out(&mut bench);
        for lba in VICTIM * BLOCKS_A_PAGE..(VICTIM + 1) * BLOCKS_A_PAGE {
            let status = bench.read(lba, 1, NORMAL).expect_err("the data are lost");
            assert!(status.is(Status::UNRECOVERED_READ), "{status}");
        }
    }
    check::<PhaseScheduler>(&parts(1));
    check::<HandOverScheduler>(&scheduled(&parts(1)));
}

/// Small reads and changes of a few pages, with programs, erases and reads that fail.
#[test]
fn both_grains_keep_what_was_written_in_parts() {
    fn check<S: Scheduling<Body>>(config: &Configuration, mut state: u64) {
        let mut draw = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        let mut bench = Bench::<S>::scheduling(config);
        bench.body.faults.programs = (40..4_000).step_by(311).collect();
        bench.body.faults.weak_reads = (3..9_000).step_by(41).collect();
        let mut expected = vec![0; 80];
        for version in 1..3_000 {
            let count = 1 + draw(5);
            let lba = draw(80 - count);
            let at = lba as usize..(lba + count) as usize;
            let access = if draw(5) == 0 { FORCED } else { NORMAL };
            match draw(10) {
                0..=3 => {
                    let data = numbers(lba, count, version);
                    expected[at].copy_from_slice(&data);
                    bench.write(lba, &data, access);
                }
                4 => {
                    expected[at].fill(0);
                    bench.done(IoCommand::WriteZeroes(range(lba, count as usize), access));
                }
                5 => assert!(bench.compare(lba, &expected[at], access).is_success()),
                6 => bench.done(IoCommand::Flush),
                _ => {
                    let found = bench.read(lba, count as usize, access);
                    assert_eq!(found.as_deref(), Ok(&expected[at]), "LBA {lba}, step {version}");
                }
            }
        }
        let counters = bench.firmware.inspect().counters();
        assert!(counters.bad_blocks > 1 && counters.read_retries > 10, "{counters:?}");
        let (pages, blocks) = (bench.body.done.reads, bench.body.done.blocks_read);
        assert!(pages * 2 < blocks && blocks * 4 < pages * 15, "{blocks} blocks of {pages} pages");
    }
    let config = Configuration {
        buffer_entries: 16,
        logical_pages: 100,
        spare_blocks_per_way: 6,
        ..parts(1)
    };
    for seed in 1..4 {
        check::<PhaseScheduler>(&config, seed);
        check::<HandOverScheduler>(&scheduled(&config), seed);
    }
}
