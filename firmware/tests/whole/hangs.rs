//! Chips that stay busy until they are reset, and chips that no reset brings back, whoever schedules.

use contract::{Configuration, FlashOperation};
use firmware::sched::{HandOverScheduler, PhaseScheduler, Scheduling};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::Body;
use crate::channels::scheduled;

const NORMAL: UnitAccess = UnitAccess::Normal;

fn spacious() -> Configuration {
    let mut config = configuration();
    config.geometry.blocks_per_way = 20;
    // Several pages of each way fit the buffer.
    Configuration {
        spare_blocks_per_way: 8,
        buffer_entries: 32,
        command_slots: 160,
        // A hang is no reason to give a page up.
        read_retries: 0,
        ..config
    }
}

/// A drive that holds 100 pages, of which the first are in flash only.
fn filled<S: Scheduling<Body>>(config: &Configuration, hangs: &[u64]) -> Bench<S> {
    let mut bench = Bench::<S>::scheduling(config);
    bench.body.faults.hangs = hangs.iter().copied().collect();
    for page in 0..100 {
        write(&mut bench, page, 1);
    }
    bench.done(IoCommand::Flush);
    for page in 60..100 {
        assert!(bench.read(page * BLOCKS_A_PAGE, 4, NORMAL).is_ok());
    }
    bench
}

fn write<S: Scheduling<Body>>(bench: &mut Bench<S>, page: u64, version: u64) {
    let data = numbers(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE, version);
    let command = IoCommand::Write(range(page * BLOCKS_A_PAGE, data.len()), NORMAL);
    let tag = bench.submit(command, data);
    bench.finish(tag);
}

fn a_chip_that_hangs_is_reset_and_its_way_goes_on<S: Scheduling<Body>>(config: &Configuration) {
    let hangs = [9, 40, 71, 150, 201];
    let mut bench = filled::<S>(config, &hangs);
    for page in 0..100 {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "page {page}");
    }
    let counters = bench.firmware.inspect().counters();
    assert_eq!(counters.chip_resets, hangs.len() as u64);
    assert!(counters.read_retries > 0 && counters.bad_blocks > 0, "reads and programs hung");
    assert_eq!(counters.read_retries + counters.bad_blocks, hangs.len() as u64);
}

/// A chip that not even a reset brings back loses what it holds, and nothing waits for it for ever.
fn a_dead_chip_ends_its_reads_with_an_error_and_leaves_the_others_alone<S: Scheduling<Body>>(
    config: &Configuration,
) {
    let mut bench = filled::<S>(config, &[]);
    bench.body.faults.dead = [0].into();
    let mut lost = 0;
    for page in 0..40 {
        match bench.read(page * BLOCKS_A_PAGE, 4, NORMAL) {
            Ok(found) => assert_eq!(found, numbers(page * BLOCKS_A_PAGE, 4, 1), "page {page}"),
            Err(status) => {
                assert!(status.is(Status::UNRECOVERED_READ), "page {page}: {status}");
                lost += 1;
            }
        }
    }
    assert_eq!(lost, 10, "a quarter of the pages is on the chip");
    let resets = |bench: &Bench<S>| bench.firmware.inspect().counters().chip_resets;
    assert_eq!(resets(&bench), 1, "a chip that is dead is not waited for again");
    // Its programs fail until its way has no spare block left.
    for page in 0..40 {
        write(&mut bench, page, 2);
    }
    let tag = bench.submit(IoCommand::Flush, Vec::new());
    bench.finish(tag);
    assert!(bench.firmware.inspect().counters().lost_writes > 0);
    assert_eq!(resets(&bench), 1);
}

#[test]
fn where_the_firmware_schedules() {
    let config = spacious();
    a_chip_that_hangs_is_reset_and_its_way_goes_on::<PhaseScheduler>(&config);
    a_dead_chip_ends_its_reads_with_an_error_and_leaves_the_others_alone::<PhaseScheduler>(&config);
}

#[test]
fn where_the_channels_schedule() {
    let config = scheduled(&spacious());
    a_chip_that_hangs_is_reset_and_its_way_goes_on::<HandOverScheduler>(&config);
    a_dead_chip_ends_its_reads_with_an_error_and_leaves_the_others_alone::<HandOverScheduler>(
        &config,
    );
}

/// Its reset comes before whatever else its channel has to do.
#[test]
fn a_reset_waits_for_nothing_but_the_time_out() {
    let bench = filled::<PhaseScheduler>(&spacious(), &[9]);
    let issued = &bench.body.issued;
    let reset = issued.iter().position(|(_, request)| request.operation == FlashOperation::Reset);
    let at = reset.expect("a chip was reset");
    let way = issued[at].1.location;
    let same = |&&(_, request): &&(u64, contract::FlashRequest)| {
        (request.location.channel, request.location.way) == (way.channel, way.way)
    };
    let before = issued[..at].iter().rev().find(same).expect("its chip was told something");
    assert_eq!(before.1.operation, FlashOperation::StatusCheck);
    let after = issued[at + 1..].iter().find(same).expect("it goes on");
    assert_eq!(after.1.operation, FlashOperation::StatusCheck);
    assert!(issued[at].0 - before.0 <= 3, "{} turns", issued[at].0 - before.0);
}
