//! Data of whole pages that do not arrive, because their pointer is bad: the page is as it was, whoever
//! used it meanwhile.

use contract::CommandTag;
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench};

const NORMAL: UnitAccess = UnitAccess::Normal;
const FORCED: UnitAccess = UnitAccess::Forced;

/// A drive that holds pages 2 to 9 in flash and others in its buffer.
fn bench() -> Bench {
    let mut bench = Bench::new(&configuration());
    bench.write(8, &numbers(8, 32, 1), FORCED);
    bench.write(80, &numbers(80, 32, 1), NORMAL);
    bench
}

/// What `bench` holds at first.
fn former(lba: u64, count: u64) -> Vec<u64> {
    if lba < 40 {
        numbers(lba, count, 1)
    } else {
        vec![0; count as usize]
    }
}

/// Sends a write whose data do not arrive.
fn send_bad(bench: &mut Bench, lba: u64, count: usize, access: UnitAccess) -> CommandTag {
    let data = numbers(lba, count as u64, 9);
    let tag = bench.submit(IoCommand::Write(range(lba, count), access), data);
    bench.body.bad_pointers.insert(tag);
    tag
}

fn assert_refused(bench: &mut Bench, tag: CommandTag) {
    let (status, _) = bench.finish(tag);
    assert!(status.is(Status::DATA_TRANSFER_ERROR), "{status}");
}

#[test]
fn the_page_is_as_it_was() {
    for lba in [8, 40] {
        for access in [NORMAL, FORCED] {
            let mut bench = bench();
            let tag = send_bad(&mut bench, lba, 8, access);
            assert_refused(&mut bench, tag);
            assert_eq!(bench.read(lba, 8, NORMAL), Ok(former(lba, 8)), "{lba} {access:?}");
            assert_eq!(bench.read(lba, 8, FORCED), Ok(former(lba, 8)), "{lba} {access:?}");
        }
    }
}

#[test]
fn whoever_waits_for_the_page_finds_it_as_it_was() {
    for lba in [8, 40] {
        for access in [NORMAL, FORCED] {
            let mut bench = bench();
            let bad = send_bad(&mut bench, lba, 4, access);
            let read = bench.submit(IoCommand::Read(range(lba, 4), access), vec![7; 4]);
            let expected = former(lba, 4);
            let compare = bench.submit(IoCommand::Compare(range(lba, 4), NORMAL), expected.clone());
            let write = bench.submit(IoCommand::Write(range(lba + 1, 1), NORMAL), vec![5]);
            assert_refused(&mut bench, bad);
            assert_eq!(bench.finish(read), (Status::SUCCESS, expected.clone()));
            assert!(bench.finish(compare).0.is_success());
            assert!(bench.finish(write).0.is_success());
            let expected = vec![expected[0], 5, expected[2], expected[3]];
            assert_eq!(bench.read(lba, 4, FORCED), Ok(expected));
        }
    }
}

#[test]
fn lost_data_stay_lost() {
    let mut bench = bench();
    let page = bench
        .firmware
        .inspect()
        .translator()
        .lookup(contract::Lpn(2))
        .expect("it is in flash")
        .page;
    bench.body.faults.reads.insert((page.die, page.row));
    let bad = send_bad(&mut bench, 8, 4, FORCED);
    assert_refused(&mut bench, bad);
    let status = bench.read(8, 4, NORMAL).expect_err("flash cannot give it back");
    assert!(status.is(Status::UNRECOVERED_READ), "{status}");
}

/// Many at once, on a full drive that collects: pages that are written well, and others whose data do
/// not arrive while they are read, evicted and moved. Such a page is as it was. Where its block was
/// erased while a new place waited for it, it is lost, and nothing else is told of it.
#[test]
fn a_full_drive_keeps_its_pages() {
    (1..4).for_each(fill_and_refuse);
}

fn fill_and_refuse(seed: u64) {
    let mut random = seed;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    let config = configuration();
    let pages = u64::from(config.logical_pages);
    let mut bench = Bench::new(&config);
    let mut model: Vec<Vec<u64>> = (0..pages).map(|page| numbers(page * 4, 4, 1)).collect();
    for (page, data) in (0..).zip(&model) {
        bench.write(page * 4, data, NORMAL);
    }
    let mut refused = 0;
    for round in 2..300 {
        let (mut good, mut bad, mut reads) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..1 + draw(20) {
            let page = draw(pages);
            let access = if draw(3) == 0 { FORCED } else { NORMAL };
            let extent = range(page * 4, 4);
            // Even pages are written well, odd ones never.
            if page % 2 == 0 {
                let data = numbers(page * 4, 4, round);
                model[page as usize].clone_from(&data);
                good.push(bench.submit(IoCommand::Write(extent, access), data));
                continue;
            }
            bad.push(send_bad(&mut bench, page * 4, 4, access));
            if draw(2) == 0 {
                reads.push((page, bench.submit(IoCommand::Read(extent, access), vec![7; 4])));
            }
        }
        refused += bad.len();
        bad.into_iter().for_each(|tag| assert_refused(&mut bench, tag));
        good.into_iter().for_each(|tag| assert!(bench.finish(tag).0.is_success()));
        for (page, tag) in reads {
            let (status, data) = bench.finish(tag);
            let lost = status.is(Status::UNRECOVERED_READ);
            assert!(lost || data == model[page as usize], "round {round} page {page}: {status}");
        }
    }
    let mut lost = 0;
    for (page, data) in (0..).zip(&model) {
        match bench.read(page * 4, 4, FORCED) {
            Ok(found) => assert_eq!(&found, data, "page {page}"),
            Err(status) => {
                assert!(page % 2 == 1 && status.is(Status::UNRECOVERED_READ), "{page}: {status}");
                lost += 1;
            }
        }
    }
    assert!(
        bench.firmware.inspect().counters().moves > 100,
        "{:?}",
        bench.firmware.inspect().counters()
    );
    println!("{lost} lost {refused}");
    assert!(
        lost * 100 < refused,
        "seed {seed}: {lost} pages lost by {refused} writes without data"
    );
}
