//! Logs of requests that a job plays back.

use std::io::Write;

use tempfile::NamedTempFile;

use super::{resolve, DRIVE};
use crate::job::{from_pairs, JobSpec, Next, RequestKind};
use crate::source::{Seen, Source};

const PS_PER_US: u64 = 1_000_000;

/// Two reads, a write, a trim and two flushes of two files.
const LOG: &str = "fio version 3 iolog
0 /dev/a add
0 /dev/a open
10 /dev/a read 0 4096
20010 /dev/a write 8192 4096
20020 /dev/a trim 16384 8192
50020 /dev/a sync 0 0
50030 /dev/a datasync 0 0
50040 /dev/b read 5000 4096
60000 /dev/a close
";

fn logged(text: &str, options: &str) -> (Result<JobSpec, String>, NamedTempFile) {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let path = file.path().display().to_string();
    let mut pairs = vec![("read_iolog".to_string(), path)];
    for option in options.split_whitespace() {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        pairs.push((key.to_string(), value.to_string()));
    }
    let specs = from_pairs(&pairs).and_then(|jobs| jobs.resolve(DRIVE));
    (specs.map(|mut specs| specs.remove(0)).map_err(|error| error.to_string()), file)
}

/// Microseconds, what is done and the block of each request, on a drive that takes 5 us.
fn played(text: &str, options: &str) -> Vec<String> {
    let (spec, _file) = logged(text, options);
    let mut source = Source::new(&spec.unwrap(), 1);
    let (mut now, mut told) = (0, Vec::new());
    loop {
        match source.next(now, 0) {
            Next::Io(request) => {
                let kind = request.kind.name().chars().next().unwrap();
                let kind = if request.kind == RequestKind::Flush { 'f' } else { kind };
                let (at, blocks) = (request.offset_bytes / 4096, request.length_bytes / 4096);
                told.push(format!("{}:{kind}{at}+{blocks}", now / PS_PER_US));
                let submitted_ps = now;
                now += 5 * PS_PER_US;
                let status = nvme::status::Status::SUCCESS;
                source.completed(&request, Seen { slot: 0, now_ps: now, submitted_ps, status });
            }
            Next::Wait { until_ps } => now = until_ps,
            Next::Drain => panic!("a drain with nothing in flight"),
            Next::Held { .. } | Next::Remeasure => panic!("a log is in no flow"),
            Next::Done => return told,
        }
    }
}

#[test]
fn pauses_are_made_as_fio_makes_them() {
    let rows = [
        // The second file lies behind the first. What is no whole block is rounded outwards.
        ("", "0:r0+1 20000:w2+1 20010:t4+2 50010:f0+0 50020:f0+0 50030:r7+2"),
        ("replay_no_stall=1", "0:r0+1 5:w2+1 10:t4+2 15:f0+0 20:f0+0 25:r7+2"),
        ("replay_time_scale=200", "0:r0+1 10000:w2+1 10005:t4+2 25005:f0+0 25010:f0+0 25015:r7+2"),
        (
            "replay_time_scale=50",
            "0:r0+1 40000:w2+1 40020:t4+2 100020:f0+0 100040:f0+0 100060:r7+2",
        ),
        (
            "replay_redirect=/dev/nvme0n1",
            "0:r0+1 20000:w2+1 20010:t4+2 50010:f0+0 50020:f0+0 50030:r1+2",
        ),
        (
            "replay_scale=2 replay_align=4k replay_redirect=/dev/x",
            "0:r0+1 20000:w1+1 20010:t2+2 50010:f0+0 50020:f0+0 50030:r0+1",
        ),
        ("runtime=30ms", "0:r0+1 20000:w2+1 20010:t4+2"),
        (
            "startdelay=1ms number_ios=1 rw=write",
            "1000:r0+1 21000:w2+1 21010:t4+2 51010:f0+0 51020:f0+0 51030:r7+2",
        ),
    ];
    for (options, expected) in rows {
        assert_eq!(played(LOG, options).join(" "), expected, "{options}");
    }
    let early = "fio version 3 iolog\n0 f add\n0 f open\n0 f read 0 4096\n900 f read 4096 4096\n950 f read 0 4096\n";
    assert_eq!(played(early, "").join(" "), "0:r0+1 900:r1+1 950:r0+1");
    // Version 2 has times only where it waits.
    let two = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf write 4096 4096\nf close\n";
    assert_eq!(played(two, "").join(" "), "0:r0+1 5:w1+1");
}

#[test]
fn a_log_that_cannot_be_played_back_is_refused() {
    let far = "fio version 3 iolog\n0 f add\n0 f open\n5 f read 9999998976 4096\n";
    let rows = [
        (
            far,
            "",
            "a log whose files end within the 8589934592 bytes of the drive, not at 10000003072",
        ),
        ("fio version 3 iolog\n0 f add\n", "", "a log with requests"),
        ("fio version 3 iolog\n0 f add\n1 f frob 0 0\n2 f read 0 4096\n", "", "a log"),
        ("0,r,0,4096\n", "", "a log of fio's or of blktrace"),
        (LOG, "replay_align=3000", "0 or a power of two"),
        (LOG, "replay_time_scale=0", "replay_time_scale"),
    ];
    for (text, options, expected) in rows {
        let (spec, _file) = logged(text, options);
        let error = spec.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{options}: {error}");
    }
    let error = resolve("[job]\nread_iolog=nowhere/at-all\n").unwrap_err();
    assert!(
        error.starts_with("job.fio:2: read_iolog: found \"nowhere/at-all\", expected"),
        "{error}"
    );
    assert_eq!(played(far, "replay_scale=4"), ["0:r610351+2"]);
}
