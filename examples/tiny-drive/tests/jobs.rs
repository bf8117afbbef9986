//! fio jobs on the small board, with the oracle: what is read is what was written.

use board::Board;
use host::RunError;
use report::{Direction, RunResult};
use tiny_firmware::TinyFirmware;

/// Flash pages of the small board: 2 channels x 2 ways x 32 blocks x 32 pages in SLC mode, 16 KiB each.
const PAGES: u64 = 2 * 2 * 32 * 32;

fn small(set: &[(&str, &str)]) -> Board {
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("small", &set).unwrap();
    tiny_drive::check(&board).unwrap();
    board
}

fn run(board: &Board, jobs: &str) -> Result<RunResult, RunError> {
    tiny_drive::run::<TinyFirmware>(
        board,
        &host::job::parse_file("job.fio", jobs).unwrap(),
        "job.fio",
    )
}

fn go(jobs: &str) -> RunResult {
    let result = run(&small(&[]), jobs).unwrap_or_else(|error| panic!("{jobs}\n{error}"));
    result.jobs.iter().for_each(|job| assert!(job.error.is_none(), "{jobs}"));
    result
}

#[test]
fn what_was_written_in_order_or_at_random_is_read_again() {
    let result = go("[global]\nsize=8m\niodepth=16\n[write]\nrw=write\nbs=64k\n\
        [rewrite]\nstonewall\nrw=randwrite\nbs=16k\n\
        [read]\nstonewall\nrw=randread\nbs=4k\nnumber_ios=500\n[all]\nstonewall\nrw=read\nbs=128k\n");
    assert_eq!(result.drive.pages_programmed, 1024);
    assert_eq!(result.drive.host_bytes_read, (8 << 20) + 500 * 4096);
}

#[test]
fn parts_of_pages_are_written_without_losing_the_others() {
    let result = go("[global]\nsize=2m\niodepth=32\n[write]\nrw=write\nbs=16k\n\
        [parts]\nstonewall\nrw=randrw\nbs=4k\nnumber_ios=800\n\
        [odd]\nstonewall\nrw=randrw\nbsrange=4k-60k\nnumber_ios=200\n[all]\nstonewall\nrw=read\nbs=32k\n");
    // A page is programmed for each part that is written.
    let parts = result.jobs[1].active(Direction::Write).unwrap().ios;
    assert!(result.drive.pages_programmed > 128 + parts, "{}", result.drive.pages_programmed);
}

#[test]
fn the_whole_namespace_can_be_written_and_read() {
    let result = go("[global]\nbs=64k\niodepth=8\n[write]\nrw=write\n[read]\nstonewall\nrw=read\n");
    assert_eq!(result.drive.host_bytes_read, result.drive.host_bytes_written);
    assert!(result.drive.bytes_programmed > 40 << 20, "{}", result.drive.bytes_programmed);
}

#[test]
fn dies_work_side_by_side() {
    let rate = |depth: u32| {
        let jobs = format!("[write]\nrw=write\nbs=16k\nsize=4m\niodepth={depth}\n");
        let result = go(&jobs);
        result.jobs[0].active(Direction::Write).unwrap().bandwidth()
    };
    let (one, eight) = (rate(1), rate(8));
    assert!(eight > 2.5 * one, "{one} and {eight} bytes a second with 4 dies");
}

/// There is no collector: once each flash page is programmed, writes end with Attempted Write to Read Only Range.
#[test]
fn a_drive_without_a_page_left_takes_no_write_and_still_reads() {
    let board = small(&[]);
    let jobs = "[write]\nrw=randwrite\nbs=16k\nsize=4m\nio_size=100m\niodepth=8\n";
    let result = run(&board, jobs).unwrap();
    assert!(result.jobs[0].error.is_some(), "6,400 pages fit in {PAGES}");
    assert_eq!(result.drive.pages_programmed, PAGES);
}

#[test]
fn blocks_that_are_bad_from_the_factory_are_left_out() {
    let board = small(&[
        ("errors.factory_bad_blocks_per_million", "20000"),
        ("ftl.spare_blocks_per_way", "4"),
    ]);
    let jobs = "[global]\nbs=64k\niodepth=8\n[write]\nrw=write\n[read]\nstonewall\nrw=read\n";
    let result = run(&board, jobs).unwrap();
    assert!(result.jobs.iter().all(|job| job.error.is_none()));
}

#[test]
fn boards_that_it_is_not_made_for_are_told_in_a_line() {
    for (name, key) in [
        ("ozone", "channel.scheduler"),
        ("openexpress", "medium and commands"),
        ("cosmos-plus-tlc", "flash.program"),
        ("cosmos-plus-ocssd", "medium and commands"),
    ] {
        let board = Board::resolve(name, &[]).unwrap();
        let line = tiny_drive::check(&board).expect_err(name);
        assert!(line.starts_with(&format!("board {name}: {key}: found ")), "{line}");
    }
}
