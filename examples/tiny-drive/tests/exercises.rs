//! The exercises of docs/tutorials/a-firmware-of-your-own.md. Each is solved when its test passes: take its `#[ignore]` out.

use board::Board;
use host::job::parse_file;
use report::Direction;
use sim::{Payload, Polling, Stamp};
use tiny_firmware::TinyFirmware;
use torture::bench::Bench;

fn small() -> Board {
    Board::resolve("small", &[]).unwrap()
}

/// More is written than the flash holds, and all of it can be read.
#[test]
#[ignore = "exercise 1"]
fn a_collector_makes_room_for_writes() {
    let jobs = "[global]\nbs=16k\niodepth=8\nsize=32m\n[fill]\nrw=write\n\
        [overwrite]\nstonewall\nrw=randwrite\nio_size=160m\n[read]\nstonewall\nrw=read\n";
    let result = tiny_drive::run(&small(), &parse_file("job", jobs).unwrap(), "job").unwrap();
    for job in &result.jobs {
        assert!(job.error.is_none(), "{}: a command failed", job.name);
    }
    // Host data and pages that were moved.
    assert!(result.drive.pages_programmed >= (32 + 160) * 64);
}

/// Small writes are complete when they are in the buffer, and four of them share a flash page.
#[test]
#[ignore = "exercise 2"]
fn a_cache_gathers_small_writes() {
    let jobs = "[write]\nrw=write\nbs=4k\nsize=4m\niodepth=1\n[read]\nstonewall\nrw=read\nbs=64k\nsize=4m\n";
    let result = tiny_drive::run(&small(), &parse_file("job", jobs).unwrap(), "job").unwrap();
    let programmed = result.drive.pages_programmed;
    assert!(programmed <= 512, "{programmed} pages were programmed for 1,024 writes");
    let write = result.jobs[0].active(Direction::Write).unwrap();
    let mean_ns = write.clat.mean_ns();
    assert!(mean_ns < 200_000.0, "a write took {mean_ns} ns");
}

/// What was complete before the power went away is there afterwards, the newest of each block.
#[test]
#[ignore = "exercise 3"]
fn complete_writes_survive_a_power_cut() {
    let payload = Payload::Stamps { block_bytes: 4096 };
    let mut bench: Bench<TinyFirmware> = Bench::running(&small(), payload, Polling::Skip);
    bench.start_once();
    for version in 1..4 {
        for lba in (0..400).step_by(4) {
            let stamps: Vec<_> = (lba..lba + 4).map(|lba| Stamp::new(lba, version)).collect();
            bench.write(lba, &stamps);
        }
    }
    let mut bench = bench.cut_power((&small(), payload));
    bench.start_once();
    for lba in 0..400 {
        let found = bench.read(lba, 1).expect("readable");
        assert_eq!(found, [Stamp::new(lba, 3)], "block {lba}");
    }
}
