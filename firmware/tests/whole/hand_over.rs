//! The firmware whose channels schedule: whole operations are handed over, and come back.

use contract::packet::{self, Outcome, Priority, Request};
use contract::{BufferId, Configuration, Hardware, Lpn, Pass, WayOrder};
use firmware::operations::{Ended, Operation, Owner, Page, Sequence, Station, Task};
use firmware::sched::{HandOverScheduler, Scheduling};
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};
use crate::body::Body;
use crate::channels::{scheduled, CacheMode};

const NORMAL: UnitAccess = UnitAccess::Normal;

fn spacious() -> Configuration {
    let mut config = configuration();
    config.geometry.blocks_per_way = 20;
    // Several pages of each way fit the buffer.
    Configuration { spare_blocks_per_way: 8, buffer_entries: 32, command_slots: 160, ..config }
}

fn bench(config: &Configuration) -> Bench<HandOverScheduler> {
    Bench::scheduling(&scheduled(config))
}

/// Writes pages one after the other without waiting, then waits for all.
fn write_pages(
    bench: &mut Bench<HandOverScheduler>,
    pages: impl Iterator<Item = u64>,
    version: u64,
) {
    let write = |bench: &mut Bench<HandOverScheduler>, page: u64| {
        let data = numbers(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE, version);
        bench.submit(IoCommand::Write(range(page * BLOCKS_A_PAGE, data.len()), NORMAL), data)
    };
    let tags: Vec<_> = pages.map(|page| write(bench, page)).collect();
    for tag in tags {
        assert!(bench.finish(tag).0.is_success());
    }
}

#[test]
fn both_grains_give_the_same_data() {
    let config = spacious();
    let (mut phases, mut whole) = (Bench::new(&config), bench(&config));
    let fail = |faults: &mut crate::body::Faults| {
        faults.programs = (40..2_000).step_by(211).collect();
        faults.erases = (5..200).step_by(37).collect();
        faults.weak_reads = (3..2_000).step_by(41).collect();
    };
    fail(&mut phases.body.faults);
    fail(&mut whole.body.faults);
    for version in 1..6 {
        for lba in (0..800).step_by(32) {
            phases.write(lba, &numbers(lba, 32, version), NORMAL);
            whole.write(lba, &numbers(lba, 32, version), NORMAL);
        }
        phases.trim(64 * version, 48);
        whole.trim(64 * version, 48);
    }
    phases.done(IoCommand::Flush);
    whole.done(IoCommand::Flush);
    for lba in (0..800).step_by(16) {
        let found = phases.read(lba, 16, NORMAL);
        assert_eq!(found, whole.read(lba, 16, NORMAL), "LBA {lba}");
        assert!(found.is_ok());
    }
    for counters in [phases.firmware.inspect().counters(), whole.firmware.inspect().counters()] {
        assert!(counters.bad_blocks > 2 && counters.read_retries > 3, "{counters:?}");
    }
}

#[test]
fn channels_get_several_operations_of_a_way_before_the_first_has_ended() {
    let mut bench = bench(&spacious());
    write_pages(&mut bench, (0..28).chain(60..100), 2);
    bench.done(IoCommand::Flush);
    bench.body.channels.handed.clear();
    bench.body.channels.answers.clear();
    let read = |bench: &mut Bench<HandOverScheduler>, page: u64| {
        bench.submit(IoCommand::Read(range(page * BLOCKS_A_PAGE, 4), NORMAL), vec![0; 4])
    };
    // Pages 0, 4, 8 and so on are on one way, and have left the buffer.
    let tags: Vec<_> = (0..6).map(|nth| read(&mut bench, nth * 4)).collect();
    bench.run(|body| body.channels.handed.len() == 6);
    let ways: Vec<_> = bench.body.channels.handed.iter().map(|(at, r)| (*at, r.way)).collect();
    assert_eq!(ways, [ways[0]; 6], "all are of one way");
    assert!(bench.body.channels.answers.is_empty(), "and none has ended");
    for (nth, tag) in (0..).zip(tags) {
        assert_eq!(bench.finish(tag).1, numbers(nth * 16, 4, 2));
    }
}

/// A read that a command waits for is urgent. All else is not, and its answers keep none of the urgent ones waiting.
#[test]
fn reads_for_commands_are_urgent_and_what_the_drive_does_by_itself_is_not() {
    let config = Configuration { command_slots: 256, ..configuration() };
    let mut bench = bench(&config);
    let pages = u64::from(config.logical_pages);
    // The last pages of each block are written again alone, so that collection has the others to move.
    for version in 0..4 {
        let wanted = |page: &u64| version == 0 || page % 4 == 3;
        write_pages(&mut bench, (0..pages).filter(wanted), version);
    }
    bench.done(IoCommand::Flush);
    let of = |bench: &Bench<HandOverScheduler>, operation| -> Vec<Request> {
        let handed = bench.body.channels.handed.iter().map(|(_, request)| *request);
        handed.filter(|request| request.operation == operation).collect()
    };
    use packet::Operation::{Erase, Program, Read};
    let [moved, programs, erases] = [Read, Program, Erase].map(|kind| of(&bench, kind));
    assert!(!moved.is_empty() && !erases.is_empty(), "pages are moved and blocks erased");
    let low: Vec<Request> = [moved, programs, erases].concat();
    assert!(low.iter().all(|request| request.priority == Priority::Low));
    bench.body.channels.handed.clear();
    for page in 0..pages {
        let _ = bench.read(page * BLOCKS_A_PAGE, 4, NORMAL);
    }
    let urgent = of(&bench, Read);
    assert!(!urgent.is_empty() && urgent.iter().all(|request| request.priority == Priority::High));
    let shared = |request: &&Request| low.iter().any(|other| other.stream == request.stream);
    assert_eq!(urgent.iter().find(shared), None, "the stream of an urgent read has others");
}

/// The operations of a way from where one has failed, as they were handed over first and then again.
fn before_and_after(bench: &Bench<HandOverScheduler>) -> (Vec<Request>, Vec<Request>) {
    let channels = &bench.body.channels;
    let failed =
        |(_, answer): &&(u8, contract::packet::Response)| answer.outcome == Outcome::Failed;
    let &(channel, answer) = channels.answers.iter().find(failed).expect("a program fails");
    let of_way: Vec<Request> = channels
        .handed
        .iter()
        .filter(|(at, request)| (*at, request.way) == (channel, answer.way))
        .map(|(_, request)| *request)
        .collect();
    let ended: Vec<Outcome> = channels
        .answers
        .iter()
        .filter(|(at, response)| (*at, response.way) == (channel, answer.way))
        .map(|(_, response)| response.outcome)
        .collect();
    let first = ended.iter().position(|&outcome| outcome != Outcome::Success).expect("one fails");
    let count = ended[first..].iter().take_while(|&&outcome| outcome != Outcome::Success).count();
    (of_way[first..first + count].to_vec(), of_way[first + count..first + 2 * count].to_vec())
}

#[test]
fn what_came_back_is_sent_again_in_order_and_to_the_spare() {
    let config = spacious();
    let mut bench = bench(&config);
    bench.body.faults.programs = [9].into();
    write_pages(&mut bench, 0..30, 1);
    bench.done(IoCommand::Flush);
    let (before, after) = before_and_after(&bench);
    assert!(before.len() > 2, "{before:?} came back");
    let pages = config.geometry.pages_per_block;
    let (bad, spare) = (before[0].row / pages, after[0].row / pages);
    assert_ne!(bad, spare);
    for (first, again) in before.iter().zip(&after) {
        let same = |request: &Request| (request.operation, request.buffer);
        assert_eq!(same(first), same(again));
        let block = if first.row / pages == bad { spare } else { first.row / pages };
        assert_eq!((again.row / pages, again.row % pages), (block, first.row % pages));
    }
    let orders: Vec<WayOrder> =
        bench.body.channels.orders.iter().map(|(order, ..)| *order).collect();
    assert_eq!(orders, [WayOrder::GiveBack, WayOrder::Resume]);
    for page in 0..30 {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)));
    }
}

/// In cache mode a program runs behind one that has failed, in a block from which nothing is read: it is
/// done again in the spare.
#[test]
fn a_program_behind_one_that_failed_is_done_again() {
    let mut bench = bench(&spacious());
    bench.body.channels.cache = CacheMode::On;
    bench.body.faults.programs = (9..200).step_by(31).collect();
    write_pages(&mut bench, 0..120, 1);
    bench.done(IoCommand::Flush);
    assert!(bench.body.channels.astray() > 1, "{} ran behind", bench.body.channels.astray());
    for page in 0..120 {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "page {page}");
    }
}

/// A read that fails is repeated, so the erase of its block may not be in the channel behind it: the body
/// panics where an erased page is read.
#[test]
fn an_erase_waits_for_the_reads_of_its_way() {
    let config = scheduled(&configuration());
    let mut body = Body::new(&config);
    body.faults.weak_reads = [0, 1].into();
    let mut station = Station::of(&config, 16);
    let mut scheduler = <HandOverScheduler as Scheduling<Body>>::new(&config);
    let (entry, lpn) = (BufferId(0), Lpn(7));
    let program =
        Task::Program { entry, lpn, epoch: None, lost: false, sequence: Sequence::new(1) };
    let read =
        Task::Read { entry, part: config.geometry.page(), lpn, retries: 0, unit: 0, lost: false };
    let plan = |body: &mut Body, station: &mut Station, row, task| {
        station.reserve(body, Operation::flash(Owner::Drive, Page { die: 0, row }, task))
    };
    plan(&mut body, &mut station, 0, program);
    plan(&mut body, &mut station, 1, program);
    plan(&mut body, &mut station, 0, read);
    plan(&mut body, &mut station, 1, read);
    plan(&mut body, &mut station, 0, Task::Erase);
    plan(&mut body, &mut station, 0, program);
    let mut ended = 0;
    while ended < 6 {
        scheduler.run(&mut body, &mut station);
        while let Some((id, how)) = station.next_ended() {
            assert_eq!(how, Ended::Well);
            station.pool.remove(id);
            ended += 1;
        }
        body.end_pass(Pass::Busy);
        assert!(body.turn < 1_000, "{ended} of 6 have ended");
    }
    use contract::packet::Operation::{Erase, Program, Read};
    let handed: Vec<_> =
        body.channels.handed.iter().map(|(_, request)| request.operation).collect();
    assert_eq!(handed, [Program, Program, Read, Read, Read, Read, Erase, Program]);
}

fn resets(bench: &Bench<HandOverScheduler>) -> usize {
    let handed = bench.body.channels.handed.iter();
    handed.filter(|(_, request)| request.operation == packet::Operation::Reset).count()
}

/// A chip that answers nothing any more has its operation given up, is reset, and gets again what did not run.
#[test]
fn a_chip_that_hangs_is_reset_and_its_way_goes_on() {
    let mut bench = bench(&spacious());
    let hangs = [9, 40, 71, 150, 201];
    bench.body.faults.hangs = hangs.into();
    write_pages(&mut bench, 0..100, 1);
    bench.done(IoCommand::Flush);
    for page in 0..100 {
        let found = bench.read(page * BLOCKS_A_PAGE, 4, UnitAccess::Forced);
        assert_eq!(found, Ok(numbers(page * BLOCKS_A_PAGE, 4, 1)), "page {page}");
    }
    let channels = &bench.body.channels;
    let of = |outcome| channels.answers.iter().filter(move |(_, r)| r.outcome == outcome).count();
    assert_eq!(of(Outcome::TimedOut), hangs.len());
    assert!(of(Outcome::GivenBack) > 0, "what had not begun came back");
    assert_eq!(resets(&bench), hangs.len());
    let of_first = |(_, channel, way): &&(WayOrder, u8, u8)| {
        (*channel, *way) == (channels.orders[0].1, channels.orders[0].2)
    };
    let orders: Vec<WayOrder> =
        channels.orders.iter().filter(of_first).map(|(order, ..)| *order).take(4).collect();
    use WayOrder::{Abort, GiveBack, Resume};
    assert_eq!(orders, [Abort, GiveBack, Resume, Resume], "to reset, and to go on");
}
