//! fio jobs on the tiny firmware, every read of which is checked, and the exercises.

use report::{Counted, Direction, RunResult};
use tiny_drive::{board, run, Body};

fn ran(overrides: &[(&str, &str)], jobs: &str) -> Result<RunResult, String> {
    let set = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string()));
    let board = board("small", &set.collect::<Vec<_>>()).expect("a board");
    run((Body::Sim, &board), ("test.fio", jobs), 7)
}

fn error(result: &RunResult) -> Option<&str> {
    result.jobs.iter().find_map(|job| Some(job.error.as_ref()?.message.as_str()))
}

#[test]
fn what_was_written_is_read_whatever_the_order_and_the_size() {
    for (write, read) in [
        ("rw=write\nbs=128k\nsize=16m", "rw=read\nbs=128k\nsize=16m"),
        ("rw=randwrite\nbs=16k\nsize=16m", "rw=randread\nbs=16k\nsize=16m"),
        ("rw=randwrite\nbs=4k\nsize=4m", "rw=randread\nbs=4k\nsize=4m"),
        ("rw=randrw\nbs=12k\nsize=6m", "rw=randread\nbs=20k\nsize=6m"),
        ("rw=randtrim\nbs=16k\nsize=8m", "rw=randrw\nbs=4k\nsize=4m"),
    ] {
        let jobs = format!(
            "[global]\niodepth=8\n[fill]\nrw=write\nbs=64k\nsize=16m\n\
             [write]\nstonewall\n{write}\n[read]\nstonewall\n{read}\n"
        );
        let result = ran(&[], &jobs).unwrap_or_else(|line| panic!("{write}: {line}"));
        assert_eq!(error(&result), None, "{write}");
        assert_eq!(result.drive.counted, Counted::ByHardware);
        assert!(
            result.drive.pages_programmed >= 1024,
            "{write}: {}",
            result.drive.pages_programmed
        );
        let read = result.jobs[2].active(Direction::Read).expect("it read");
        assert!(read.ios > 0 && read.cause_shares().iter().sum::<f64>() > 0.99, "{write}");
    }
}

#[test]
fn blocks_that_are_bad_or_go_bad_are_passed_over() {
    let bad = [
        ("errors.factory_bad_blocks_per_million", "30000"),
        ("errors.program_failures_per_billion", "3000000"),
        ("errors.erase_failures_per_billion", "3000000"),
    ];
    let jobs = "[global]\niodepth=8\nsize=16m\nbs=16k\n[write]\nrw=randwrite\n[read]\nstonewall\nrw=randread\n";
    let result = ran(&bad, jobs).expect("it runs");
    assert_eq!(error(&result), None);
}

#[test]
fn a_drive_whose_flash_is_full_says_so() {
    let jobs = "[write]\nrw=randwrite\nbs=16k\nsize=50m\niodepth=4\nloops=3\n";
    let result = ran(&[], jobs).expect("it runs");
    assert!(error(&result).is_some(), "there is no collector");
}

#[test]
fn what_it_knows_nothing_of_is_refused_in_a_line() {
    let set = [("channel.scheduler".to_owned(), "controller".to_owned())];
    let line = board("small", &set).expect_err("channels that schedule");
    assert!(line.contains("channel.scheduler") && line.contains("expected firmware"), "{line}");
}

/// Exercise 1, a collector: `cargo test -p tiny-drive collector -- --ignored`.
#[test]
#[ignore = "an exercise, to be done"]
fn exercise_1_collector() {
    let jobs = "[write]\nrw=randwrite\nbs=16k\nsize=50m\niodepth=4\nloops=3\n";
    let result = ran(&[], jobs).expect("it runs");
    assert_eq!(error(&result), None, "old pages are collected");
}

/// Exercise 2, a cache: `cargo test -p tiny-drive cache -- --ignored`.
#[test]
#[ignore = "an exercise, to be done"]
fn exercise_2_cache() {
    let jobs = "[global]\nsize=64k\niodepth=2\n[write]\nrw=write\nbs=64k\n\
        [read]\nstonewall\nrw=randread\nbs=4k\nnumber_ios=400\nloops=100\n";
    let result = ran(&[], jobs).expect("it runs");
    assert_eq!(error(&result), None);
    assert!(result.drive.pages_read < 40, "{} pages read of four", result.drive.pages_read);
}
