//! The solutions for teachers under loads that the exercises do not have: full drives, failing blocks, power cuts at any moment.

use board::Board;
use host::job::parse_file;
use machine::{Payload, Polling, Stamp, NEVER};
use nvme::admin::{AdminCommand, FormatNvm, SecureErase};
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use tiny_firmware_solutions::SolvedFirmware;
use torture::bench::{Bench, DATA};

const STAMPS: Payload = Payload::Stamps { block_bytes: 4096 };

fn small(set: &[(&str, &str)]) -> Board {
    // So few blocks that pages are often moved while they are written anew.
    let set =
        [&[("geometry.blocks_per_way", "10"), ("ftl.spare_blocks_per_way", "1")], set].concat();
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("small", &set).unwrap()
}

/// Simulated chips keep all metadata of pages where the board says that its drive recovers.
fn that_recovers() -> Board {
    small(&[("recovery.log_entries", "64")])
}

fn bench() -> Bench<SolvedFirmware> {
    let mut bench = Bench::running(&that_recovers(), STAMPS, Polling::Skip);
    bench.start_once();
    bench
}

/// All of the namespace is written and overwritten by parts of pages and by several pages, and read.
fn overwrite_all_of(board: &Board) {
    let jobs = "[global]\niodepth=16\n[fill]\nrw=write\nbs=64k\n\
        [mix]\nstonewall\nrw=randrw\nbsrange=4k-60k\nio_size=20m\n\
        [overwrite]\nstonewall\nrw=randrw\nbs=16k\nio_size=160m\n[all]\nstonewall\nrw=read\nbs=64k\n";
    let jobs = parse_file("job", jobs).unwrap();
    let result = tiny_drive::run::<SolvedFirmware>(board, &jobs, "job").unwrap();
    for job in &result.jobs {
        assert!(job.error.is_none(), "{}: a command failed", job.name);
    }
    assert!(result.drive.pages_programmed > 4 * 1280, "the flash has 1,280 pages");
}

#[test]
fn a_full_drive_is_overwritten() {
    overwrite_all_of(&small(&[]));
}

#[test]
fn blocks_fail_and_nothing_is_lost() {
    overwrite_all_of(&small(&[
        ("errors.factory_bad_blocks_per_million", "40000"),
        ("errors.program_failures_per_billion", "300000"),
        ("errors.erase_failures_per_billion", "3000000"),
        ("ftl.spare_blocks_per_way", "4"),
    ]));
}

/// A generator of numbers below a bound.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn whatever_was_flushed_survives_cuts_at_any_moment() {
    for seed in 1..5 {
        let mut numbers = Numbers(seed);
        let mut bench = bench();
        let blocks = u64::from(that_recovers().firmware.logical_pages) * 4;
        // By block: the newest version that was flushed, and the newest that may be there. No version is written twice.
        let (mut known, mut next) = (vec![(0, 0); blocks as usize], 0);
        for _ in 0..6 {
            for _ in 0..200 {
                let (count, first) = (1 + numbers.below(60), numbers.below(blocks - 60));
                next += 1;
                let stamps = (first..first + count).map(|lba| {
                    known[lba as usize].1 = next;
                    Stamp::new(lba, next)
                });
                let stamps: Vec<_> = stamps.collect();
                bench.write(first, &stamps);
                if numbers.below(8) == 0 {
                    let flush = IoCommand::Flush.emit(bench.data(1));
                    assert!(bench.io(&[flush])[0].1.status.is_success());
                    known.iter_mut().for_each(|(flushed, sent)| *flushed = *sent);
                }
            }
            let turns = numbers.below(3_000);
            bench.submit(1, &[IoCommand::Flush.emit(Header { cid: 9, nsid: 1, data: NONE })]);
            bench.drive.run_turns(NEVER, turns as u32);
            bench = bench.cut_power((&that_recovers(), STAMPS));
            bench.start_once();
            for (lba, (flushed, sent)) in known.iter_mut().enumerate() {
                let found = bench.read(lba as u64, 1).expect("readable")[0];
                let version = (*flushed..=*sent).find(|&version| is_of(found, lba as u64, version));
                *flushed = version.unwrap_or_else(|| {
                    panic!("seed {seed}, block {lba}: {found:?}, not version {flushed} to {sent}")
                });
                *sent = *flushed;
            }
        }
    }
}

const NONE: DataPointer = DataPointer { prp1: DATA, prp2: 0 };

fn is_of(found: Stamp, lba: u64, version: u32) -> bool {
    match version {
        0 => found.is_zero(),
        _ => found == Stamp::new(lba, version),
    }
}

#[test]
fn a_write_with_force_unit_access_needs_no_flush() {
    let mut bench = bench();
    let stamp = Stamp::new(5, 7).to_bits().to_le_bytes();
    bench.drive.host_mut().memory.0[DATA as usize..][..stamp.len()].copy_from_slice(&stamp);
    let range = BlockRange { start: 5, blocks: 1 };
    let write = IoCommand::Write(range, UnitAccess::Forced).emit(bench.data(1));
    assert!(bench.io(&[write])[0].1.status.is_success());
    let mut bench = bench.cut_power((&that_recovers(), STAMPS));
    bench.start_once();
    assert_eq!(bench.read(5, 1).expect("readable"), [Stamp::new(5, 7)]);
}

#[test]
fn what_was_formatted_does_not_come_back_with_the_power() {
    let mut bench = bench();
    let stamps: Vec<_> = (0..64).map(|lba| Stamp::new(lba, 1)).collect();
    bench.write(0, &stamps);
    let format = FormatNvm { format: 0, protection: 0, erase: SecureErase::None };
    bench.admin_for((AdminCommand::FormatNvm(format), 1), 0);
    let mut bench = bench.cut_power((&that_recovers(), STAMPS));
    bench.start_once();
    assert!(bench.read(0, 64).expect("readable").iter().all(|stamp| stamp.is_zero()));
}
