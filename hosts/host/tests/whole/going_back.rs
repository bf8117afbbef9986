//! Jobs that go back to what they wrote, play a log back or work on several files, on a whole drive.

use std::io::Write;

use report::{Direction, JobResult};

use super::{direction, job, Run};

/// Requests by direction: reads, writes, trims.
fn counts(job: &JobResult) -> [u64; 3] {
    let of = |direction| job.active(direction).map_or(0, |way| way.ios);
    [of(Direction::Read), of(Direction::Write), of(Direction::Trim)]
}

#[test]
fn requests_are_those_of_fio() {
    // Counts of fio 3.33 for the same options; those with trims by its text, which leaves a trim that is not
    // due when the writes end.
    let rows = [
        ("rw=write size=64k verify=crc32c verify_backlog=4", [16, 16, 0]),
        ("rw=write size=64k verify=crc32c verify_backlog=4 loops=2", [32, 32, 0]),
        ("rw=write size=64k verify=crc32c verify_backlog=4 number_ios=10", [6, 6, 0]),
        ("rw=randwrite size=4m verify=md5 verify_backlog=16 iodepth=8", [1024, 1024, 0]),
        ("rw=write size=1m verify=md5 trim_percentage=100 trim_backlog=4", [1, 256, 255]),
        (
            "rw=write size=1m verify=md5 trim_percentage=100 trim_backlog=4 trim_verify_zero=1",
            [256, 256, 256],
        ),
        ("rw=trimwrite size=64k bs=4k,4k,8k", [0, 15, 8]),
        ("rw=trimwrite size=64k bs=8k,4k,16k", [0, 13, 4]),
        ("rw=write nrfiles=3 size=64k", [0, 15, 0]),
        ("rw=randread nrfiles=4 size=1m iodepth=8 openfiles=2", [256, 0, 0]),
        (
            "rw=randwrite filename=a:b size=1m verify=crc32c iodepth=4 serialize_overlap=1",
            [256, 256, 0],
        ),
    ];
    for (options, expected) in rows {
        let result = Run::new().go(&job(options));
        assert_eq!(counts(&result.jobs[0]), expected, "{options}");
    }
}

#[test]
fn a_log_is_played_back_with_its_pauses() {
    let mut log = tempfile::NamedTempFile::new().unwrap();
    let lines = "fio version 3 iolog\n0 /dev/a add\n0 /dev/a open\n10 /dev/a write 0 4096\n20010 /dev/a write 8192 4096\n\
                 20020 /dev/a trim 16384 8192\n50020 /dev/a sync 0 0\n50040 /dev/a read 8192 4096\n60000 /dev/a close\n";
    log.write_all(lines.as_bytes()).unwrap();
    let path = log.path().display();
    let run = |options: &str| {
        let text = format!("[job]\nread_iolog={path}\n{}\n", options.replace(' ', "\n"));
        Run::new().go(&text)
    };
    let result = run("iodepth=4");
    let told = &result.jobs[0];
    assert_eq!((counts(told), told.sync.count()), ([1, 2, 1], 1));
    // 50 ms from the first request to the last.
    let elapsed_ms = told.runtime_ps / 1_000_000_000;
    assert!((50..52).contains(&elapsed_ms), "{elapsed_ms} ms");
    let fast = run("replay_time_scale=1000").jobs.remove(0).runtime_ps / 1_000_000_000;
    assert!((5..7).contains(&fast), "{fast} ms");
    let stormed = run("replay_no_stall=1 iodepth=4");
    assert!(stormed.jobs[0].runtime_ps < 10_000_000_000);
    assert_eq!(direction(&stormed.jobs[0], Direction::Write).bytes, 8192);
    // A log stands beside other jobs of a file.
    let text = format!("[log]\nread_iolog={path}\n[other]\nrw=randread\nsize=1m\n");
    let both = Run::new().go(&text);
    assert_eq!((counts(&both.jobs[0]), counts(&both.jobs[1])), ([1, 2, 1], [256, 0, 0]));
}
