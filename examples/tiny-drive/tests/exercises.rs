//! The exercises of docs/tutorials/a-firmware-of-your-own.md. Each is solved when its test at the top passes: take its
//! `#[ignore]` out. The other tests of this file run the same on solutions for teachers.

use board::Board;
use host::job::parse_file;
use machine::{Payload, Polling, Stamp, Unobserved};
use nvme::io::IoCommand;
use report::Direction;
use sim::Software;
use tiny_firmware::TinyFirmware;
use tiny_firmware_solutions::SolvedFirmware;
use torture::bench::Bench;

#[test]
#[ignore = "exercise 1"]
fn a_collector_makes_room_for_writes() {
    much_is_overwritten::<TinyFirmware>();
}

#[test]
#[ignore = "exercise 2"]
fn a_cache_gathers_small_writes() {
    small_writes_share_pages::<TinyFirmware>();
}

#[test]
#[ignore = "exercise 3"]
fn complete_writes_survive_a_power_cut() {
    writes_survive::<TinyFirmware>(&that_recovers("write-back"), BeforeCut::Nothing);
}

/// More is written than the flash holds, and all of it can be read.
fn much_is_overwritten<F: Software<Unobserved>>() {
    let jobs = "[global]\nbs=16k\niodepth=8\nsize=32m\n[fill]\nrw=write\n\
        [overwrite]\nstonewall\nrw=randwrite\nio_size=160m\n[read]\nstonewall\nrw=read\n";
    let jobs = parse_file("job", jobs).unwrap();
    let result = tiny_drive::run::<F>(&small(), &jobs, "job").unwrap();
    for job in &result.jobs {
        assert!(job.error.is_none(), "{}: a command failed", job.name);
    }
    // The flash has 4,096 pages. With a cache some writes replace others in the buffer.
    let programmed = result.drive.pages_programmed;
    assert!(programmed > 2 * 4096, "{programmed} pages were programmed");
}

/// Small writes are complete when they are in the buffer, and four of them share a flash page.
fn small_writes_share_pages<F: Software<Unobserved>>() {
    let jobs = "[write]\nrw=write\nbs=4k\nsize=4m\niodepth=1\n[read]\nstonewall\nrw=read\nbs=64k\nsize=4m\n";
    let jobs = parse_file("job", jobs).unwrap();
    let result = tiny_drive::run::<F>(&small(), &jobs, "job").unwrap();
    let programmed = result.drive.pages_programmed;
    assert!(programmed <= 512, "{programmed} pages were programmed for 1,024 writes");
    let write = result.jobs[0].active(Direction::Write).unwrap();
    let mean_ns = write.clat.mean_ns();
    assert!(mean_ns < 200_000.0, "a write took {mean_ns} ns");
}

/// What a host does before the power goes away. A drive with a cache promises nothing of what was not flushed.
#[derive(Clone, Copy, PartialEq)]
enum BeforeCut {
    Nothing,
    Flush,
}

/// What was complete before the power went away is there afterwards, the newest of each block.
fn writes_survive<F: Software<Unobserved>>(board: &Board, before: BeforeCut) {
    let mut bench: Bench<F> = Bench::running(board, STAMPS, Polling::Skip);
    bench.start_once();
    for version in 1..4 {
        for lba in (0..400).step_by(4) {
            let stamps: Vec<_> = (lba..lba + 4).map(|lba| Stamp::new(lba, version)).collect();
            bench.write(lba, &stamps);
        }
    }
    if before == BeforeCut::Flush {
        flush(&mut bench);
    }
    let mut bench = bench.cut_power((board, STAMPS));
    bench.start_once();
    for lba in 0..400 {
        let found = bench.read(lba, 1).expect("readable");
        assert_eq!(found, [Stamp::new(lba, 3)], "block {lba}");
    }
}

const STAMPS: Payload = Payload::Stamps { block_bytes: 4096 };

fn small() -> Board {
    Board::resolve("small", &[]).unwrap()
}

/// Simulated chips keep all metadata of pages, and spoil what is under way when the power goes away, where the board says that
/// its drive recovers.
fn that_recovers(cache: &str) -> Board {
    let set = [("recovery.log_entries", "64"), ("ftl.cache", cache)];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Board::resolve("small", &set).unwrap()
}

fn flush<F: Software<Unobserved>>(bench: &mut Bench<F>) {
    let command = IoCommand::Flush.emit(bench.data(1));
    let done = bench.io(&[command]);
    assert!(done[0].1.status.is_success(), "flush: {}", done[0].1.status);
}

mod solutions {
    use super::*;

    #[test]
    fn the_collector_makes_room_for_writes() {
        much_is_overwritten::<SolvedFirmware>();
    }

    #[test]
    fn the_cache_gathers_small_writes() {
        small_writes_share_pages::<SolvedFirmware>();
    }

    #[test]
    fn flushed_writes_survive_a_power_cut() {
        writes_survive::<SolvedFirmware>(&that_recovers("write-back"), BeforeCut::Flush);
    }

    #[test]
    fn writes_survive_a_power_cut_where_the_cache_is_off() {
        writes_survive::<SolvedFirmware>(&that_recovers("write-through"), BeforeCut::Nothing);
    }
}
