//! Jobs over the FTL in the host, on drives whose host places its data.

use super::*;
use monitor::Period;

/// Writes over and over, with all that jobs can ask for.
const JOBS: &str = "[global]
bs=4k
iodepth=16
stonewall
[fill]
rw=write
bs=64k
size=100%
[over]
rw=randwrite
size=100%
io_size=120m
[mix]
rw=randrw
io_size=12m
verify=crc32c
fsync=37
numjobs=3
[trim]
rw=randtrim
io_size=10m
[after]
rw=randrw
io_size=30m
[read]
rw=read
bs=128k
";

fn placed() -> Run {
    let run = Run { precondition: Preconditioning::None, ..Run::new() };
    run.set("nvme.command_set", "open-channel").set("flash.metadata_bytes", "36")
}

#[test]
fn what_jobs_read_is_what_they_wrote_while_lines_are_collected() {
    for payload in [PayloadForm::Stamps, PayloadForm::Bytes] {
        // Real bytes take longer to make and to compare.
        let less = if payload == PayloadForm::Bytes { "io_size=30m" } else { "io_size=120m" };
        let result = Run { payload, ..placed() }.go(&JOBS.replace("io_size=120m", less));
        let drive = &result.drive;
        assert!(drive.erases > 150, "{} erases", drive.erases);
        let amplification = drive.write_amplification().expect("something was written");
        assert!((1.2..4.0).contains(&amplification), "{amplification}");
    }
}

#[test]
fn flash_that_fails_costs_no_data() {
    for seed in 1..4 {
        let run = placed()
            .set("errors.program_failures_per_billion", "1000000")
            .set("errors.erase_failures_per_billion", "3000000");
        let result = Run { seed, ..run }.go(JOBS);
        assert!(result.drive.bad_blocks > 10, "{} bad blocks", result.drive.bad_blocks);
    }
}

#[test]
fn a_drive_that_wears_out_takes_no_more_writes_and_returns_no_wrong_data() {
    let run = placed().set("errors.erase_failures_per_billion", "40000000");
    let result = run.attempt(JOBS).expect("a result");
    let error = result.jobs[1].error.as_ref().expect("the drive is read only");
    assert!(error.message.contains("Attempted Write to Read Only Range"), "{}", error.message);
    // What was written is read: the last job has no error.
    let reads = result.jobs.last().expect("the reads");
    assert_eq!(reads.error, None);
    assert!(direction(reads, Direction::Read).ios > 100);
}

#[test]
fn what_is_in_the_write_buffer_is_read_from_there() {
    // 4 parallel units with two pages of 4 blocks each: 32 blocks.
    let within = placed().go(&job("rw=write bs=4k size=128k verify=crc32c do_verify=1"));
    assert_eq!(within.drive.pages_read, 0, "all of it is in the buffer");
    let beyond = placed().go(&job("rw=write bs=4k size=256k verify=crc32c do_verify=1"));
    assert_eq!(beyond.drive.pages_read, 32, "half of it was overwritten in the buffer");
    let told = |result: &RunResult| {
        let ftl = result.host_ftl.as_deref().expect("there is an FTL in the host");
        (ftl.user_blocks, ftl.buffer_blocks, ftl.flash_blocks, ftl.write_commands)
    };
    assert_eq!((told(&within), told(&beyond)), ((32, 32, 0, 4), (64, 32, 32, 8)));
    assert!(Run::new().go(&job("rw=read size=64k")).host_ftl.is_none());
}

#[test]
fn a_write_is_done_when_it_is_in_the_buffer_and_a_flush_when_it_is_stored() {
    let run = placed();
    let board = Board::resolve(run.board, &run.set).unwrap();
    let program_ns = board.flash.t_program[0].as_ps() as f64 / 1000.0;
    let plain = run.go(&job("rw=write bs=4k size=64k"));
    let write = direction(&plain.jobs[0], Direction::Write);
    assert!(write.clat.mean_ns() < program_ns / 20.0, "{} ns", write.clat.mean_ns());
    let by_cause = write.split.by_cause();
    let elsewhere: u64 = by_cause.iter().sum::<u64>()
        - by_cause[Cause::Host as usize]
        - by_cause[Cause::Fetch as usize];
    assert_eq!(elsewhere, 0, "the drive has no part in it");
    let synced = run.go(&job("rw=write bs=4k size=64k fsync=1"));
    let fsync_ns = synced.jobs[0].sync.mean_ns();
    assert!(fsync_ns > 4.0 * program_ns, "{fsync_ns} ns for two pages twice of {program_ns} ns");
    let forced = run.go(&job("rw=write bs=4k size=64k sync=1"));
    let forced_ns = direction(&forced.jobs[0], Direction::Write).clat.mean_ns();
    assert!(forced_ns > 2.0 * program_ns, "{forced_ns} ns");
    // Each of 15 blocks that a flush follows took a write of two pages, and so did the list that names it.
    assert_eq!(synced.drive.pages_programmed, 60);
}

#[test]
fn never_two_writes_are_under_way_to_a_parallel_unit() {
    let period = Period::from_ps(20_000_000).unwrap();
    let mut sampler = Sampler::new(Box::new(std::io::sink()), period);
    let run = placed();
    let result = run.go_with(&job("rw=write bs=16k iodepth=64 size=16m"), Some(&mut sampler));
    let most = result.monitored.iter().map(|own| own.counts.outstanding.drive).max();
    assert_eq!(most, Some(4), "a write for each of four parallel units");
    let waiting = result.monitored.iter().map(|own| own.counts.outstanding.host).max();
    assert_eq!(waiting, Some(64), "the job has as many outstanding as it wants");
}

#[test]
fn the_same_bytes_come_twice_and_with_every_turn_run() {
    let text = job("rw=randrw bs=8k iodepth=8 size=8m fsync=50");
    let plain = printed(placed().go(&text));
    assert_eq!(printed(placed().go(&text)), plain);
    let exact = Run { polling: Polling::Exact, ..placed() };
    assert_eq!(printed(exact.go(&text)), plain);
    let other = Run { seed: 2, ..placed() };
    assert_ne!(printed(other.go(&text)), plain);
}

#[test]
fn what_only_a_drive_that_places_its_data_can_do_is_refused_in_a_line() {
    let run = Run { precondition: Preconditioning::Sequential, ..placed() };
    let error = run.attempt(&job("rw=read")).unwrap_err().to_string();
    let part = "nvme.command_set: found open-channel, expected block for a state at start";
    assert!(error.contains(part), "{error}");
    let run = placed();
    let board = Board::resolve(run.board, &run.set).unwrap();
    let jobs = parse_file("job.fio", &job("rw=write size=1m")).unwrap();
    let request = run.request(&board, &jobs);
    let kept = host::run_kept(request, host::Watchers::default(), &mut |_| {});
    let error = kept.expect_err("stamps have no lists").to_string();
    assert!(
        error.contains("--payload: found stamp, expected full for a drive that is kept"),
        "{error}"
    );
}

/// Writes over and over, and deallocations.
const FIRST: &str = "[fill]\nrw=write\nbs=64k\nsize=100%\n[over]\nstonewall\nrw=randrw\nbs=4k\niodepth=16\nsize=100%\nio_size=8m\n\
    fsync=37\n[trim]\nstonewall\nrw=randtrim\nbs=4k\nsize=100%\nio_size=1m\n";
/// More on a drive that was left: what is read is what runs before wrote.
const MORE: &str = "[read]\nrw=read\nbs=64k\nsize=100%\n[over]\nstonewall\nrw=randrw\nbs=8k\niodepth=16\nsize=100%\n\
    io_size=4m\n[trim]\nstonewall\nrw=randtrim\nbs=16k\nsize=100%\nio_size=2m\n[again]\nstonewall\nrw=read\nbs=64k\nsize=100%\n";

#[test]
fn what_jobs_wrote_is_found_again_at_the_next_start() {
    for (key, value) in [
        ("errors.program_failures_per_billion", "1000000"),
        ("errors.erase_failures_per_billion", "1000000"),
    ] {
        let run = Run { payload: PayloadForm::Bytes, ..placed() }.set(key, value);
        // Few and small chunks.
        let run =
            run.set("geometry.blocks_per_way", "24").set("flash.pages_per_physical_block", "16");
        let board = Board::resolve(run.board, &run.set).unwrap();
        let first = parse_file("job.fio", FIRST).unwrap();
        let more = parse_file("job.fio", MORE).unwrap();
        let watchers = host::Watchers::default;
        let (_, mut left) =
            host::run_kept(run.request(&board, &first), watchers(), &mut |_| {}).unwrap();
        for _ in 0..2 {
            assert!(left.is_at_rest());
            let request = run.request(&board, &more);
            let (result, next) = left.go_on(request, watchers(), &mut |_| {}).unwrap();
            for job in &result.jobs {
                assert_eq!(job.error, None, "{key}");
            }
            assert!(result.drive.pages_read > 300 && result.drive.erases > 10);
            left = next;
        }
    }
}
