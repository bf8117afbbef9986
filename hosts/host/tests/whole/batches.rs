//! Batches of submissions and completions, forced unit access, flushes at the end, settled rates.

use super::*;

const SECOND_PS: u64 = 1_000_000_000_000;

/// Shares of fio's counters: 1 to 4, 5 to 8, 9 to 16 and 17 to 32 requests a call, in percent.
fn shares(percentages: [f64; 7]) -> [f64; 4] {
    [percentages[1], percentages[2], percentages[3], percentages[4]]
}

#[test]
fn requests_are_handed_over_in_batches_of_the_wanted_size() {
    let submits = |options: &str| {
        let text = job(&format!("rw=randread size=8m iodepth=32 {options}"));
        shares(Run::new().go(&text).jobs[0].submits.percentages())
    };
    assert_eq!(submits("iodepth_batch=1"), [100.0, 0.0, 0.0, 0.0]);
    // The first call fills the queue where nothing bounds it.
    assert!(submits("")[3] > 0.0);
    // Completions of eight at a time leave room for eight.
    assert_eq!(submits("iodepth_batch=8 iodepth_batch_complete=8"), [0.0, 100.0, 0.0, 0.0]);
    assert_eq!(submits("iodepth_batch=16 iodepth_batch_complete=16"), [0.0, 0.0, 100.0, 0.0]);
}

#[test]
fn completions_are_taken_in_batches_of_the_wanted_size() {
    let completes = |options: &str| {
        let text = job(&format!("rw=randread size=8m iodepth=32 {options}"));
        let result = Run::new().go(&text);
        assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 2048, "{options}");
        shares(result.jobs[0].completes.percentages())
    };
    assert_eq!(completes("iodepth_batch_complete_min=8"), [0.0, 100.0, 0.0, 0.0]);
    assert_eq!(completes("iodepth_batch_complete=16"), [0.0, 0.0, 100.0, 0.0]);
    assert_eq!(completes("iodepth_batch_complete_max=4"), [100.0, 0.0, 0.0, 0.0]);
    let between = completes("iodepth_batch_complete_min=5 iodepth_batch_complete_max=32");
    assert!(between[0] < 1.0 && between[1] > 0.0, "{between:?}");
}

#[test]
fn a_full_queue_drains_to_the_low_mark_before_it_is_filled_again() {
    let text = job("rw=randread size=8m iodepth=32 iodepth_low=8");
    let result = Run::new().go(&text);
    assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 2048);
    // From 8 to 32 requests it is filled at once, by 24 or a few more.
    let submits = shares(result.jobs[0].submits.percentages());
    assert!(submits[3] > 95.0, "{submits:?}");
    let depths = |options: &str| {
        let result = Run::new().go(&job(&format!("rw=randread size=8m iodepth=32 {options}")));
        let read = direction(&result.jobs[0], Direction::Read);
        read.clat.moments_ps().mean() * read.iops() / 1e12
    };
    let (low, full) = (depths("iodepth_low=8"), depths(""));
    assert!(low < 0.85 * full, "{low} requests in flight on average, {full} without the mark");
}

#[test]
fn synchronous_writes_are_in_the_flash_when_they_complete() {
    let write = |options: &str| {
        let text = job(&format!("rw=write bs=16k size=1m {options}"));
        let result = Run::new().go(&text);
        let latency = direction(&result.jobs[0], Direction::Write).clat.moments_ps().min();
        (latency, result.drive.pages_programmed)
    };
    let program = Board::resolve("small", &[]).unwrap().flash.t_program[0].as_ps();
    let (cached, _) = write("");
    assert!(cached < program / 4, "{cached} ps, and a program takes {program}");
    for sync in ["sync=1", "sync=dsync", "ioengine=sg writefua=1"] {
        let (forced, programmed) = write(sync);
        assert!(forced > program * 9 / 10, "{sync}: {forced} ps, and a program takes {program}");
        assert!(programmed >= 64, "{sync}: {programmed} pages");
    }
}

#[test]
fn a_flush_at_the_end_has_programmed_what_was_written() {
    let programmed = |options: &str| {
        let result = Run::new().go(&job(&format!("rw=write bs=16k size=256k {options}")));
        (result.drive.pages_programmed, result.jobs[0].sync.count())
    };
    assert_eq!(programmed("").1, 0);
    let (pages, flushes) = programmed("end_fsync=1");
    assert!(pages >= 16 && flushes == 1, "{pages} pages, {flushes} flushes");
    // Also where others end the job.
    let text =
        "[a]\nrw=write\nbs=16k\nsize=1m\nrate=16m\nend_fsync=1\n[b]\nrw=read\nsize=64k\nexitall\n";
    let result = Run::new().go(text);
    assert_eq!(result.jobs[0].sync.count(), 1);
    assert!(direction(&result.jobs[0], Direction::Write).ios < 64);
}

#[test]
fn a_job_ends_when_its_rate_has_settled() {
    let run = |options: &str| {
        let text = job(&format!("rw=randread size=1m runtime=20s time_based {options}"));
        Run::new().go(&text)
    };
    let result = run("rate_iops=200 steadystate=iops:10% steadystate_duration=3 ss_ramp=2s");
    let state = result.jobs[0].steady_state.as_ref().expect("a steady state");
    assert!(state.attained);
    assert_eq!(state.iops, [200; 3]);
    assert_eq!(state.bandwidth, [200 * 4096; 3]);
    let seconds = result.jobs[0].runtime_ps as f64 / SECOND_PS as f64;
    assert!((5.0..5.1).contains(&seconds), "two of ramp and three of the window, not {seconds}");
    // A Poisson process does not keep within a limit of nothing.
    let result = run("rate_iops=200 rate_process=poisson ss=iops:0 ss_dur=3");
    assert!(!result.jobs[0].steady_state.as_ref().unwrap().attained);
    assert!(result.jobs[0].runtime_ps >= 20 * SECOND_PS);
    assert_eq!(run("rate_iops=20 ss=iops:10%").jobs[0].steady_state, None);
}

#[test]
fn jobs_that_are_reported_together_settle_together() {
    // One of them is never even by itself, for it ends in the midst of a window.
    let text = |group: &str| {
        format!(
            "[global]\nrw=randread\nsize=1m\nrate_iops=100\ntime_based\nruntime=9s\nss=iops:1%\nss_dur=2s\n\
             {group}\n[a]\n[b]\nrate_iops=50\n"
        )
    };
    let result = Run::new().go(&text("group_reporting"));
    let state = result.jobs[0].steady_state.as_ref().unwrap();
    assert!(state.attained);
    assert_eq!(state.iops, [150; 2]);
    let result = Run::new().go(&text(""));
    let seen: Vec<_> =
        result.jobs.iter().map(|job| job.steady_state.as_ref().unwrap().iops.clone()).collect();
    assert_eq!(seen, [[100; 2], [50; 2]]);
}

#[test]
fn a_rate_that_would_outlast_virtual_time_is_refused() {
    let error = Run::new().attempt(&job("rw=read size=16m rate=1")).unwrap_err().to_string();
    assert_eq!(
        error,
        "job.fio:4: rate: found \"1\", expected a job of at most 53 days, or a runtime: this one would \
         take 194"
    );
    // A runtime makes an end, and idle time costs nothing.
    let result = Run::new().go(&job("rw=read size=16m rate=1 runtime=3d"));
    assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 64);
}
