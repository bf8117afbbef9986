use crate::{normal_of, sample};
use report::{Direction, JobError, RateWindows, WINDOW_PS};

/// The layout is that of fio 3.33.
const SMALL: &str = "\
four: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 512B-64.0KiB, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.33
Starting 1 process

four: (groupid=0, jobs=1): err= 0: pid=1: Thu Jan  1 00:00:00 1970
  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(16.0KiB/4msec)
    slat (nsec): min=1000, max=1000, avg=1000.00, stdev= 0.00
    clat (usec): min=100, max=400, avg=250.00, stdev=129.10
     lat (usec): min=101, max=401, avg=251.00, stdev=129.10
    clat percentiles (usec):
     |  1.00th=[  101],  5.00th=[  101], 10.00th=[  101], 20.00th=[  101],
     | 30.00th=[  201], 40.00th=[  201], 50.00th=[  201], 60.00th=[  302],
     | 70.00th=[  302], 80.00th=[  400], 90.00th=[  400], 95.00th=[  400],
     | 99.00th=[  400], 99.50th=[  400], 99.90th=[  400], 99.95th=[  400],
     | 99.99th=[  400]
  lat (usec)   : 250=50.00%, 500=50.00%
  cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=4,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=1

Run status group 0 (all jobs):
   READ: bw=4000KiB/s (4096kB/s), 4000KiB/s-4000KiB/s (4096kB/s-4096kB/s), io=16.0KiB (16.4kB), run=4-4msec

Board tiny, seed 1:
  Where the time went (usec):
                                                   mean         p50         p99       p99.9  share
    four read  host link and DMA                  62.50       50.17      100.00      100.00  25.0%
               command processing                 41.67       33.53       66.67       66.67  16.7%
               waiting for the die                20.83       16.77       33.33       33.33   8.3%
               flash busy                        125.00      100.35      200.00      200.00  50.0%
               all (clat)                        250.00      200.70      400.00      400.00 100.0%
                 in the host interface            62.50       50.17      100.00      100.00  25.0%
                 in the firmware                  62.50       50.17      100.00      100.00  25.0%
                 in the storage                  125.00      100.35      200.00      200.00  50.0%
";

#[test]
fn a_small_run_is_laid_out_as_fio_does() {
    let report = normal_of(&sample::small());
    for (line, (found, expected)) in report.lines().zip(SMALL.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", line + 1);
    }
    assert!(report.starts_with(SMALL));
}

#[test]
fn directions_without_requests_and_absent_flushes_are_left_out() {
    let report = normal_of(&sample::idle());
    for absent in ["read:", "write:", "READ:", "fsync", "clat", "Where the time went", "Flash:"] {
        assert!(!report.contains(absent), "{absent}");
    }
    assert!(report.contains("issued rwts: total=0,0,0,0"));
    assert!(report.contains("Write amplification: none (nothing written)"));
}

#[test]
fn flushes_have_their_block() {
    let mut run = sample::small();
    run.jobs[0].sync.record(3 * sample::MS);
    let report = normal_of(&run);
    assert!(report.contains(
        "  fsync/fdatasync/sync_file_range:\n    sync (nsec): min=3000.0k, max=3000.0k, \
         avg=3000000.00, stdev= 0.00\n    sync percentiles (usec):\n     |  1.00th=[ 3000],"
    ));
    assert!(report.contains("issued rwts: total=4,0,0,1"));
}

#[test]
fn windows_give_bandwidth_and_iops_lines() {
    let mut run = sample::small();
    let read = run.jobs[0].directions[Direction::Read as usize].as_mut().unwrap();
    let mut rates = RateWindows::new(0);
    // 500 and 1000 requests in the first two windows; the third is not complete.
    for (window, requests) in [(0, 500), (1, 1_000), (2, 1)] {
        (0..requests).for_each(|_| rates.record(window * WINDOW_PS, 4_096));
    }
    read.rates = rates;
    let report = normal_of(&run);
    assert!(report.contains(
        "   bw (  KiB/s): min= 4000, max= 8000, per=100.00%, avg=6000.00, stdev=2828.43, samples=2\n   \
         iops        : min= 1000, max= 2000, avg=1500.00, stdev=707.11, samples=2\n"
    ));
}

#[test]
fn an_error_is_named_in_the_header() {
    let mut run = sample::small();
    run.jobs[0].error = Some(JobError { number: 84, message: "LBA 7 holds wrong data".into() });
    assert!(normal_of(&run).contains("err=84 (LBA 7 holds wrong data): pid=1"));
}

#[test]
fn clones_are_announced_once_and_group_reporting_adds_them() {
    let mut run = sample::small();
    run.jobs = vec![run.jobs[0].clone(); 3];
    let apart = normal_of(&run);
    assert!(apart.contains("iodepth=1\n...\nfio-3.33\nStarting 3 processes\n"));
    assert_eq!(apart.matches("four: (groupid=0, jobs=1)").count(), 3);
    run.merge_group(0);
    let together = normal_of(&run);
    assert!(together.contains("iodepth=1\n...\nfio-3.33\nStarting 3 processes\n"));
    assert!(together.contains("four: (groupid=0, jobs=3): err= 0"));
    assert!(together.contains("read: IOPS=3000, BW=11.7MiB/s (12.3MB/s)(48.0KiB/4msec)"));
    assert!(together.contains("clat (usec): min=100, max=400, avg=250.00, stdev=116.77"));
}

#[test]
fn merging_one_group_leaves_the_others_in_place() {
    let mut run = sample::large();
    run.jobs[2].group = 0;
    run.merge_group(0);
    run.merge_group(99);
    let jobs: Vec<_> = run.jobs.iter().map(|job| (job.name.as_str(), job.jobs)).collect();
    assert_eq!(jobs, [("seq-read", 2), ("seq-write", 1), ("rand-mix", 1)]);
    assert_eq!(run.jobs[0].active(Direction::Read).unwrap().ios, 19_400 + 156_000);
}

#[test]
fn the_drive_section_tells_what_no_drive_tells() {
    let report = normal_of(&sample::large());
    for line in [
        "  Flash: 8 channels x 8 ways (share of time busy):",
        "  Write amplification: 1.250 (host 2000000000 bytes, flash 2500000000 bytes in 152588 pages)",
        "  Garbage collection: blocks=17, moved pages=1904, erases=21",
        "  Erases of a block: min=2, max=9, avg=4.25, stdev=1.50",
        "  Errors: read retries=3, corrected bits=48211, uncorrectable=0, bad blocks=5",
        "  Power-on: ready after 87.000 msec, marks read=524288, pages read for the map=0",
        "  Processor: 73.4% busy; time by module, and of idle polls:",
        "    scheduler               2080.000 msec  35.4%",
        "    idle polling            2130.000 msec",
        "  Speed: 8.000000 s simulated in 0.310 s (0.250 s CPU), 314000 requests, 1256000 requests a CPU second",
    ] {
        assert!(report.lines().any(|found| found == line), "{line}\n{report}");
    }
}
