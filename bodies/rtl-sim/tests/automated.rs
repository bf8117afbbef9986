//! fio jobs on a drive in hardware that runs reads and writes without firmware, over memory, beside the drive in virtual time.

use board::Board;
use contract::Cause;
use machine::Polling;
use report::{Direction, Speed};
use rtl_sim::drive::compare::{both, in_hardware, observed_in_virtual_time, Both, Ran};
use rtl_sim::drive::{Processor, RtlDrive};
use rtl_sim::Top;
use serde_json::Value;
use std::collections::BTreeSet;
use timeline::Recorder;

const SEED: u64 = 7;

fn board(overrides: &[(&str, &str)]) -> Board {
    let set: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("firmament-automated", &set).expect("the board resolves")
}

/// Whether the model of its controller was made.
pub fn is_there() -> bool {
    let is_there = Top::named("ssd_automated").is_some();
    if !is_there {
        eprintln!("skipped: no model of the controller in automated mode is in this program");
    }
    is_there
}

/// Writes of several sizes, flushes among them, then reads of the same, and both at once.
const JOBS: &str = "[global]\nsize=1m\niodepth=8\n[write]\nrw=randwrite\nbs=16k\nfsync=8\n\
    [read]\nstonewall\nrw=randread\nbs=4k\n[mix]\nstonewall\nrw=randrw\nbs=4k\nio_size=512k\n";

/// Names of commands and of what moves their data, in a timeline, and how many of each there are.
fn told(recorder: &Recorder) -> (BTreeSet<String>, Vec<usize>) {
    let mut out = Vec::new();
    recorder.write(&mut out).expect("memory takes what is written");
    let trace: Value = serde_json::from_slice(&out).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |phase: &'static str| events.iter().filter(move |event| event["ph"] == phase);
    let names = of("X").chain(of("b")).map(|event| event["name"].to_string());
    (names.collect(), ["b", "e"].map(|phase| of(phase).count()).to_vec())
}

#[test]
fn what_is_not_there_in_hardware_is_refused_in_a_line() {
    let refused = |overrides: &[(&str, &str)], processor| {
        let drive = RtlDrive::new(&board(overrides), (processor, Polling::Skip), 1);
        drive.err().expect("no such hardware")
    };
    assert_eq!(
        refused(&[], Processor::Ibex),
        "firmament-automated: storage.medium: found memory, expected flash of a controller in hardware with a processor in it"
    );
    if is_there() {
        for (key, value, line) in [
            ("memory.channels", "4", "memory.channels: found 4, expected 2"),
            ("memory.chunk_bytes", "1024", "memory.chunk_bytes: found 1024, expected 512"),
            ("automation.beat_bytes", "64", "automation.beat_bytes: found 64, expected 32"),
            ("nvme.command_slots", "16", "nvme.command_slots: found 16, expected 256"),
        ] {
            let found = refused(&[(key, value)], Processor::Beside);
            let expected = format!("firmament-automated: {line} of a controller in hardware");
            assert_eq!(found, expected);
        }
    }
}

/// What `make test-all` does beside `make test`, which makes no model of this controller.
mod long {
    use super::*;

    #[test]
    fn jobs_read_what_they_wrote_without_firmware() {
        if !is_there() {
            return;
        }
        let Both { hardware, simulated } = both(&board(&[]), JOBS, SEED).expect("they run");
        // The host interface had each command of the reads and writes, from its entry to its completion.
        for Ran { parts, .. } in [&hardware, &simulated] {
            let parts = parts.borrow();
            let moves: Vec<_> = parts.iter().filter(|of| of.queue > 0 && of.opcode > 0).collect();
            assert_eq!(moves.len(), 64 + 256 + 128);
            assert!(moves
                .iter()
                .all(|of| of.parts_ps[0] > 1_000_000 && of.parts_ps[1..] == [0, 0]));
        }
        let [hardware, simulated] = [hardware, simulated].map(|Ran { result, .. }| result);
        for result in [&hardware, &simulated] {
            assert!(result.drive.host_bytes_read > 1 << 20);
            assert_eq!(
                (result.drive.host_bytes_read, result.drive.host_bytes_written),
                (simulated.drive.host_bytes_read, simulated.drive.host_bytes_written)
            );
            let busy = &result.drive.channel_busy;
            assert!(busy.len() == 2 && busy.iter().all(|share| *share > 0.02), "{busy:?}");
        }
        // Causes inside are not told apart in hardware; the host's end of the link is.
        let read = hardware.jobs[1].active(Direction::Read).expect("it read");
        let untold = read.cause_shares()[Cause::Untold as usize];
        assert!(untold > 0.1 && untold < 0.6, "{untold}");
    }

    /// The short form of `rtl-compare automated`, with bounds as measured.
    #[test]
    fn a_board_with_the_times_of_the_hardware_is_as_fast() {
        if !is_there() {
            return;
        }
        // MB/s, mean, 99th percentile, host interface.
        let alone = [1.0, 1.0, 4.5, 1.0];
        // Eight writes side by side fall into one of several rhythms: 0.04 us more or less of one time of the board moves the rate in
        // virtual time between 2,280 and 2,461 MB/s. Hardware has 2,416.
        let rhythm = [6.0, 6.0, 6.0, 1.0];
        let table = [
            ("rw=randread\nbs=4k\nsize=256k", Direction::Read, alone),
            ("rw=randwrite\nbs=4k\nsize=256k", Direction::Write, alone),
            ("rw=read\nbs=128k\nsize=4m\niodepth=8", Direction::Read, [1.0; 4]),
            ("rw=write\nbs=128k\nsize=4m\niodepth=8", Direction::Write, [1.0; 4]),
            ("rw=randwrite\nbs=4k\nsize=2m\niodepth=8", Direction::Write, rhythm),
            ("rw=randread\nbs=4k\nsize=1m\niodepth=8", Direction::Read, [1.0, 1.0, 4.0, 1.0]),
        ];
        let mut beyond = Vec::new();
        for (job, direction, percents) in table {
            let ran = both(&board(&[]), &format!("[job]\n{job}\n"), 1).expect("they run");
            let figures = |ran: Ran| ran.figures(direction).expect("it went there").each();
            let (hardware, simulated) = (figures(ran.hardware), figures(ran.simulated));
            for ((hardware, simulated), most) in hardware.iter().zip(&simulated).zip(percents) {
                let line =
                    format!("{job:?}: {}: {:.3} / {:.3}", hardware.0, hardware.1, simulated.1);
                println!("{line}");
                if (simulated.1 - hardware.1).abs() > hardware.1 * most / 100.0 {
                    beyond.push(line);
                }
            }
        }
        assert!(beyond.is_empty(), "{beyond:#?}");
    }

    /// As of drives over flash: not a byte of a report depends on whether cycles in which nothing changes are run.
    #[test]
    fn times_in_which_nothing_changes_are_left_out_without_a_trace() {
        if !is_there() {
            return;
        }
        let board = board(&[]);
        let jobs = "[global]\nsize=64k\nbs=4k\nthinktime=100\n[write]\nrw=randwrite\n\
            [read]\nstonewall\nrw=randread\n";
        let run = |polling| {
            let drive = RtlDrive::new(&board, (Processor::Beside, polling), 3).expect("a drive");
            let skipped = drive.skipped();
            let mut result = in_hardware(drive, &board, jobs, 3).expect("they run");
            result.speed = Speed { simulated_s: result.speed.simulated_s, ..Speed::default() };
            (serde_json::to_string(&result).expect("JSON"), skipped.get())
        };
        let (exact, none) = run(Polling::Exact);
        let (skipping, skipped) = run(Polling::Skip);
        assert!(none == 0 && skipped > 50_000, "{skipped} cycles skipped");
        assert!(exact == skipping, "the results differ");
    }

    #[test]
    fn timelines_of_both_bodies_tell_of_the_same_commands() {
        if !is_there() {
            return;
        }
        let board = board(&[]);
        let geometry = board.firmware.geometry;
        let recorder = || Recorder::of_all(geometry.channels, geometry.ways);
        let (mut of_hardware, mut of_simulated) = (recorder(), recorder());
        let mut drive =
            RtlDrive::new(&board, (Processor::Beside, Polling::Skip), SEED).expect("a drive");
        drive.watched_by(Box::new(&mut of_hardware as &mut dyn machine::Observer));
        in_hardware(drive, &board, JOBS, SEED).expect("it runs");
        observed_in_virtual_time(&board, JOBS, (SEED, &mut of_simulated)).expect("it runs");
        let (hardware, simulated) = (told(&of_hardware), told(&of_simulated));
        assert_eq!(hardware.1, simulated.1, "begins and ends of commands");
        assert!(hardware.1[0] > 448 && hardware.1[0] == hardware.1[1], "{:?}", hardware.1);
        let moves = |names: &BTreeSet<String>| -> Vec<String> {
            names
                .iter()
                .filter(|name| name.contains("read") || name.contains("write"))
                .cloned()
                .collect()
        };
        assert_eq!(moves(&hardware.0), moves(&simulated.0), "kinds of events");
    }
}
