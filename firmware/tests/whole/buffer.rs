//! The data buffer seen from the host: what it forgets, what it compares, what it need not write.

use contract::Lpn;
use nvme::admin::{AdminCommand, FormatNvm, SecureErase};
use nvme::io::{IoCommand, UnitAccess};
use nvme::status::Status;

use crate::bench::{configuration, numbers, range, Bench};

const NORMAL: UnitAccess = UnitAccess::Normal;

fn bench() -> Bench {
    Bench::new(&configuration())
}

/// Compares eight blocks over two or three pages that differ in one block, each in its turn.
#[test]
fn a_compare_finds_a_difference_wherever_it_is() {
    for lba in [8, 10] {
        let mut bench = bench();
        let data = numbers(lba, 8, 1);
        bench.write(lba, &data, NORMAL);
        for access in [NORMAL, UnitAccess::Forced] {
            assert!(bench.compare(lba, &data, access).is_success());
            for nth in 0..data.len() {
                let mut other = data.clone();
                other[nth] += 1;
                let status = bench.compare(lba, &other, access);
                assert!(status.is(Status::COMPARE_FAILURE), "block {nth}: {status}");
            }
        }
    }
}

#[test]
fn compares_at_once_do_not_mix_their_data() {
    let mut bench = bench();
    let data = numbers(8, 8, 1);
    bench.write(8, &data, NORMAL);
    let mut other = data.clone();
    other[7] = 0;
    let right = [true, false, true, true, false, true].map(|equal| {
        let data = if equal { &data } else { &other };
        (equal, bench.submit(IoCommand::Compare(range(8, 8), NORMAL), data.clone()))
    });
    for (equal, tag) in right {
        let expected = if equal { Status::SUCCESS } else { Status::COMPARE_FAILURE };
        assert!(bench.finish(tag).0.is(expected));
    }
}

#[test]
fn a_format_forgets_what_the_buffer_held() {
    let mut bench = bench();
    let data = numbers(8, 6, 1);
    bench.write(8, &data, NORMAL);
    let format = FormatNvm { format: 0, protection: 0, erase: SecureErase::None };
    bench.admin(AdminCommand::FormatNvm(format), 1);
    assert_eq!(bench.read(8, 6, NORMAL), Ok(vec![0; 6]));
    assert_eq!(bench.firmware.inspect().translator().map().mapped(), 0);
}

#[test]
fn what_was_trimmed_is_not_written_to_flash() {
    for trim in [true, false] {
        let mut bench = bench();
        bench.write(8, &numbers(8, 8, 1), NORMAL);
        assert_eq!(bench.firmware.inspect().dirty_entries(), 2);
        if trim {
            bench.trim(8, 8);
        } else {
            bench.done(IoCommand::WriteZeroes(range(8, 8), NORMAL));
        }
        assert_eq!(bench.firmware.inspect().dirty_entries(), 0);
        bench.done(IoCommand::Flush);
        assert_eq!(bench.body.done.programs, 0);
        assert_eq!(bench.firmware.inspect().translator().lookup(Lpn(2)), None);
        assert_eq!(bench.read(8, 8, NORMAL), Ok(vec![0; 8]));
    }
}

#[test]
fn part_of_a_page_is_kept_by_a_trim_and_zeroed_by_write_zeroes() {
    let mut bench = bench();
    let data = numbers(8, 8, 1);
    bench.write(8, &data, NORMAL);
    bench.trim(9, 5);
    assert_eq!(bench.read(8, 8, NORMAL), Ok(data.clone()));
    bench.done(IoCommand::WriteZeroes(range(9, 6), NORMAL));
    let expected = [&data[..1], &[0; 6], &data[7..]].concat();
    assert_eq!(bench.read(8, 8, NORMAL), Ok(expected));
}
