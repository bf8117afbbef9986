//! Drives whose channels join operations over planes: pages that follow each other fill a row of all
//! planes, and what can be joined is handed over together.

use contract::packet::{Operation, Request};
use contract::Configuration;
use firmware::sched::HandOverScheduler;
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::channels::{scheduled, CacheMode};
use crate::wear::{replace_blocks, run_out_of_spares};

const NORMAL: UnitAccess = UnitAccess::Normal;

/// Two channels of two ways, with so many superblocks beside the spares in each.
fn joined(joined_planes: u32, superblocks: u32, spare_blocks_per_way: u32) -> Configuration {
    let mut config = Configuration { joined_planes, spare_blocks_per_way, ..configuration() };
    config.geometry.blocks_per_way = superblocks * joined_planes + spare_blocks_per_way;
    scheduled(&config)
}

/// The fewest superblocks in which collection never ends, and one more.
fn narrow(planes: u32, spares: u32) -> Configuration {
    let superblocks = configuration().logical_pages.div_ceil(4 * 8 * planes) + 2;
    joined(planes, superblocks + 1, spares)
}

fn spacious(planes: u32) -> Configuration {
    Configuration { buffer_entries: 64, command_slots: 160, ..joined(planes, 8, 4) }
}

/// Does something to pages without waiting, then waits for all.
fn each_page(
    bench: &mut Bench<HandOverScheduler>,
    pages: impl Iterator<Item = u64>,
    command: impl Fn(u64) -> (IoCommand, Vec<u64>),
) {
    let tags: Vec<_> = pages
        .map(|page| {
            let (command, data) = command(page);
            bench.submit(command, data)
        })
        .collect();
    for tag in tags {
        assert!(bench.finish(tag).0.is_success());
    }
}

fn write(version: u64) -> impl Fn(u64) -> (IoCommand, Vec<u64>) {
    move |page| {
        let lba = page * BLOCKS_A_PAGE;
        (IoCommand::Write(range(lba, 4), NORMAL), numbers(lba, BLOCKS_A_PAGE, version))
    }
}

/// The block and the page of a request, where a block has eight pages.
const fn place(request: &Request) -> (u32, u32) {
    (request.row / 8, request.row % 8)
}

/// What was handed over of a kind, by way.
fn of_ways(bench: &Bench<HandOverScheduler>, operation: Operation) -> Vec<Vec<Request>> {
    let handed = &bench.body.channels.handed;
    let of = |channel: u8, way: u8| {
        let of_way = handed.iter().filter(move |(at, r)| (*at, r.way) == (channel, way));
        of_way.map(|(_, request)| *request).filter(|r| r.operation == operation).collect()
    };
    (0..4).map(|die| of(die % 2, die / 2)).collect()
}

/// Whether requests go over all planes, in order, in the same page of blocks of one number.
fn is_row(requests: &[Request], planes: u32) -> bool {
    let (first, page) = place(&requests[0]);
    let same = |(nth, request)| place(request) == (first + nth, page);
    first % planes == 0 && requests.len() == planes as usize && (0..).zip(requests).all(same)
}

#[test]
fn pages_that_follow_each_other_fill_and_are_read_from_a_row_of_all_planes() {
    for planes in [2, 4] {
        let mut bench = Bench::<HandOverScheduler>::scheduling(&spacious(planes));
        each_page(&mut bench, 0..128, write(1));
        bench.done(IoCommand::Flush);
        for (die, programs) in of_ways(&bench, Operation::Program).iter().enumerate() {
            assert_eq!(programs.len(), 32, "way {die}");
            let mut rows = programs.chunks(planes as usize);
            assert!(rows.all(|row| is_row(row, planes)), "way {die}: {programs:?}");
        }
        bench.body.channels.handed.clear();
        let read = |page| (IoCommand::Read(range(page * BLOCKS_A_PAGE, 4), NORMAL), vec![0; 4]);
        each_page(&mut bench, 0..64, read);
        // All planes of a row follow each other, although others came between in the order of commands.
        let handed: Vec<Request> = bench.body.channels.handed.iter().map(|(_, r)| *r).collect();
        let together = handed.chunks(planes as usize).filter(|row| is_row(row, planes)).count();
        assert!(together as u32 * planes >= 32, "{together} rows of {} together", handed.len());
    }
}

#[test]
fn collection_moves_rows_and_erases_all_planes_together() {
    for planes in [2, 4] {
        let config = narrow(planes, 4);
        let mut bench = Bench::<HandOverScheduler>::scheduling(&config);
        let pages = u64::from(config.logical_pages);
        each_page(&mut bench, 0..8, write(0));
        for page in 0..pages {
            each_page(&mut bench, page..page + 1, write(1));
        }
        let (mut random, mut versions) = (7u64, vec![1; pages as usize]);
        for version in 2..1_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let page = (random >> 33) % pages;
            versions[page as usize] = version;
            each_page(&mut bench, page..page + 1, write(version));
        }
        bench.done(IoCommand::Flush);
        let counters = bench.firmware.inspect().counters();
        assert!(counters.moves > 100 && counters.erases > 50, "{counters:?}");
        for erases in of_ways(&bench, Operation::Erase) {
            for group in erases.chunks(planes as usize) {
                let (first, _) = place(&group[0]);
                let blocks: Vec<u32> = group.iter().map(|request| place(request).0).collect();
                let expected: Vec<u32> = (first..first + planes).collect();
                assert_eq!(blocks, expected, "{group:?}");
            }
        }
        for (page, version) in (0..).zip(versions) {
            let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
            assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, version)), "page {page}");
        }
    }
}

#[test]
fn a_spare_of_the_same_plane_takes_the_place_of_a_block_that_fails() {
    for (planes, spares) in [(2, 24), (4, 32)] {
        for cache in [CacheMode::Off, CacheMode::On] {
            let config = narrow(planes, spares);
            let mut bench = Bench::<HandOverScheduler>::scheduling(&config);
            bench.body.channels.cache = cache;
            replace_blocks(bench, &config);
        }
    }
}

#[test]
fn a_drive_of_planes_without_spares_turns_read_only() {
    for planes in [2, 4] {
        let config = narrow(planes, planes);
        run_out_of_spares(&config, || Bench::<HandOverScheduler>::scheduling(&config));
    }
}
