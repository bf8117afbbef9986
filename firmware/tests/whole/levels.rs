//! Pages that can be read at another read level only, whoever schedules.

use contract::{Configuration, FlashOperation, Grain, OperationGrain};
use firmware::sched::{HandOverScheduler, PhaseScheduler, Scheduling};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::Body;
use crate::channels::scheduled;

const PAGES: u64 = 60;

fn levelled() -> Configuration {
    let mut config = configuration();
    config.geometry.blocks_per_way = 20;
    Configuration {
        buffer_entries: 16,
        command_slots: 80,
        read_retries: 4,
        read_levels: 3,
        ..config
    }
}

/// A drive of which so many pages, spread over all, can be read at a level that goes on with each; level 4 does not exist.
fn filled<S: Scheduling<Body>>(config: &Configuration, levels: &[u8]) -> Bench<S> {
    let mut bench = Bench::<S>::scheduling(config);
    for page in 0..PAGES {
        let data = numbers(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE, 1);
        let command = IoCommand::Write(range(page * BLOCKS_A_PAGE, data.len()), UnitAccess::Normal);
        let tag = bench.submit(command, data);
        bench.finish(tag);
    }
    bench.done(IoCommand::Flush);
    for (nth, &level) in levels.iter().enumerate() {
        let page = bench.firmware.inspect().translator().lookup(contract::Lpn(nth as u32 * 3));
        let page = page.expect("it was written").page;
        bench.body.faults.levels.insert((page.die, page.row), level);
    }
    bench
}

fn each_try_is_at_the_next_level<S: Scheduling<Body>>(config: &Configuration) {
    let levels = [0, 1, 2, 3, 1, 2, 3, 0, 3];
    let mut bench = filled::<S>(config, &levels);
    for page in 0..PAGES {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Normal);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "page {page}");
    }
    let tries: u64 = levels.iter().map(|&level| u64::from(level)).sum();
    let counters = bench.firmware.inspect().counters();
    assert_eq!((counters.read_retries, counters.bad_blocks), (tries, 0));
}

/// Other reads of its way are not at the level of one that is tried again.
fn reads_at_once_keep_their_levels<S: Scheduling<Body>>(config: &Configuration) {
    let levels: Vec<u8> =
        (0..PAGES / 3).map(|nth| [0, 0, 2, 0, 0, 1, 0][nth as usize % 7]).collect();
    let mut bench = filled::<S>(config, &levels);
    let begin = |bench: &mut Bench<S>, page| {
        let command = IoCommand::Read(range(page * BLOCKS_A_PAGE, 4), UnitAccess::Normal);
        bench.submit(command, vec![u64::MAX; 4])
    };
    let of_levels = (0..PAGES / 3).map(|nth| nth * 3);
    let tags: Vec<_> = of_levels.map(|page| (page, begin(&mut bench, page))).collect();
    for (page, tag) in tags {
        let (status, found) = bench.finish(tag);
        assert!(status.is_success(), "page {page}: {status}");
        assert_eq!(found, numbers(page * BLOCKS_A_PAGE, 4, 1), "page {page}");
    }
    let tries: u64 = levels.iter().map(|&level| u64::from(level)).sum();
    assert_eq!(bench.firmware.inspect().counters().read_retries, tries);
}

fn a_page_that_no_level_reads_is_an_error<S: Scheduling<Body>>(config: &Configuration) {
    let mut bench = filled::<S>(config, &[9]);
    let found = bench.read(0, 4, UnitAccess::Normal);
    assert!(found.is_err_and(|status| status.is(Status::UNRECOVERED_READ)));
    assert_eq!(bench.firmware.inspect().counters().read_retries, 4);
    for page in 1..PAGES {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Normal);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "page {page}");
    }
    assert_eq!(bench.firmware.inspect().counters().read_retries, 4, "others are read at level 0");
}

/// A level may or may not have been set by a chip that hung.
fn a_chip_that_hangs_at_a_level_goes_on<S: Scheduling<Body>>(config: &Configuration) {
    // A try that hangs counts: each level has its turn twice.
    let config = Configuration { read_retries: 8, ..config.clone() };
    for hangs in 0..12 {
        let mut bench = filled::<S>(&config, &[2, 1]);
        bench.body.faults.hangs = [bench.body.begun() + hangs].into();
        for page in 0..PAGES {
            let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Normal);
            assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "hang {hangs}, page {page}");
        }
        assert_eq!(bench.firmware.inspect().counters().chip_resets, 1, "hang {hangs}");
    }
}

#[test]
fn where_the_firmware_schedules() {
    let config = levelled();
    each_try_is_at_the_next_level::<PhaseScheduler>(&config);
    reads_at_once_keep_their_levels::<PhaseScheduler>(&config);
    a_page_that_no_level_reads_is_an_error::<PhaseScheduler>(&config);
    a_chip_that_hangs_at_a_level_goes_on::<PhaseScheduler>(&config);
}

#[test]
fn where_the_channels_schedule() {
    let config = scheduled(&levelled());
    each_try_is_at_the_next_level::<HandOverScheduler>(&config);
    reads_at_once_keep_their_levels::<HandOverScheduler>(&config);
    let Grain::Operations(grain) = config.grain else { panic!("the channels schedule") };
    let grain = Grain::Operations(OperationGrain { way_requests: 2, ..grain });
    reads_at_once_keep_their_levels::<HandOverScheduler>(&Configuration {
        grain,
        ..config.clone()
    });
    a_page_that_no_level_reads_is_an_error::<HandOverScheduler>(&config);
    a_chip_that_hangs_at_a_level_goes_on::<HandOverScheduler>(&config);
}

/// Levels are set where they change, and nowhere else.
#[test]
fn reads_that_go_well_set_no_level() {
    let mut bench = filled::<PhaseScheduler>(&levelled(), &[]);
    for page in 0..PAGES {
        assert!(bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Normal).is_ok());
    }
    let set = |request: &contract::FlashRequest| request.operation == FlashOperation::SetLevel;
    assert!(!bench.body.issued.iter().any(|(_, request)| set(request)));
}
