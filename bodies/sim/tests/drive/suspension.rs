//! Drives whose chips suspend a program or an erase so that another page can be read.

use board::Board;
use machine::{Payload, Polling, Stamp};
use nvme::command::Header;
use nvme::io::{BlockRange, IoCommand, UnitAccess};

use firmware::ftl::precondition::Precondition;
use torture::bench::Bench;

const STAMPS: Payload = Payload::Stamps { block_bytes: 4096 };
/// The identifier of the flush that programs a page.
const FLUSH: u16 = 99;
/// Blocks of a page.
const BLOCKS: u64 = 4;

/// A drive of one chip, which takes as long for everything as its board says: a program 1,600 us, a read 50 us.
fn board(suspends: &str, more: &[(&str, &str)]) -> Board {
    let chip = [
        ("geometry.channels", "1"),
        ("geometry.ways", "1"),
        ("flash.t_program_slc_us", "1600"),
        ("flash.t_read_slc_us", "50"),
        ("flash.t_suspend_us", "20"),
        ("flash.t_resume_us", "7"),
        ("flash.read_deviation_us", "0"),
        ("flash.program_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
        ("flash.suspends", suspends),
    ];
    let all = [&chip, more].concat();
    let all: Vec<_> = all.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Board::resolve("small", &all).expect("the board")
}

/// A drive that holds a page for each logical one, and began to program a new one to flash 400 us ago.
fn programming(board: &Board) -> Bench {
    let mut bench = Bench::new(board, STAMPS, Polling::Skip);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    bench.write(0, &(0..BLOCKS).map(|lba| Stamp::new(lba, 2)).collect::<Vec<_>>());
    let flush = IoCommand::Flush.emit(Header { cid: FLUSH, nsid: 1, ..Header::default() });
    bench.submit(1, &[flush]);
    bench.sleep(400_000_000);
    bench
}

fn submit_read(bench: &mut Bench, cid: u16, lba: u64) {
    let range = BlockRange { start: lba, blocks: BLOCKS as u32 };
    let header = Header { cid, ..bench.data(BLOCKS as usize) };
    bench.submit(1, &[IoCommand::Read(range, UnitAccess::Normal).emit(header)]);
}

/// When each command was seen to be complete, in microseconds from `since` on.
fn ends(bench: &mut Bench, since: u64) -> Vec<(u16, f64)> {
    bench.drive.run(|_| false);
    let seen = bench.drive.host_mut().seen.drain(..);
    seen.map(|(at, entry)| {
        assert!(entry.status.is_success());
        (entry.cid, (at - since) as f64 / 1e6)
    })
    .collect()
}

/// What a read and the end of the program take from the moment of the read on.
fn read_beside(suspends: &str, more: &[(&str, &str)]) -> (f64, f64) {
    let mut bench = programming(&board(suspends, more));
    let since = bench.drive.now();
    submit_read(&mut bench, 3, 800);
    let ends = ends(&mut bench, since);
    let of = |cid| ends.iter().find(|own| own.0 == cid).expect("it is complete").1;
    (of(3), of(FLUSH))
}

#[test]
fn a_read_waits_for_the_suspension_and_not_for_the_program() {
    let (waits, ended) = read_beside("0", &[]);
    let (overtakes, prolonged) = read_beside("1", &[]);
    // 1,600 us of which 400 less the write's own way are over, tR and a transfer.
    assert!(waits > 1_200.0 + 50.0 + 90.0, "{waits} us");
    let least = 20.0 + 50.0 + 90.24;
    assert!(overtakes > least && overtakes < least + 80.0, "{overtakes} us");
    // The program takes so much longer: until it is suspended and read, and the time to go on.
    let longer = prolonged - ended;
    assert!(longer > least + 7.0 && longer < overtakes + 7.0 + 40.0, "{longer} us");
    let (_, later) = read_beside("1", &[("flash.t_resume_us", "207")]);
    assert!((later - prolonged - 200.0).abs() < 8.0, "{prolonged} us, then {later} us");
}

#[test]
fn it_is_suspended_no_more_often_than_the_board_says() {
    for (suspends, quick) in [("1", 1), ("2", 2), ("3", 3)] {
        let mut bench = programming(&board(suspends, &[]));
        let mut latencies = Vec::new();
        for nth in 0..4 {
            let since = bench.drive.now();
            submit_read(&mut bench, nth, 800 + u64::from(nth) * 40);
            let is_done =
                |bench: &Bench| bench.drive.host().seen.iter().any(|own| own.1.cid == nth);
            while !is_done(&bench) {
                bench.sleep(1_000_000);
            }
            latencies.push((bench.drive.now() - since) / 1_000_000);
            bench.drive.host_mut().seen.clear();
            bench.sleep(20_000_000);
        }
        let found = latencies.iter().filter(|&&us| us < 300).count();
        // The one that waits ends with the program, and those behind it meet an idle chip.
        let waited = latencies.iter().position(|&us| us >= 300);
        assert_eq!(waited, Some(quick), "{suspends}: {latencies:?}");
        assert_eq!(found, 3, "{suspends}: {latencies:?}");
    }
}

#[test]
fn reads_that_wait_together_share_a_suspension() {
    let mut bench = programming(&board("1", &[]));
    let since = bench.drive.now();
    (0..3).for_each(|nth| submit_read(&mut bench, nth, 800 + u64::from(nth) * 40));
    let ends = ends(&mut bench, since);
    let order: Vec<u16> = ends.iter().map(|own| own.0).collect();
    assert_eq!(order, [0, 1, 2, FLUSH], "{ends:?}");
    assert!(ends[2].1 < 20.0 + 3.0 * (50.0 + 90.24) + 200.0, "{ends:?}");
}

/// A page that is being programmed again is read as it was or from the buffer, never from the program that is suspended.
#[test]
fn what_is_cut_off_while_it_is_suspended_is_not_there() {
    let log = [("geometry.blocks_per_way", "96"), ("recovery.log_entries", "6")];
    let board = board("200", &log);
    for cut_us in (0..60).map(|nth| nth * 40) {
        let mut bench = programming(&board);
        for nth in 0..20 {
            submit_read(&mut bench, nth, 800 + u64::from(nth) * 40);
        }
        bench.sleep(cut_us * 1_000_000);
        let is_seen = |cid| bench.drive.host().seen.iter().any(|own| own.1.cid == cid);
        let (is_durable, is_read) = (is_seen(FLUSH), (0..20).all(is_seen));
        let mut bench = bench.cut_power((&board, STAMPS));
        bench.wait_until_ready();
        bench.start_once();
        let found = bench.read(0, BLOCKS as usize).expect("readable");
        let version = found[0].version();
        let page: Vec<Stamp> = (0..BLOCKS).map(|lba| Stamp::new(lba, version)).collect();
        assert_eq!(found, page, "{cut_us} us");
        assert!(version == 2 || version == 1 && !is_durable, "{cut_us} us: version {version}");
        // While it is suspended it is not there, though it would have ended by now.
        assert!(version == 1 || is_read, "{cut_us} us: version {version}");
    }
}
