//! Blocks that go bad: data stay, spares take their place, and a drive without spares turns read-only.

use contract::Configuration;
use firmware::sched::{HandOverScheduler, Scheduling};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::Body;
use crate::channels::{scheduled, CacheMode};

const NORMAL: UnitAccess = UnitAccess::Normal;

fn with_spares(spare_blocks_per_way: u32) -> Configuration {
    let mut config = configuration();
    config.geometry.blocks_per_way = 9 + spare_blocks_per_way;
    Configuration { spare_blocks_per_way, ..config }
}

/// Overwrites pages at random, several at once; returns the version of each page's data, and stops at
/// the first write that is refused. The pages of that round hold either version.
fn overwrite<S: Scheduling<Body>>(
    bench: &mut Bench<S>,
    pages: u64,
    rounds: u64,
) -> (Vec<[u64; 2]>, Option<Status>) {
    let mut random = 7u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    let mut versions = vec![[0, 0]; pages as usize];
    for round in 1..=rounds {
        // Every page once at the start, then ten others at a time.
        let first = if round <= pages / 10 { (round - 1) * 10 } else { draw(pages) };
        let chosen: Vec<u64> = (0..10).map(|nth| (first + nth * 7 % 10) % pages).collect();
        let tags: Vec<_> = chosen
            .iter()
            .map(|&page| {
                let before = versions[page as usize][1];
                versions[page as usize] = [before, round];
                let data = numbers(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE, round);
                let command = IoCommand::Write(range(page * BLOCKS_A_PAGE, 4), NORMAL);
                bench.submit(command, data)
            })
            .collect();
        let statuses: Vec<Status> = tags.into_iter().map(|tag| bench.finish(tag).0).collect();
        if let Some(refused) = statuses.into_iter().find(|status| !status.is_success()) {
            return (versions, Some(refused));
        }
        for page in chosen {
            versions[page as usize] = [round, round];
        }
    }
    (versions, None)
}

fn expected(page: u64, version: u64) -> Vec<u64> {
    match version {
        0 => vec![0; BLOCKS_A_PAGE as usize],
        _ => numbers(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE, version),
    }
}

#[test]
fn spares_take_the_place_of_blocks_that_fail() {
    let config = with_spares(12);
    replace_blocks(Bench::new(&config), &config);
}

/// The same with several operations of each way in its channel when one of them fails.
#[test]
fn spares_take_the_place_of_blocks_whose_operations_are_in_the_channels() {
    for cache in [CacheMode::Off, CacheMode::On] {
        let config = scheduled(&with_spares(12));
        let mut bench = Bench::<HandOverScheduler>::scheduling(&config);
        bench.body.channels.cache = cache;
        replace_blocks(bench, &config);
    }
}

/// Overwrites a drive of four ways, some of whose blocks fail, and reads it.
pub fn replace_blocks<S: Scheduling<Body>>(mut bench: Bench<S>, config: &Configuration) {
    let pages = u64::from(config.logical_pages);
    bench.body.faults.programs = (40..4_000).step_by(197).collect();
    bench.body.faults.erases = (5..200).step_by(37).collect();
    let (versions, refused) = overwrite(&mut bench, pages, 250);
    assert_eq!(refused, None);
    let flushed = bench.submit(IoCommand::Flush, Vec::new());
    assert!(bench.finish(flushed).0.is_success());
    for (page, [version, _]) in (0..).zip(versions) {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
        assert_eq!(found, Ok(expected(page, version)), "page {page}");
    }
    let (counters, done) = (bench.firmware.inspect().counters(), bench.body.done);
    let failed = |faults: &std::collections::HashSet<u64>, end: u64| {
        faults.iter().filter(|&&nth| nth < end).count() as u64
    };
    let failures = (
        failed(&bench.body.faults.programs, done.programs),
        failed(&bench.body.faults.erases, done.erases),
    );
    assert!(failures.0 >= 8 && failures.1 >= 2, "{failures:?}: too few to mean anything");
    // What was programmed to a block that had failed already is programmed again.
    let astray = bench.body.channels.astray();
    assert_eq!(counters.bad_blocks, failures.0 + failures.1);
    assert_eq!((counters.lost_writes, counters.unreadable_pages), (0, 0));
    assert_eq!(counters.programs + counters.moves, done.programs - failures.0 - astray);
    assert_eq!(counters.erases, done.erases);
    let spared = u64::from(4 * config.spare_blocks_per_way) - failures.0 - failures.1;
    assert!(spared > 20, "{spared} spares are left");
}

#[test]
fn a_drive_without_spares_turns_read_only_and_invents_nothing() {
    let config = with_spares(2);
    run_out_of_spares(&config, || Bench::new(&config));
}

#[test]
fn a_drive_without_spares_turns_read_only_where_channels_schedule() {
    for cache in [CacheMode::Off, CacheMode::On] {
        let config = scheduled(&with_spares(2));
        run_out_of_spares(&config, || {
            let mut bench = Bench::<HandOverScheduler>::scheduling(&config);
            bench.body.channels.cache = cache;
            bench
        });
    }
}

/// Overwrites a drive that loses blocks until it is read-only, and reads it.
pub fn run_out_of_spares<S: Scheduling<Body>>(config: &Configuration, make: impl Fn() -> Bench<S>) {
    for (programs, erases) in [(61, 0), (0, 7), (97, 11)] {
        let pages = u64::from(config.logical_pages);
        let mut bench = make();
        let every = |step: usize| (90..20_000).step_by(step.max(1)).filter(move |_| step > 0);
        bench.body.faults.programs = every(programs).collect();
        bench.body.faults.erases = every(erases).map(|nth| nth - 80).collect();
        let (versions, refused) = overwrite(&mut bench, pages, 2_000);
        let refused = refused.expect("the spares run out");
        let statuses = [Status::WRITE_FAULT, Status::WRITE_TO_READ_ONLY];
        assert!(statuses.iter().any(|&one| refused.is(one)), "{refused}");
        let command = IoCommand::Write(range(0, 4), NORMAL);
        let tag = bench.submit(command, numbers(0, 4, 9_999));
        assert!(bench.finish(tag).0.is(Status::WRITE_TO_READ_ONLY));
        let flush = bench.submit(IoCommand::Flush, Vec::new());
        let flushed = bench.finish(flush).0;
        let mut lost = 0;
        for (page, versions) in (0..).zip(versions) {
            match bench.read(page * BLOCKS_A_PAGE, 4, NORMAL) {
                Ok(found) => {
                    let permitted = versions.map(|version| expected(page, version));
                    assert!(permitted.contains(&found), "page {page}: {found:?} of {versions:?}");
                }
                Err(status) => {
                    assert!(status.is(Status::UNRECOVERED_READ), "page {page}: {status}");
                    lost += 1;
                }
            }
        }
        assert!(lost < 16, "{lost} pages lost");
        assert!(lost == 0 || flushed.is(Status::WRITE_FAULT), "{lost} lost: {flushed}");
        assert!(bench.firmware.inspect().counters().lost_writes > 0);
    }
}
