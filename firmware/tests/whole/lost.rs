//! Data that flash cannot give back are reported as lost for ever, until they are written again.

use contract::{Lpn, UnitState};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::FlashPage;

const NORMAL: UnitAccess = UnitAccess::Normal;
/// The page whose data are lost.
const VICTIM: u32 = 3;
const LBA: u64 = VICTIM as u64 * BLOCKS_A_PAGE;

/// Where the page is, unless it is known to be lost.
fn place(bench: &Bench) -> Option<(u32, u32)> {
    let page = bench.firmware.inspect().translator().lookup(Lpn(VICTIM))?.page;
    Some((page.die, page.row))
}

/// A drive that is full of pages, of which the victim cannot be read.
fn full_drive() -> Bench {
    let config = configuration();
    let mut bench = Bench::new(&config);
    for page in 0..u64::from(config.logical_pages) {
        let lba = page * BLOCKS_A_PAGE;
        bench.write(lba, &numbers(lba, BLOCKS_A_PAGE, 1), NORMAL);
    }
    let at = place(&bench).expect("the page has a place");
    bench.body.faults.reads.insert(at);
    bench
}

/// Overwrites other pages until collection has moved the victim.
fn collect_victim(bench: &mut Bench) {
    let (start, pages) = (place(bench), u64::from(configuration().logical_pages));
    for nth in 0..4_000 {
        let lba = (VICTIM as u64 + 1 + nth * 37 % (pages - VICTIM as u64 - 1)) * BLOCKS_A_PAGE;
        bench.write(lba, &numbers(lba, BLOCKS_A_PAGE, 2), NORMAL);
        if place(bench) != start {
            return;
        }
    }
    panic!("collection never moved the page");
}

/// Whether a page says of itself that its data were lost.
fn is_lost(page: &FlashPage) -> bool {
    page.metadata.lpns.iter().eq([(Lpn(VICTIM), UnitState::Lost)])
}

fn assert_lost(bench: &mut Bench) {
    let status = bench.read(LBA, 1, NORMAL).expect_err("the data are lost");
    assert!(status.is(Status::UNRECOVERED_READ), "{status}");
    assert!(bench.compare(LBA, &numbers(LBA, 1, 1), NORMAL).is(Status::UNRECOVERED_READ));
}

#[test]
fn lost_data_stay_lost_when_collection_moves_the_page() {
    let mut bench = full_drive();
    collect_victim(&mut bench);
    // Where it is now, flash gives back what it was given.
    assert_lost(&mut bench);
    assert_eq!(bench.body.pages().filter(|page| is_lost(page)).count(), 1);
    // So it is not moved again, and forgotten by flash.
    assert_eq!(place(&bench), None);
    for nth in 0..1_000 {
        let lba = 4 * BLOCKS_A_PAGE + nth * 28 % 768;
        bench.write(lba, &numbers(lba, BLOCKS_A_PAGE, 3), NORMAL);
    }
    assert_lost(&mut bench);
    assert_eq!(bench.body.pages().filter(|page| is_lost(page)).count(), 0);
    bench.write(LBA, &numbers(LBA, 4, 7), NORMAL);
    assert_eq!(bench.read(LBA, 4, NORMAL), Ok(numbers(LBA, 4, 7)));
}

/// A move that fails after one that went well finds in its entry the data of the one before.
#[test]
fn other_pages_of_the_block_are_moved_with_their_own_data() {
    let mut bench = full_drive();
    collect_victim(&mut bench);
    let pages = u64::from(configuration().logical_pages);
    for page in (0..pages).filter(|&page| page != VICTIM as u64) {
        let lba = page * BLOCKS_A_PAGE;
        let found = bench.read(lba, 4, NORMAL).expect("only one page is lost");
        assert!(found == numbers(lba, 4, 1) || found == numbers(lba, 4, 2), "page {page}");
    }
}

#[test]
fn a_write_of_part_of_lost_data_fails_and_one_of_all_mends() {
    let mut bench = full_drive();
    collect_victim(&mut bench);
    let command = IoCommand::Write(range(LBA + 1, 1), NORMAL);
    let tag = bench.submit(command, numbers(LBA + 1, 1, 5));
    let (status, _) = bench.finish(tag);
    assert!(status.is(Status::UNRECOVERED_READ), "{status}");
    assert_lost(&mut bench);
    bench.write(LBA, &numbers(LBA, 4, 6), NORMAL);
    assert_eq!(bench.read(LBA, 4, NORMAL), Ok(numbers(LBA, 4, 6)));
}

#[test]
fn a_page_is_read_again_as_often_as_the_board_says() {
    let mut bench = full_drive();
    let before = bench.body.done.reads;
    assert_lost(&mut bench);
    let counters = bench.firmware.inspect().counters();
    // The read, and the retry that the board allows. The compare finds the entry poisoned.
    assert_eq!((bench.body.done.reads - before, counters.read_retries), (2, 1));
    assert_eq!(counters.unreadable_pages, 1);
}
