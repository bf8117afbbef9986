//! Lines as fio 3.33 writes them for requests made up here.

use std::fs;

use report::{Completion, Direction};
use tempfile::TempDir;

use super::{JobLog, JobLogs, LogFiles};
use crate::job::{parse_file, DriveShape, Request, RequestKind};

const US: u64 = 1_000_000;
const MS: u64 = 1_000 * US;

/// Logs of the jobs in `text`, in which `DIR` stands for a directory.
fn open(text: &str) -> (TempDir, LogFiles, Vec<JobLog>) {
    let directory = tempfile::tempdir().unwrap();
    let text = text.replace("DIR", directory.path().to_str().unwrap());
    let drive = DriveShape {
        capacity_bytes: 1 << 30,
        block_bytes: 4096,
        placement_handles: 0,
        zones: None,
    };
    let specs = parse_file("job.fio", &text).unwrap().resolve(drive).unwrap();
    let mut files = LogFiles::default();
    let logs = specs
        .iter()
        .filter_map(|spec| files.open(spec, JobLogs::Written).unwrap())
        .map(|log| *log)
        .collect();
    (directory, files, logs)
}

fn read(directory: &TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A request of 4 KiB at block `nth` that took 1 us to submit and `clat_us` to complete.
fn complete(log: &mut JobLog, direction: Direction, (at_us, clat_us, nth): (u64, u64, u64)) {
    let completion = Completion {
        at_ps: at_us * US,
        bytes: 4096,
        submission_ps: US,
        completion_ps: clat_us * US,
    };
    log.complete((direction, nth * 4096), &completion, None);
}

#[test]
fn a_request_has_a_line_in_each_log() {
    let (directory, files, mut logs) = open(
        "[job]\nrw=randrw\nwrite_lat_log=DIR/a\nwrite_bw_log=DIR/a\nwrite_iops_log=DIR/b\nlog_offset=1",
    );
    let log = &mut logs[0];
    log.start(5 * MS);
    complete(log, Direction::Read, (5_900, 100, 3));
    complete(log, Direction::Write, (6_000, 250, 4));
    log.end(7 * MS);
    files.finish().unwrap();
    assert_eq!(
        read(&directory, "a_slat.1.log"),
        "0, 1000, 0, 4096, 12288, 0\n1, 1000, 1, 4096, 16384, 0\n"
    );
    assert_eq!(
        read(&directory, "a_clat.1.log"),
        "0, 100000, 0, 4096, 12288, 0\n1, 250000, 1, 4096, 16384, 0\n"
    );
    assert_eq!(
        read(&directory, "a_lat.1.log"),
        "0, 101000, 0, 4096, 12288, 0\n1, 251000, 1, 4096, 16384, 0\n"
    );
    assert_eq!(
        read(&directory, "a_bw.1.log"),
        "0, 40960, 0, 4096, 12288, 0\n1, 16384, 1, 4096, 16384, 0\n"
    );
    assert_eq!(
        read(&directory, "b_iops.1.log"),
        "0, 1, 0, 4096, 12288, 0\n1, 1, 1, 4096, 16384, 0\n"
    );
}

#[test]
fn windows_have_means_or_maxima_and_rates() {
    for (more, clats) in [
        ("", ["10, 200000, 0, 0, 0\n", "12, 500000, 0, 0, 0\n"]),
        (
            "log_max_value=1\nlog_prio=1\n",
            ["10, 300000, 0, 0, 0x0000\n", "12, 500000, 0, 0, 0x0000\n"],
        ),
    ] {
        let (directory, files, mut logs) = open(&format!(
            "[job]\nwrite_lat_log=DIR/a\nwrite_bw_log=DIR/a\nwrite_iops_log=DIR/a\nlog_avg_msec=5\n{more}"
        ));
        let log = &mut logs[0];
        log.start(0);
        // Two in the first 5 ms, none in the second, and two in the third.
        complete(log, Direction::Read, (1_000, 100, 0));
        complete(log, Direction::Read, (4_000, 200, 1));
        complete(log, Direction::Read, (10_500, 300, 2));
        complete(log, Direction::Read, (12_000, 500, 3));
        log.end(12 * MS);
        files.finish().unwrap();
        assert_eq!(read(&directory, "a_clat.1.log"), clats.concat(), "{more}");
        let priority = if more.is_empty() { "0" } else { "0x0000" };
        assert_eq!(read(&directory, "a_bw.1.log"), format!("5, 1600, 0, 0, {priority}\n"));
        assert_eq!(read(&directory, "a_iops.1.log"), format!("5, 400, 0, 0, {priority}\n"));
    }
}

#[test]
fn a_rate_window_ends_with_the_job_that_ends_with_it() {
    let (directory, files, mut logs) =
        open("[job]\nrw=write\nwrite_bw_log=DIR/a\nlog_avg_msec=10\n");
    let log = &mut logs[0];
    log.start(3 * MS);
    complete(log, Direction::Write, (4_000, 1, 0));
    log.end(13 * MS);
    files.finish().unwrap();
    assert_eq!(read(&directory, "a_bw.1.log"), "10, 400, 1, 0, 0\n");
}

#[test]
fn histograms_hold_what_completed_since_the_last() {
    for (coarseness, columns, bin_of_100_us) in [(0, 1856, 737), (4, 116, 46)] {
        let (directory, files, mut logs) = open(&format!(
            "[job]\nwrite_hist_log=DIR/h\nlog_hist_msec=10\nlog_hist_coarseness={coarseness}\n"
        ));
        let log = &mut logs[0];
        log.start(0);
        for at_us in [1_000, 2_000, 10_000, 19_000, 21_000, 22_000] {
            complete(log, Direction::Read, (at_us, 100, 0));
        }
        log.end(25 * MS);
        files.finish().unwrap();
        let text = read(&directory, "h_clat_hist.1.log");
        let lines: Vec<Vec<u64>> = text
            .lines()
            .map(|line| line.split(", ").map(|cell| cell.parse().unwrap()).collect())
            .collect();
        assert_eq!(
            lines.iter().map(|line| &line[..3]).collect::<Vec<_>>(),
            [&[10, 0, 4096], &[21, 0, 4096]]
        );
        for (line, count) in lines.iter().zip([3, 2]) {
            assert_eq!(line.len(), 3 + columns);
            assert_eq!((line[3 + bin_of_100_us], line[3..].iter().sum::<u64>()), (count, count));
        }
    }
}

#[test]
fn jobs_have_files_of_their_own_unless_they_share_them() {
    let job = "numjobs=2\nwrite_bw_log=DIR/x\n[named]\nwrite_iops_log\ndirect=1\n";
    for (more, files) in [("", ["x_bw.1.log", "x_bw.2.log"]), ("per_job_logs=0\n", ["x_bw.log"; 2])]
    {
        let directory = tempfile::tempdir().unwrap();
        let text = format!("[job]\n{more}{job}").replace("DIR", directory.path().to_str().unwrap());
        let paths = parse_file("job.fio", &text).unwrap().log_paths();
        for file in files {
            assert!(paths.contains(directory.path().join(file).to_str().unwrap()), "{paths:?}");
        }
        assert!(paths.contains("named_iops.3.log"), "{paths:?}");
    }
}

#[test]
fn a_shared_clock_counts_from_the_start_of_the_run() {
    let (directory, files, mut logs) =
        open("[job]\nwrite_lat_log=DIR/a\nlog_unix_epoch=1\nlog_avg_msec=10\n");
    let log = &mut logs[0];
    log.start(1_003 * MS);
    complete(log, Direction::Read, (1_014_000, 100, 0));
    log.end(1_015 * MS);
    files.finish().unwrap();
    assert_eq!(read(&directory, "a_clat.1.log"), "1014, 100000, 0, 0, 0\n");
}

#[test]
fn a_trace_is_one_however_many_jobs_write_it() {
    let (directory, files, mut logs) =
        open("[job]\nnumjobs=2\nwrite_iolog=DIR/t\nfilename=/dev/nvme9n1\n");
    let request = |kind, nth: u64, blocks: u64| Request {
        kind,
        offset_bytes: nth * 4096,
        length_bytes: blocks * 4096,
    };
    logs[0].issue(7 * US, &request(RequestKind::Read, 2, 1));
    logs[1].issue(9 * US, &request(RequestKind::Write, 0, 4));
    logs[0].issue(12 * US, &request(RequestKind::Trim, 8, 1));
    logs[0].end(20 * US);
    logs[1].issue(25 * US, &request(RequestKind::Flush, 0, 0));
    logs[1].end(30 * US);
    files.finish().unwrap();
    let expected = "fio version 3 iolog\n0 /dev/nvme9n1 add\n0 /dev/nvme9n1 open\n\
                    0 /dev/nvme9n1 read 8192 4096\n2 /dev/nvme9n1 write 0 16384\n\
                    5 /dev/nvme9n1 trim 32768 4096\n18 /dev/nvme9n1 sync 0 0\n\
                    23 /dev/nvme9n1 close\n";
    assert_eq!(read(&directory, "t"), expected);
}

#[test]
fn a_file_that_cannot_be_created_is_named() {
    let drive = DriveShape {
        capacity_bytes: 1 << 30,
        block_bytes: 4096,
        placement_handles: 0,
        zones: None,
    };
    let text = "[job]\nwrite_bw_log=/nowhere/x\n";
    let specs = parse_file("job.fio", text).unwrap().resolve(drive).unwrap();
    let error = LogFiles::default().open(&specs[0], JobLogs::Written).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/x_bw.1.log: found No such file"), "{error}");
}
