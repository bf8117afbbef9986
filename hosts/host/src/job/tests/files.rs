//! Jobs on several files, which are parts of the drive.
//!
//! The orders are those of fio 3.33, from its `write_iolog`: `file:offset` in units of 4 KiB.

use super::walking::{run, told};
use super::{resolve, spec};

/// Requests with the number of the file of each; files of `blocks` blocks lie one behind another.
fn order(options: &str, blocks: u64) -> String {
    let issues = run(&spec(options), 1);
    let one = |(_, request): &(u64, crate::job::Request)| {
        let block = request.offset_bytes / 4096;
        format!("{}:{}", block / blocks, block % blocks)
    };
    issues.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_take_turns() {
    let rows = [
        (
            "rw=write nrfiles=3 size=64k",
            5,
            "0:0 1:0 2:0 0:1 1:1 2:1 0:2 1:2 2:2 0:3 1:3 2:3 0:4 1:4 2:4",
        ),
        ("rw=write filename=x0:x1 size=32k", 4, "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3"),
        (
            "rw=write nrfiles=2 size=32k file_service_type=sequential",
            4,
            "0:0 0:1 0:2 0:3 1:0 1:1 1:2 1:3",
        ),
        (
            "rw=write nrfiles=2 size=48k file_service_type=roundrobin:3",
            6,
            "0:0 0:1 0:2 1:0 1:1 1:2 0:3 0:4 0:5 1:3 1:4 1:5",
        ),
        (
            "rw=write nrfiles=4 size=64k openfiles=2",
            4,
            "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3 2:0 3:0 2:1 3:1 2:2 3:2 2:3 3:3",
        ),
        (
            "rw=write nrfiles=4 size=64k openfiles=1",
            4,
            "0:0 0:1 0:2 0:3 1:0 1:1 1:2 1:3 2:0 2:1 2:2 2:3 3:0 3:1 3:2 3:3",
        ),
        (
            "rw=write nrfiles=3 size=48k loops=2",
            4,
            "0:0 1:0 2:0 0:1 1:1 2:1 0:2 1:2 2:2 0:3 1:3 2:3 0:0 1:0 2:0 0:1 1:1 2:1 0:2 1:2 2:2 \
             0:3 1:3 2:3",
        ),
        ("rw=write nrfiles=2 filesize=16k", 4, "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3"),
        ("rw=write nrfiles=2 filesize=16k size=16k", 4, "0:0 1:0 0:1 1:1"),
        ("rw=write nrfiles=2 filesize=32k size=50%", 4, "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3"),
        // The offset counts from the start of each file.
        ("rw=write nrfiles=2 size=32k offset=8k", 6, "0:2 1:2 0:3 1:3 0:4 1:4 0:5 1:5"),
        (
            "rw=write nrfiles=2 size=32k io_size=48k",
            4,
            "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3 0:0 1:0 0:1 1:1",
        ),
        ("rw=write filename=x0:x1 nrfiles=1 size=16k", 4, "0:0 0:1 0:2 0:3"),
        ("rw=write nrfiles=1 filename=x0:x1 size=16k", 2, "0:0 1:0 0:1 1:1"),
    ];
    for (options, blocks, expected) in rows {
        assert_eq!(order(options, blocks), expected, "{options}");
    }
}

#[test]
fn each_place_of_each_file_is_met_once() {
    for options in [
        "rw=randwrite nrfiles=3 size=96k",
        "rw=randwrite nrfiles=3 size=96k file_service_type=random:2",
        "rw=randread filename=a:b:c size=96k file_service_type=sequential openfiles=1",
        "rw=write nrfiles=3 size=96k file_service_type=random",
    ] {
        let mut places: Vec<u64> =
            run(&spec(options), 7).iter().map(|(_, request)| request.offset_bytes / 4096).collect();
        places.sort_unstable();
        assert_eq!(places, (0..24).collect::<Vec<_>>(), "{options}");
    }
    // Files have orders of their own.
    let found: Vec<u64> = run(&spec("rw=randread nrfiles=2 size=512k"), 1)
        .iter()
        .map(|(_, request)| request.offset_bytes / 4096 % 64)
        .collect();
    let same = found.chunks(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(same < 16, "{same} of 64");
}

/// File by file where a walk is in order, and as it was written where a random map says what was.
#[test]
fn what_several_files_hold_is_read_back() {
    let rows = [
        (
            "rw=write nrfiles=2 size=32k verify_backlog=4",
            "w0 w4 w1 w5 r0 r1 r4 r5 w2 w6 w3 w7 r2 r3 r6 r7",
        ),
        (
            "rw=write nrfiles=2 size=32k verify_backlog=4 verify_backlog_batch=2",
            "w0 w4 w1 w5 r0 r1 w2 w6 r2 r4 w3 w7 r3 r5 r6 r7",
        ),
        ("rw=write filename=a:b size=16k", "w0 w2 w1 w3 r0 r1 r2 r3"),
        (
            "rw=write nrfiles=2 openfiles=2 size=16k loops=2",
            "w0 w2 w1 w3 r0 r1 r2 r3 w0 w2 w1 w3 r0 r1 r2 r3",
        ),
        (
            "rw=write nrfiles=3 size=24k file_service_type=roundrobin:2 openfiles=2",
            "w0 w1 w2 w3 w4 w5 r0 r1 r2 r3 r4 r5",
        ),
        ("rw=write nrfiles=3 size=24k openfiles=2", "w0 w2 w1 w3 w4 w5 r0 r1 r2 r3 r4 r5"),
    ];
    for (options, expected) in rows {
        let found = told(&run(&spec(&format!("{options} verify=crc32c")), 1));
        assert_eq!(found, expected, "{options}");
    }
    let found = told(&run(&spec("rw=randwrite nrfiles=2 size=64k verify=crc32c"), 1));
    let (writes, reads) = found.split_at(found.find('r').unwrap());
    assert_eq!(writes.replace('w', "r").trim_end(), reads);
}

#[test]
fn files_of_a_name_are_shared_and_drives_are_parts() {
    let specs = resolve("[a]\nfilename=x:y\nsize=32k\n[b]\nfilename=y:z\nsize=64k\n").unwrap();
    let starts = |nth: usize| {
        let parts = specs[nth].parts.as_ref().unwrap();
        parts.ranges.iter().map(|range| range.start / 4096).collect::<Vec<_>>()
    };
    assert_eq!((starts(0), starts(1)), (vec![0, 4], vec![4, 12]));
    // Without a size the drive is shared out.
    let specs = resolve("[a]\nfilename=/dev/nvme0n1:/dev/nvme1n1\n").unwrap();
    let parts = specs[0].parts.as_ref().unwrap();
    assert_eq!(parts.ranges.iter().map(|range| range.start).collect::<Vec<_>>(), [0, 4 << 30]);
    assert_eq!((specs[0].range.start, specs[0].range.len), (0, 8 << 30));
}

#[test]
fn files_that_cannot_be_are_named() {
    let rows = [
        ("nrfiles=0", "job.fio:2: nrfiles: found \"0\", expected"),
        ("file_service_type=zipf", "roundrobin, random or sequential"),
        (
            "nrfiles=2\nfilesize=5g",
            "job.fio:2: nrfiles: found \"2 files that end at byte 10737418240\"",
        ),
        ("nrfiles=4\nsize=8k", "4 files of 0 bytes"),
        ("filename=:", "filename"),
    ];
    for (options, expected) in rows {
        let error = resolve(&format!("[job]\n{options}\n")).unwrap_err();
        assert!(error.contains(expected), "{options}: {error}");
    }
    // What would not fit is cut where the job fills the drive.
    let found = resolve("[job]\nrw=write\noffset=1g\nsize=20g\nfill_device=1\n").unwrap();
    assert_eq!(found[0].range.len, 7 << 30);
    assert!(resolve("[job]\nrw=write\noffset=1g\nsize=20g\nfill_device=0\n").is_err());
}
