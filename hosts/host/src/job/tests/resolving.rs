//! Jobs against the drive: ranges, ends and what does not fit.

use proptest::prelude::*;

use super::{resolve, spec, DRIVE, GIB};
use crate::job::{parse_file, ByteRange};

#[test]
fn ranges_and_ends() {
    const M: u64 = 1 << 20;
    let whole = DRIVE.capacity_bytes;
    // Options; start, length, bytes of a pass, bytes in all, requests in all.
    let rows = [
        ("rw=read", 0, whole, whole, Some(whole), None),
        ("offset=1g", GIB, 7 * GIB, 7 * GIB, Some(7 * GIB), None),
        ("size=64m", 0, 64 * M, 64 * M, Some(64 * M), None),
        ("size=25%", 0, 2 * GIB, 2 * GIB, Some(2 * GIB), None),
        ("offset=50% size=100%", 4 * GIB, 4 * GIB, 4 * GIB, Some(4 * GIB), None),
        ("offset=1% bs=1m size=4m", 82 * M, 4 * M, 4 * M, Some(4 * M), None),
        ("size=64m loops=3", 0, 64 * M, 64 * M, Some(192 * M), None),
        ("size=64m io_size=8m", 0, 64 * M, 64 * M, Some(8 * M), None),
        ("size=64m io_size=96m loops=2", 0, 64 * M, 64 * M, Some(192 * M), None),
        ("rw=randread norandommap size=64m io_size=96m", 0, 64 * M, 96 * M, Some(96 * M), None),
        ("rw=randread norandommap size=64m io_size=8m", 0, 64 * M, 64 * M, Some(8 * M), None),
        ("size=64m runtime=1 time_based", 0, 64 * M, 64 * M, None, None),
        ("filesize=64m", 0, 64 * M, 64 * M, Some(64 * M), None),
        ("filesize=64m size=8m", 0, 64 * M, 64 * M, Some(8 * M), None),
        ("filesize=64m size=9g", 0, 64 * M, 64 * M, Some(64 * M), None),
        ("filesize=64m size=8m io_size=96m", 0, 64 * M, 64 * M, Some(96 * M), None),
        ("filesize=64m offset=16m", 16 * M, 48 * M, 48 * M, Some(48 * M), None),
        ("size=1m bs=48k", 0, M, 21 * 48 * 1024, Some(21 * 48 * 1024), None),
        ("size=64m number_ios=10 loops=2", 0, 64 * M, 64 * M, Some(128 * M), Some(20)),
        ("rw=trimwrite size=64m number_ios=10", 0, 64 * M, 64 * M, Some(64 * M), Some(20)),
    ];
    for (options, start, len, pass, total, requests) in rows {
        let spec = spec(options);
        assert_eq!(spec.range, ByteRange { start, len }, "{options}");
        let stop = (spec.stop.pass_bytes, spec.stop.total_bytes, spec.stop.requests);
        assert_eq!(stop, (pass, total, requests), "{options}");
    }
}

#[test]
fn clones_move_by_the_increment() {
    let specs = resolve("[a]\nnumjobs=3\noffset=1g\noffset_increment=2g\nsize=1g").unwrap();
    let starts: Vec<u64> = specs.iter().map(|s| s.range.start / GIB).collect();
    assert_eq!(starts, [1, 3, 5]);
}

#[test]
fn files_lie_one_behind_another_and_the_drive_is_the_drive() {
    const M: u64 = 1 << 20;
    let rows: &[(&str, &[u64])] = &[
        // Each clone of a job in a directory has a file of its own.
        ("[global]\ndirectory=/data\nsize=64m\n[a]\nnumjobs=2\n[b]\nsize=1m\n[c]", &[0, 64, 128, 129]),
        // A file is as long as the job needs that needs most of it.
        ("[global]\nsize=1m\n[a]\nfilename=x\n[b]\nfilename=y\n[c]\nfilename=x\nsize=4m\noffset=1m\n", &[0, 5, 1]),
        ("[global]\nfilename=/tmp/x\nsize=1m\n[a]\nnumjobs=2\n[b]", &[0, 0, 0]),
        ("[global]\nfilename=/dev/nvme0n1\nsize=1m\n[a]\n[b]\noffset=8m", &[0, 8]),
        ("[global]\nsize=1m\n[a]\n[b]", &[0, 0]),
    ];
    for (text, expected) in rows {
        let starts: Vec<u64> = resolve(text).unwrap().iter().map(|s| s.range.start / M).collect();
        assert_eq!(starts, *expected, "{text}");
    }
    let rows = [
        ("[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb", "job.fio:4: filename: found \"/dev/sdb\", expected one drive, and another job is on /dev/sda"),
        ("[a]\nfilename=x\n[b]\nfilename=/dev/sdb", "job.fio:4: filename: found \"/dev/sdb\", expected one drive, and another job is on x"),
        ("[a]\ndirectory=d\n[b]\ndirectory=d", "job.fio:3: size: found \"2 files, of which b.0 ends at byte 17179869184\", expected files of at most 8589934592 bytes in all"),
    ];
    for (text, message) in rows {
        assert_eq!(resolve(text).unwrap_err(), message);
    }
}

#[test]
fn what_does_not_fit_the_drive_is_an_error() {
    let rows = [
        ("filesize=9g", "job.fio:2: filesize: found \"9g\", expected at most the 8589934592 bytes of the drive"),
        ("filesize=1m\noffset=1m", "job.fio:2: filesize: found \"1m\", expected room for a request of 4096 bytes behind byte 1048576"),
        ("rw=read:1k", "job.fio:2: rw: found \"a gap of 1024 bytes\", expected a multiple of the logical block of 4096 bytes, at most the 8589934592 of the range"),
        ("size=64k\nrw=read:-68k", "job.fio:3: rw: found \"a gap of -69632 bytes\", expected a multiple of the logical block of 4096 bytes, at most the 65536 of the range"),
        ("size=64k\nrandom_distribution=zoned_abs:50/32k:50/64k", "job.fio:3: random_distribution: found \"zoned_abs:50/32k:50/64k\", expected zones of at most 65536 bytes in all"),
        ("size=64k\nrandom_distribution=zoned:50/5:50/95", "job.fio:3: random_distribution: found \"a zone of 3276 bytes\", expected room for a request of 4096 bytes"),
        ("size=9g", "job.fio:2: size: found \"9g\", expected at most 8589934592 bytes: the drive has 8589934592 and the job starts at 0"),
        ("offset=1g\nsize=8g", "job.fio:3: size: found \"8g\", expected at most 7516192768 bytes: the drive has 8589934592 and the job starts at 1073741824"),
        ("offset=8g", "job.fio:2: offset: found \"8g\", expected a start of clone 0 below the drive's 8589934592 bytes"),
        ("numjobs=3\noffset_increment=4g\nsize=1g", "job.fio:3: offset_increment: found \"4g\", expected a start of clone 2 below the drive's 8589934592 bytes"),
        ("offset_align=16e\noffset=1%", "job.fio:2: offset_align: found \"16e\", expected a size such as 4096, 4k or 1m"),
        ("offset_align=15000p\noffset=99%", "job.fio:3: offset: found \"99%\", expected a start of clone 0 below the drive's 8589934592 bytes"),
        ("offset=512", "job.fio:2: offset: found \"a start at 512 bytes\", expected a multiple of the logical block of 4096 bytes"),
        ("bs=512", "job.fio:2: bs: found \"512 bytes\", expected a multiple of the logical block of 4096 bytes"),
        ("bsrange=1k-8k", "job.fio:2: bsrange: found \"1024 bytes\", expected a multiple of the logical block of 4096 bytes"),
        ("bssplit=4k/50:5k/50", "job.fio:2: bssplit: found \"5120 bytes\", expected a multiple of the logical block of 4096 bytes"),
        ("rw=randread\nba=512", "job.fio:3: ba: found \"512 bytes\", expected a multiple of the logical block of 4096 bytes"),
        ("size=64k\nbs=128k", "job.fio:2: size: found \"65536 bytes\", expected room for a request of 131072 bytes"),
        ("rw=randtrimwrite\nbs=4k,8k,4k", "job.fio:3: bs: found \"4k,8k,4k\", expected the same lengths for write and trim with randtrimwrite, gaps or several files"),
        ("numjobs=4096\nsize=1m\n[b]", "job.fio:4: numjobs: found \"clone 4097\", expected at most 4096 clones in all jobs together"),
        ("loops=4g", "job.fio:2: loops: found \"4g\", expected a whole number from 0 to 4294967295"),
        ("io_size=8000p\nloops=5000", "job.fio:3: loops: found \"5000\", expected loops times the bytes of a pass below 16 EiB"),
    ];
    for (options, message) in rows {
        assert_eq!(resolve(&format!("[a]\n{options}")).unwrap_err(), message, "{options}");
    }
    // A direction that is not used may have any length.
    assert!(resolve("[a]\nrw=read\nbs=4k,512,1").is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    /// Nothing a user writes makes the parser or the resolver panic.
    #[test]
    fn any_value_of_any_option_is_taken_or_refused(
        key in "(bs|bsrange|bssplit|ba|size|offset|offset_increment|offset_align|io_size|loops|rate|\
                rate_iops|percentage_random|filesize|iodepth_batch|iodepth_low|runtime|startdelay|thinktime|random_distribution|numjobs|percentile_list)",
        value in "[0-9]{0,20}[kmgtpib%]{0,3}[-:/,.]{0,2}[0-9]{0,4}[kmgtp%]{0,2}",
        rw in "(rw|randread|trimwrite)",
    ) {
        let text = format!("[a]\nrw={rw}\n{key}={value}\n");
        if let Ok(file) = parse_file("job.fio", &text) {
            if let Err(error) = file.resolve(DRIVE) {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}
