//! fio jobs on a drive in hardware, with the oracle on, beside the drive in virtual time.

use board::Board;
use c_firmware::CFirmware;
use contract::{Cause, Work};
use machine::Polling;
use report::{Direction, DriveResult, Speed};
use rtl_sim::drive::compare::{both, in_hardware, in_virtual_time, Both, Ran};
use rtl_sim::drive::{Processor, RtlDrive, WorkCount};
use rtl_sim::Top;
use tiny_firmware::TinyFirmware;

/// Chips that a test has time for, and a buffer that does not hold what the jobs write.
const SHORT: &[(&str, &str)] = &[
    ("flash.t_read_slc_us", "20"),
    ("flash.t_program_slc_us", "60"),
    ("flash.t_erase_us", "100"),
    ("flash.read_deviation_us", "1"),
    ("flash.program_deviation_us", "1"),
    ("flash.erase_deviation_us", "1"),
    ("flash.die_deviation_us", "0"),
    ("ftl.buffer_kib", "256"),
];

const BY_CHANNELS: &[(&str, &str)] =
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];

/// Random writes of pages, then reads of the same.
const JOBS: &str = "[global]\nsize=1m\nbs=16k\niodepth=8\n\
    [write]\nrw=randwrite\nend_fsync=1\n[read]\nstonewall\nrw=randread\n";

fn board(overrides: &[(&str, &str)]) -> Board {
    let set = SHORT.iter().chain(overrides);
    let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("small", &set).expect("the board resolves")
}

#[test]
fn jobs_read_what_they_wrote_in_hardware() {
    for overrides in [&[][..], BY_CHANNELS] {
        let Both { hardware, simulated } = both(&board(overrides), JOBS, 7).expect("they run");
        let results = [hardware, simulated].map(|Ran { result, .. }| result);
        for result in &results {
            assert_eq!(result.drive.pages_programmed, 64, "{overrides:?}");
            assert_eq!(result.drive.host_bytes_read, 1 << 20, "{overrides:?}");
            assert!(result.drive.pages_read > 32, "{overrides:?}: {}", result.drive.pages_read);
        }
        let [hardware, simulated] = results.map(|result| {
            let job = &result.jobs[1];
            let read = job.active(Direction::Read).expect("it read");
            (read.cause_shares()[Cause::Untold as usize], read.clat.mean_ns())
        });
        // Causes inside are not told apart in hardware; the host's end of the link is.
        assert!(hardware.0 > 0.5 && hardware.0 < 1.0, "{}", hardware.0);
        assert_eq!(simulated.0, 0.0);
        // Times of the bus and of registers are those of another controller on the board, so they are only near.
        let ratio = hardware.1 / simulated.1;
        assert!((0.8..1.25).contains(&ratio), "{overrides:?}: mean latencies differ by {ratio}");
    }
}

/// Whatever keeps to the contract runs beside the controller.
#[test]
fn other_firmware_reads_what_it_wrote_in_hardware() {
    let board = board(&[]);
    let jobs = JOBS.replace("size=1m", "size=256k");
    let tiny = RtlDrive::<'_, _, TinyFirmware>::running(&board, Polling::Skip, 7).expect("a drive");
    let in_c = RtlDrive::<'_, _, CFirmware>::running(&board, Polling::Skip, 7).expect("a drive");
    for result in [in_hardware(tiny, &board, &jobs, 7), in_hardware(in_c, &board, &jobs, 7)]
        .map(|ran| ran.expect("they run"))
    {
        assert_eq!(result.drive.pages_programmed, 16);
        assert_eq!(result.drive.host_bytes_read, 256 << 10);
    }
}

/// What a drive in hardware tells of jobs, the cycles that were left out, and all cycles.
fn told(board: &Board, jobs: &str, polling: Polling) -> (String, u64, f64) {
    let drive = RtlDrive::new(board, (Processor::Beside, polling), 3).expect("a drive");
    let skipped = drive.skipped();
    let mut result = in_hardware(drive, board, jobs, 3).expect("they run");
    let simulated_s = result.speed.simulated_s;
    result.speed = Speed { simulated_s, ..Speed::default() };
    (serde_json::to_string(&result).expect("JSON"), skipped.get(), simulated_s / 10e-9)
}

/// Each register access, each time and so each byte of a report is the same whether cycles in which nothing changes are
/// run or left out.
#[test]
fn times_in_which_nothing_changes_are_left_out_without_a_trace() {
    for by_channels in [&[][..], BY_CHANNELS] {
        // Dies that are busy for long, and few commands under way.
        let long = [("flash.t_read_slc_us", "99"), ("flash.t_program_slc_us", "486")];
        let board = board(&[&long, by_channels].concat());
        let jobs = "[global]\nsize=128k\nbs=16k\niodepth=2\n\
            [write]\nrw=randwrite\nfsync=4\n[read]\nstonewall\nrw=randread\nthinktime=300\n";
        let (exact, none, _) = told(&board, jobs, Polling::Exact);
        let (skipping, skipped, cycles) = told(&board, jobs, Polling::Skip);
        assert_eq!(none, 0);
        assert!(skipped as f64 > cycles / 4.0, "{by_channels:?}: {skipped} of {cycles}");
        assert!(exact == skipping, "{by_channels:?}: the results differ");
    }
}

/// A channel works ahead of the firmware, and has booked memory for a page that comes later. A DMA that is issued
/// meanwhile does not wait for that.
#[test]
fn data_in_virtual_time_do_not_wait_for_pages_that_come_later() {
    let set: Vec<_> =
        BY_CHANNELS.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("firmament-rtl", &set).expect("a board");
    let jobs = "[global]\nsize=2m\n[fill]\nrw=write\nbs=16k\nend_fsync=1\n\
        [read]\nstonewall\nrw=read\nbs=128k\niodepth=8\n";
    let ran = in_virtual_time(&board, jobs, 1).expect("it runs");
    let [host_interface, ..] = ran.figures(Direction::Read).expect("it read").parts;
    // Eight pages of 5.12 us on the link, and what the firmware takes to see each end.
    assert!((41.0..90.0).contains(&host_interface), "{host_interface} us");
}

/// The short form of `make rtl-compare`: a board with the times of the hardware is as fast, within so many percent for each
/// of [`Figures::each`], as measured.
fn assert_as_fast(jobs: &str, (direction, percents): (Direction, [f64; 6])) {
    let mut beyond = Vec::new();
    for by_channels in [&[][..], BY_CHANNELS] {
        let set = [("ftl.buffer_kib", "256")];
        let set =
            set.iter().chain(by_channels).map(|(key, value)| (key.to_string(), value.to_string()));
        let board = Board::resolve("firmament-rtl", &set.collect::<Vec<_>>()).expect("a board");
        let Both { hardware, simulated } = both(&board, jobs, 1).expect("they run");
        let [hardware, simulated] =
            [hardware, simulated].map(|ran| ran.figures(direction).expect("it went there").each());
        for (((name, hardware, _), (_, simulated, _)), most) in
            hardware.into_iter().zip(simulated).zip(percents)
        {
            let line = format!("{by_channels:?}: {name}: {hardware:.3} / {simulated:.3}");
            println!("{line}");
            if (simulated - hardware).abs() > hardware * most / 100.0 {
                beyond.push(line);
            }
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}

/// One thing after the other.
#[test]
fn reads_one_at_a_time_are_as_fast_on_a_board_with_the_times_of_the_hardware() {
    let jobs = "[global]\nbs=16k\nsize=512k\n[write]\nrw=write\niodepth=1\nend_fsync=1\n\
        [read]\nstonewall\nrw=randread\niodepth=1\nio_size=256k\n";
    assert_as_fast(jobs, (Direction::Read, [1.0, 1.0, 1.5, 2.0, 1.0, 2.0]));
}

/// The memory engine fills what they leave in the buffer, and the processor waits for it.
#[test]
fn trims_are_as_fast_on_a_board_with_the_times_of_the_hardware() {
    let jobs = "[global]\nbs=16k\nsize=256k\n[write]\nrw=write\niodepth=1\nend_fsync=1\n\
        [trim]\nstonewall\nrw=randtrim\niodepth=4\n";
    assert_as_fast(jobs, (Direction::Trim, [1.0, 1.0, 1.0, 3.0, 4.0, 0.0]));
}

/// Data from the host that come behind other data: a time that is 0.1 us too short lets the firmware find one request more in a look,
/// and took 10 % from the time in the host interface.
#[test]
fn bursts_of_writes_are_as_fast_on_a_board_with_the_times_of_the_hardware() {
    let jobs = "[write]\nrw=write\nbs=128k\nsize=1m\niodepth=8\nend_fsync=1\n";
    assert_as_fast(jobs, (Direction::Write, [1.0, 1.0, 1.0, 4.0, 1.0, 2.0]));
}

#[test]
fn what_is_not_there_in_hardware_is_refused_in_a_line() {
    let refused = |overrides| {
        RtlDrive::new(&board(overrides), (Processor::Beside, Polling::Skip), 1)
            .err()
            .expect("no such hardware")
    };
    let line = refused(&[("geometry.channels", "4")]);
    assert_eq!(
        line,
        "small: geometry: found 4 x 2 channels and ways, expected those of a controller in hardware: 1 x 1, 2 x 2, 4 x 4, 8 x 8"
    );
    if Top::named("ssd_4x4").is_none() {
        let line = refused(&[("geometry.channels", "4"), ("geometry.ways", "4")]);
        assert_eq!(
            line,
            "small: geometry: found 4 x 4 channels and ways, whose model is not in this program, expected it (make rtl-drive DRIVES=ssd_4x4)"
        );
    }
    let line = refused(&[("ecc.correctable_bits", "8")]);
    assert!(line.starts_with("small: ecc.correctable_bits: found 8, expected 13"), "{line}");
    let line = refused(&[("channel.status_poll_us", "0.3")]);
    assert_eq!(
        line,
        "small: channel.status_poll_us: found 0.3, expected 0 or 0.6 of a controller in hardware"
    );
    let line = refused(&[
        ("geometry.channels", "4"),
        ("geometry.ways", "4"),
        ("channel.status_poll_us", "0.6"),
    ]);
    assert_eq!(
        line,
        "small: channel.status_poll_us: found 0.6, expected 0 of a controller in hardware"
    );
    if Top::named("ssd_polls").is_none() {
        let line = refused(&[("channel.status_poll_us", "0.6")]);
        assert_eq!(
            line,
            "small: channel.status_poll_us: found 0.6, whose model is not in this program, expected it (make rtl-drive DRIVES=ssd_polls)"
        );
    }
    let line = refused(&[("nvme.command_slots", "16")]);
    assert!(line.starts_with("small: nvme.command_slots: found 16, expected 256"), "{line}");
}

/// What `make test-all` does beside `make test`, which makes no model of 4 x 4, and none of a controller with a processor inside.
mod long {
    use super::*;
    use rtl_sim::drive::paired::Pairs;

    /// A die may turn ready in the very cycles in which a quiet time begins. With this host, one did while the drive shut down, and
    /// as nobody saw it, the drive never did (found by `rtl-compare 4 mix --seeds 1 --first-seed 6 --mib 2`).
    #[test]
    fn a_die_that_turns_ready_as_a_quiet_time_begins_is_seen() {
        if Top::named("ssd_4x4").is_none() {
            eprintln!("skipped: no model of 4 x 4 is in this program");
            return;
        }
        let size = ["geometry.channels", "geometry.ways"].map(|key| (key.to_owned(), "4".into()));
        let board = Board::resolve("firmament-rtl", &size).expect("a board");
        let jobs = "[fill]\nrw=write\nbs=16k\nsize=2m\niodepth=1\nend_fsync=1\n\
            [job]\nstonewall\nrw=randrw\niodepth=8\nbs=16k\nsize=2m\nio_size=2m\n";
        let ran = Pairs { board: &board, jobs, seeds: 6..=6, threads: 1 }.run();
        assert_eq!(ran.err(), None, "both bodies end");
    }

    #[test]
    fn firmware_on_the_processor_inside_reads_what_it_wrote() {
        if let Err(line) = soc_program::PROGRAM {
            return eprintln!("skipped: {line}");
        }
        let board = board(BY_CHANNELS);
        let drive = match RtlDrive::new(&board, (Processor::Ibex, Polling::Skip), 7) {
            Ok(drive) => drive,
            Err(line) => return eprintln!("skipped: {line}"),
        };
        let counts = drive.work_counts().expect("the processor is inside");
        let result = in_hardware(drive, &board, JOBS, 7).expect("they run");
        let (counts, drive) = (counts.borrow(), &result.drive);
        assert_eq!((drive.host_bytes_read, drive.host_bytes_written), (1 << 20, 1 << 20));
        assert_eq!(drive.pages_programmed, 64);
        assert_eq!(drive.dirty_bytes, [0, 0]);
        assert!(drive.pages_read > 32, "{}", drive.pages_read);
        let of = |work: Work| counts[work as usize];
        assert_eq!(of(Work::Place).times, drive.pages_programmed);
        assert_eq!(of(Work::Translate).times, drive.pages_read);
        for work in [Work::Loop, Work::Decode, Work::Slice, Work::Place, Work::Depend, Work::Issue]
        {
            let WorkCount { times, instructions, cycles, waited } = of(work);
            assert!(instructions > 5 * times, "{work:?}: {instructions} instructions");
            // An instruction takes a cycle and more.
            assert!(cycles - waited > instructions, "{work:?}: {cycles} - {waited} cycles");
        }
    }

    /// What the firmware inside does is told as it is: overwrites of a drive so small that it collects and wears, beside the
    /// firmware that runs outside, into which the report can look.
    #[test]
    fn what_the_firmware_inside_did_is_in_the_report() {
        if let Err(line) = soc_program::PROGRAM {
            return eprintln!("skipped: {line}");
        }
        let tiny = [
            ("geometry.blocks_per_way", "12"),
            ("flash.pages_per_physical_block", "4"),
            ("recovery.log_entries", "64"),
        ];
        let board = board(&[&tiny, BY_CHANNELS].concat());
        let jobs =
            "[write]\nsize=448k\nio_size=640k\nbs=16k\niodepth=8\nrw=randwrite\nend_fsync=1\n";
        let ran = [Processor::Ibex, Processor::Beside].map(|processor| {
            let drive = RtlDrive::new(&board, (processor, Polling::Skip), 7)?;
            Ok::<_, String>(in_hardware(drive, &board, jobs, 7).expect("they run").drive)
        });
        let [inside, beside] = match ran {
            [Ok(inside), Ok(beside)] => [inside, beside],
            [Err(line), _] | [_, Err(line)] => return eprintln!("skipped: {line}"),
        };
        let near = |what: &str, figure: fn(&DriveResult) -> f64| {
            let (inside, beside) = (figure(&inside), figure(&beside));
            assert!(beside > 0.0, "{what}");
            // The processor inside is slower, so other commands wait when a page of the log is due or a block is chosen.
            assert!(
                (0.5..2.0).contains(&(inside / beside)),
                "{what}: {inside} inside, {beside} beside"
            );
        };
        near("pages of the log", |drive| drive.log_pages as f64);
        near("collections", |drive| drive.garbage_collections as f64);
        near("erases", |drive| drive.erases as f64);
        near("erases of a block", |drive| drive.block_erases.mean);
        assert!(inside.block_erases.max >= beside.block_erases.max.saturating_sub(1));
        assert!(inside.block_erases.min <= beside.block_erases.min + 1);
    }

    /// Twelve wrong bits a chunk, of which 13 are corrected: nearly no page can be read at level 0, most at level 1, all at 2.
    #[test]
    fn pages_are_read_at_another_level_in_hardware() {
        let rate = ("errors.raw_bits_per_terabit", "5500000000");
        for by_channels in [&[][..], BY_CHANNELS] {
            let overrides = [&[rate], by_channels].concat();
            let Both { hardware, simulated } = both(&board(&overrides), JOBS, 7).expect("they run");
            for Ran { result, .. } in [hardware, simulated] {
                assert_eq!(result.drive.host_bytes_read, 1 << 20, "{overrides:?}");
                assert_eq!(result.drive.uncorrectable_reads, 0, "{overrides:?}");
                let (read, tries) = (result.drive.pages_read, result.drive.read_retries);
                assert!((read / 2..read * 2).contains(&tries), "{overrides:?}: {tries} of {read}");
            }
        }
    }
}
