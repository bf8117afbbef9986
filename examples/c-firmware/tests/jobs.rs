//! fio jobs on drives whose FTL is the example in C, with the oracle: what is read is what was written.

use board::Board;
use c_firmware::CFirmware;
use report::{Direction, RunResult};

fn run(set: &[(&str, &str)], jobs: &str) -> RunResult {
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("small", &set).unwrap();
    tiny_drive::check(&board).unwrap();
    let file = host::job::parse_file("job.fio", jobs).unwrap();
    tiny_drive::run::<CFirmware>(&board, &file, "job.fio")
        .unwrap_or_else(|error| panic!("{jobs}\n{error:?}"))
}

fn go(set: &[(&str, &str)], jobs: &str) -> RunResult {
    let result = run(set, jobs);
    result.jobs.iter().for_each(|job| assert!(job.error.is_none(), "{jobs}"));
    result
}

#[test]
fn what_was_written_in_order_or_at_random_is_read_again() {
    let result = go(
        &[],
        "[global]\nsize=8m\niodepth=16\n[write]\nrw=write\nbs=64k\n\
        [rewrite]\nstonewall\nrw=randwrite\nbs=16k\n\
        [read]\nstonewall\nrw=randread\nbs=4k\nnumber_ios=500\n[all]\nstonewall\nrw=read\nbs=128k\n",
    );
    assert_eq!(result.drive.pages_programmed, 1024);
    assert_eq!(result.drive.host_bytes_read, (8 << 20) + 500 * 4096);
}

#[test]
fn parts_of_pages_are_written_without_losing_the_others() {
    let result = go(
        &[],
        "[global]\nsize=2m\niodepth=32\n[write]\nrw=write\nbs=16k\n[parts]\nstonewall\nrw=randrw\nbs=4k\nnumber_ios=800\n\
        [odd]\nstonewall\nrw=randrw\nbsrange=4k-60k\nnumber_ios=200\n[all]\nstonewall\nrw=read\nbs=32k\n",
    );
    let parts = result.jobs[1].active(Direction::Write).unwrap().ios;
    assert!(result.drive.pages_programmed > 128 + parts, "{}", result.drive.pages_programmed);
}

/// Overwrites of three times the whole drive: without a collector its 4,096 flash pages would be used up.
#[test]
fn a_full_drive_is_written_over_and_over() {
    let result = go(
        &[],
        "[global]\nbs=16k\niodepth=16\n[fill]\nrw=write\n[over]\nstonewall\nrw=randwrite\nnorandommap\nio_size=120m\n\
        [all]\nstonewall\nrw=read\nbs=64k\n",
    );
    let (host, flash) = (result.drive.host_bytes_written, result.drive.bytes_programmed);
    assert!(result.drive.pages_programmed > 2 * 4096, "{} programs", result.drive.pages_programmed);
    let amplification = flash as f64 / host as f64;
    assert!((1.02..6.0).contains(&amplification), "{amplification}");
}

#[test]
fn dies_work_side_by_side() {
    let rate = |depth: u32| {
        let jobs = format!("[write]\nrw=write\nbs=16k\nsize=4m\niodepth={depth}\n");
        go(&[], &jobs).jobs[0].active(Direction::Write).unwrap().bandwidth()
    };
    let (one, eight) = (rate(1), rate(8));
    assert!(eight > 2.5 * one, "{one} and {eight} bytes a second with 4 dies");
}

#[test]
fn bad_blocks_are_left_out_and_blocks_that_go_bad_are_given_up() {
    let failures = [
        ("errors.factory_bad_blocks_per_million", "20000"),
        ("errors.program_failures_per_billion", "2000000"),
        ("errors.erase_failures_per_billion", "2000000"),
        ("ftl.spare_blocks_per_way", "6"),
    ];
    let jobs = "[global]\nbs=16k\niodepth=8\n[fill]\nrw=write\n[over]\nstonewall\nrw=randwrite\nnorandommap\nio_size=60m\n\
        [all]\nstonewall\nrw=read\nbs=64k\n";
    let programs = |set: &[(&str, &str)]| go(set, jobs).drive.pages_programmed;
    let (failing, sound) = (programs(&failures), programs(&failures[3..]));
    assert!(failing > sound + 5, "{failing} programs, and {sound} where none fails");
}

/// So many programs fail that the drive runs out of blocks: it says so, and gives back what it has.
#[test]
fn a_drive_without_room_takes_no_writes() {
    let set = [("errors.program_failures_per_billion", "60000000")];
    let jobs = "[write]\nbs=16k\niodepth=8\nrw=randwrite\nnorandommap\nio_size=200m\n";
    let result = run(&set, jobs);
    assert!(result.jobs[0].error.is_some(), "no write was refused");
}

#[test]
fn the_same_board_and_job_give_the_same_bytes() {
    let jobs = "[mix]\nrw=randrw\nbs=4k\niodepth=8\nsize=4m\n";
    let text = || {
        let mut out = Vec::new();
        report::write_normal(&go(&[], jobs), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        // The last line says how long the computer took.
        text.lines()
            .filter(|line| !line.starts_with("  Speed: "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (one, two) = (text(), text());
    assert!(one.len() > 50);
    assert!(one == two, "two runs differ");
}
