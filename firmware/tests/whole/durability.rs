//! What has to be in flash when a command completes: force unit access, the write cache switched off,
//! flush.

use firmware::ftl::Counters;
use nvme::feature::Switch;
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench};

const NORMAL: UnitAccess = UnitAccess::Normal;
const FORCED: UnitAccess = UnitAccess::Forced;

fn bench() -> Bench {
    Bench::new(&configuration())
}

fn programs(bench: &Bench) -> u64 {
    let Counters { programs, .. } = bench.firmware.inspect().counters();
    programs
}

/// Checks that flash holds `data` from `lba` on now.
fn assert_in_flash(bench: &Bench, lba: u64, data: &[u64]) {
    for (lba, &expected) in (lba..).zip(data) {
        assert_eq!(bench.in_flash(lba), Some(expected), "LBA {lba}");
    }
}

#[test]
fn a_forced_write_is_in_flash_when_it_completes() {
    for (lba, count) in [(0, 4), (5, 1), (9, 9)] {
        let mut bench = bench();
        let data = numbers(lba, count, 1);
        bench.write(lba, &data, FORCED);
        assert_in_flash(&bench, lba, &data);
        assert_eq!(bench.firmware.inspect().dirty_entries(), 0);
    }
}

#[test]
fn a_forced_write_to_a_dirty_entry_brings_all_of_it_to_flash() {
    for (lba, count) in [(8, 4), (9, 1)] {
        let mut bench = bench();
        let mut expected = numbers(8, 4, 1);
        bench.write(8, &expected, NORMAL);
        assert_eq!((bench.in_flash(8), bench.firmware.inspect().dirty_entries()), (None, 1));
        let data = numbers(lba, count, 2);
        bench.write(lba, &data, FORCED);
        expected[lba as usize - 8..][..data.len()].copy_from_slice(&data);
        assert_in_flash(&bench, 8, &expected);
        assert_eq!((programs(&bench), bench.firmware.inspect().dirty_entries()), (1, 0));
    }
}

#[test]
fn forced_zeroes_in_part_of_a_page_are_in_flash() {
    let mut bench = bench();
    bench.write(8, &numbers(8, 4, 1), NORMAL);
    bench.done(IoCommand::WriteZeroes(range(9, 2), FORCED));
    let data = numbers(8, 4, 1);
    assert_in_flash(&bench, 8, &[data[0], 0, 0, data[3]]);
}

#[test]
fn a_forced_read_or_compare_commits_what_it_uses() {
    for compare in [false, true] {
        let mut bench = bench();
        let data = numbers(8, 8, 1);
        bench.write(8, &data, NORMAL);
        assert_eq!(bench.firmware.inspect().dirty_entries(), 2);
        if compare {
            assert!(bench.compare(8, &data, FORCED).is_success());
        } else {
            assert_eq!(bench.read(8, 8, FORCED), Ok(data.clone()));
        }
        assert_in_flash(&bench, 8, &data);
        assert_eq!(bench.firmware.inspect().dirty_entries(), 0);
    }
}

/// NVMe 1.4 section 6.9: the data are committed, and read from non-volatile media.
#[test]
fn a_forced_read_or_compare_does_not_take_the_buffers_word() {
    for compare in [false, true] {
        let mut bench = bench();
        let data = numbers(8, 4, 1);
        bench.write(8, &data, FORCED);
        let page = bench
            .firmware
            .inspect()
            .translator()
            .lookup(contract::Lpn(2))
            .expect("it is in flash")
            .page;
        bench.body.faults.reads.insert((page.die, page.row));
        assert_eq!(bench.read(8, 4, NORMAL), Ok(data.clone()), "the buffer holds it");
        let status = if compare {
            bench.compare(8, &data, FORCED)
        } else {
            bench.read(8, 4, FORCED).expect_err("flash cannot give it back")
        };
        assert!(status.is(Status::UNRECOVERED_READ), "{status}");
    }
}

#[test]
fn a_forced_access_to_what_was_never_written_reads_zeroes() {
    let mut bench = bench();
    for access in [NORMAL, FORCED, FORCED] {
        assert_eq!(bench.read(40, 4, access), Ok(vec![0; 4]));
        assert!(bench.compare(40, &[0; 4], access).is_success());
    }
    assert_eq!(programs(&bench), 0);
}

#[test]
fn with_the_write_cache_off_a_write_is_in_flash_when_it_completes() {
    let mut bench = bench();
    bench.write(0, &numbers(0, 4, 1), NORMAL);
    assert_eq!(bench.in_flash(0), None, "the cache is on");
    bench.set_write_cache(Switch::Off);
    let data = numbers(8, 6, 2);
    bench.write(8, &data, NORMAL);
    assert_in_flash(&bench, 8, &data);
    bench.set_write_cache(Switch::On);
    bench.write(20, &numbers(20, 4, 3), NORMAL);
    assert_eq!(bench.in_flash(20), None, "the cache is on again");
}

#[test]
fn a_flush_brings_every_completed_write_to_flash() {
    let mut bench = bench();
    let writes: Vec<(u64, Vec<u64>)> = (0..6).map(|n| (n * 9, numbers(n * 9, 3, n))).collect();
    for (lba, data) in &writes {
        bench.write(*lba, data, NORMAL);
    }
    bench.done(IoCommand::Flush);
    for (lba, data) in &writes {
        assert_in_flash(&bench, *lba, data);
    }
    assert_eq!(bench.firmware.inspect().dirty_entries(), 0);
}
