//! Timelines of a drive in hardware: as those of the drive in virtual time, and as the report says.

use board::Board;
use machine::Polling;
use report::RunResult;
use rtl_sim::drive::compare::{in_hardware, observed_in_virtual_time};
use rtl_sim::drive::{Processor, RtlDrive};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use timeline::Recorder;

/// Chips that a test has time for, a buffer that does not hold what the job writes, and wrong bits that make some
/// pages be read at another level.
const SHORT: &[(&str, &str)] = &[
    ("flash.t_read_slc_us", "20"),
    ("flash.t_program_slc_us", "60"),
    ("flash.t_erase_us", "100"),
    ("flash.read_deviation_us", "1"),
    ("flash.program_deviation_us", "1"),
    ("flash.erase_deviation_us", "1"),
    ("flash.die_deviation_us", "0"),
    ("ftl.buffer_kib", "256"),
    ("errors.raw_bits_per_terabit", "3500000000"),
];

const BY_CHANNELS: &[(&str, &str)] =
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];

/// Writes that are more than a drive of few blocks holds, so that some are erased; then reads, and a trim.
const JOBS: &str =
    "[global]\nsize=1m\nbs=16k\niodepth=8\n[write]\nrw=randwrite\nio_size=3m\nend_fsync=1\n\
    [read]\nstonewall\nrw=randread\n[trim]\nstonewall\nrw=randtrim\nio_size=64k\n";

const SEED: u64 = 7;

fn board(overrides: &[(&str, &str)]) -> Board {
    let few = [("geometry.blocks_per_way", "8"), ("flash.pages_per_physical_block", "16")];
    let set = SHORT.iter().chain(&few).chain(overrides);
    let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("firmament-rtl", &set).expect("the board resolves")
}

/// A trace, and what it says.
struct Told(Value);

impl Told {
    fn new(recorder: &Recorder) -> Self {
        let mut out = Vec::new();
        recorder.write(&mut out).expect("memory takes what is written");
        Self(serde_json::from_slice(&out).expect("JSON"))
    }

    fn events<'a>(&'a self, phase: &'a str) -> impl Iterator<Item = &'a Value> {
        let events = self.0["traceEvents"].as_array().expect("events");
        events.iter().filter(move |event| event["ph"] == phase)
    }

    /// Names of lanes, by process and thread.
    fn lanes(&self) -> BTreeMap<(u64, u64), String> {
        let lane = |event: &Value| {
            let [process, thread] = ["pid", "tid"].map(|key| event[key].as_u64().unwrap_or(0));
            ((process, thread), event["args"]["name"].to_string())
        };
        self.events("M").filter(|event| !event["args"]["name"].is_null()).map(lane).collect()
    }

    /// Names of slices, by the kind of their lanes; and those of commands.
    fn kinds(&self) -> BTreeSet<(String, String)> {
        let lanes = self.lanes();
        let slice = |event: &Value| {
            let place = ["pid", "tid"].map(|key| event[key].as_u64().expect("a lane"));
            let lane = lanes[&(place[0], place[1])].replace(|c: char| c.is_ascii_digit(), "");
            (lane, event["name"].to_string())
        };
        let command = |event: &Value| ("command".to_owned(), event["name"].to_string());
        self.events("X").map(slice).chain(self.events("b").map(command)).collect()
    }

    /// Microseconds of slices in a lane, but for those in which something only waits.
    fn busy(&self, (process, thread): (u64, u64)) -> f64 {
        self.slices((process, thread))
            .filter(|event| event["name"] != "waiting for the bus")
            .map(|event| event["dur"].as_f64().expect("a duration"))
            .sum()
    }

    fn slices(&self, (process, thread): (u64, u64)) -> impl Iterator<Item = &Value> {
        self.events("X").filter(move |event| event["pid"] == process && event["tid"] == thread)
    }

    fn count(&self, name: &str) -> u64 {
        self.events("X").filter(|event| event["name"] == name).count() as u64
    }
}

/// The same jobs on both bodies: timelines and reports.
fn both(board: &Board) -> [(Told, RunResult); 2] {
    let geometry = board.firmware.geometry;
    let recorder = || Recorder::of_all(geometry.channels, geometry.ways);
    let mut seen = recorder();
    let mut drive =
        RtlDrive::new(board, (Processor::Beside, Polling::Skip), SEED).expect("a drive");
    drive.watched_by(Box::new(&mut seen as &mut dyn machine::Observer));
    let hardware = in_hardware(drive, board, JOBS, SEED).expect("it runs");
    let hardware = (Told::new(&seen), hardware);
    let mut seen = recorder();
    let simulated = observed_in_virtual_time(board, JOBS, (SEED, &mut seen)).expect("it runs");
    [hardware, (Told::new(&seen), simulated)]
}

#[test]
fn both_bodies_have_the_same_lanes_and_kinds_of_events_and_hardware_is_busy_as_reported() {
    same_lanes_and_kinds(&[]);
}

fn same_lanes_and_kinds(by_channels: &[(&str, &str)]) {
    let board = board(by_channels);
    let [(hardware, report), (simulated, _)] = both(&board);
    assert_eq!(hardware.lanes(), simulated.lanes(), "{by_channels:?}");
    assert_eq!(hardware.kinds(), simulated.kinds(), "{by_channels:?}");
    let elapsed_us = report.speed.simulated_s * 1e6;
    let near = |told: f64, reported: f64, lane: String| {
        let apart = (told / elapsed_us - reported).abs();
        assert!(apart < 0.002, "{by_channels:?}: {lane}: {told} of {elapsed_us}, {reported}");
    };
    let drive = &report.drive;
    for (channel, (&bus, ways)) in (0..).zip(drive.channel_busy.iter().zip(&drive.way_busy)) {
        near(hardware.busy((10 + channel, 1)), bus, format!("bus {channel}"));
        for (way, &busy) in (0..).zip(ways) {
            near(hardware.busy((10 + channel, 2 + way)), busy, format!("way {channel}.{way}"));
        }
    }
    assert_eq!(hardware.count("program transfer"), drive.pages_programmed, "{by_channels:?}");
    assert_eq!(hardware.count("tPROG"), drive.pages_programmed, "{by_channels:?}");
    assert_eq!(hardware.count("tBERS"), drive.erases, "{by_channels:?}");
    // Each command is on its way from a doorbell to its completion, and reads are at the chips meanwhile.
    let ends = |phase| hardware.events(phase).count();
    assert_eq!((ends("b"), ends("e")), (ends("b"), ends("b")), "{by_channels:?}");
    let of_command = hardware
        .events("X")
        .filter(|event| event["name"] == "tR" && !event["args"]["command"].is_null());
    assert!(of_command.count() as u64 > drive.pages_read / 2, "{by_channels:?}");
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn both_bodies_tell_the_same_where_channels_schedule() {
        same_lanes_and_kinds(BY_CHANNELS);
    }
}
