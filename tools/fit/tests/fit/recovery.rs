//! Keys are found back.

use std::path::Path;

use board::Board;
use fit::Verdict;
use host::Preconditioning;

use crate::drive::{fitted, fitted_to, key, measured, measured_in, pairs, How, Set, SEED};

/// A drive that differs from the base in four keys.
const TRUTH: Set<'static> = &[
    ("flash.t_read_slc_us", "60"),
    ("flash.t_program_slc_us", "900"),
    ("channel.bus_bandwidth_mb_s", "320"),
    ("host.interrupt_latency_us", "25"),
];

/// Jobs that tell these four keys apart: reads and writes one by one, large reads, and writes beyond the buffer.
const JOBS: &str = "\
[global]
ioengine=libaio
direct=1
size=16m
[one]
rw=randread
bs=4k
number_ios=300
[large]
stonewall
rw=read
bs=128k
iodepth=8
number_ios=150
[write-one]
stonewall
rw=write
bs=16k
number_ios=60
[write]
stonewall
rw=write
bs=16k
iodepth=8
number_ios=500
";

const KEYS: [&str; 4] = [
    "flash.t_read_slc_us=20..400",
    "flash.t_program_slc_us",
    "channel.bus_bandwidth_mb_s=50..1600",
    "host.interrupt_latency_us=0.5..60",
];

/// Asserts that the keys of `truth` were found within a share of their value, and that each interval holds the true value.
fn assert_found(outcome: &fit::Outcome, truth: Set<'_>, share: f64) {
    for (name, value) in truth {
        let (found, value) = (key(outcome, name), value.parse::<f64>().unwrap());
        assert!((found.values[0] / value - 1.0).abs() <= share, "{name}\n{outcome}");
        let Verdict::Determined { low, high } = found.verdict else { panic!("{name}\n{outcome}") };
        assert!((low..=high).contains(&value), "{name}\n{outcome}");
    }
}

#[test]
fn four_keys_are_found_within_two_percent() {
    let report = measured(TRUTH, JOBS, SEED);
    let outcome = fitted(&report, &How { wanted: &KEYS, ..How::default() }).unwrap();
    assert_found(&outcome, TRUTH, 0.02);
    assert!(outcome.converged);
    let [before, after] = outcome.differences();
    assert!(before > 0.2 && after < 0.02, "{outcome}");
}

#[test]
fn the_file_is_the_fitted_board_and_says_where_values_come_from() {
    let report = measured(TRUTH, JOBS, SEED);
    let set = [("ftl.buffer_kib", "1040")];
    let outcome = fitted(&report, &How { wanted: &KEYS, set: &set, ..How::default() }).unwrap();
    let text = outcome.board_file(Path::new("mine.toml")).unwrap();
    let board = Board::parse("mine.toml", &text).unwrap();
    assert_eq!(board.value("ftl.buffer_kib"), Some("1040"));
    let mut values = pairs(&set);
    for key in &outcome.keys {
        values.push((key.keys[0].clone(), key.values[0].to_string()));
        let value = board.value(&key.keys[0]).and_then(|value| value.parse().ok());
        assert_eq!(value, Some(key.values[0]), "{text}");
    }
    assert_eq!(Board::resolve("small", &values).unwrap().sha256(), board.sha256());
    let Verdict::Determined { low, high } = outcome.keys[0].verdict else { panic!("{outcome}") };
    let source = format!("fitted to drive.json by firmament board fit: {low} to {high}");
    let leaf = format!("source = \"{source}\", role = \"calibrated\" }}");
    assert!(text.contains(&leaf), "{leaf} is not in\n{text}");
}

/// What was measured for long is fitted by short runs, with other random choices. Writes go to a part of the drive that short runs
/// overwrite several times too, so that collection is as far in both.
#[test]
fn a_long_measurement_is_fitted_by_a_part_of_it() {
    let own = |line: &str| match line {
        "rw=write" => "rw=write\nsize=4m\n".to_owned(),
        _ if line.starts_with("number_ios") => "time_based=1\nruntime=1s\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let jobs: String = JOBS.lines().map(own).collect();
    // Dies of one mean: other random choices are other chips, too.
    let set = [TRUTH[2], TRUTH[3], ("flash.die_deviation_us", "0")];
    let report = measured(&[&TRUTH[..2], &set].concat(), &jobs, 77);
    let how = How { wanted: &KEYS[..2], set: &set, requests: 800, error: 0.02, ..How::default() };
    assert_found(&fitted(&report, &how).unwrap(), &TRUTH[..2], 0.05);
}

#[test]
fn the_same_fit_gives_the_same_bytes_on_any_number_of_threads() {
    let report = measured(TRUTH, JOBS, SEED);
    let told = |threads: usize| {
        let how = How { wanted: &KEYS[..2], threads, ..How::default() };
        let outcome = fitted(&report, &how).unwrap();
        let board = outcome.board_file(Path::new("mine.toml")).unwrap();
        format!("{outcome}{}{board}", outcome.to_json())
    };
    assert_eq!(told(1), told(3));
}

/// Many requests at once tell how many ways there are, and one at a time how fast each is.
#[test]
fn a_number_of_ways_is_found_by_trying_its_neighbours() {
    let truth = [("geometry.ways", "8"), ("flash.t_read_slc_us", "130")];
    let jobs = "\
[global]
size=16m
bs=16k
rw=randread
[one]
number_ios=150
[many]
stonewall
iodepth=64
number_ios=900
";
    let set = [("geometry.ways", "2"), ("channel.bus_bandwidth_mb_s", "1600")];
    let mut drive = truth.to_vec();
    drive.push(set[1]);
    let report = measured(&drive, jobs, SEED);
    let wanted = ["geometry.ways=1..16", "flash.t_read_slc_us=30..500"];
    let outcome = fitted(&report, &How { wanted: &wanted, set: &set, ..How::default() }).unwrap();
    assert_found(&outcome, &truth, 0.02);
    assert_eq!(key(&outcome, "geometry.ways").values, [8.0]);
}

/// Each file begins with a drive in its steady state, which is made once for all files of a board.
#[test]
fn a_worn_drive_is_fitted_by_worn_drives() {
    let steady = Preconditioning::Steady;
    let truth = [("flash.t_program_slc_us", "700")];
    let jobs = |depth: u32| {
        format!("[w]\nrw=randwrite\nbs=16k\niodepth={depth}\nsize=16m\nnumber_ios=300\n")
    };
    let reports = [2, 16].map(|depth| measured_in(steady, (&truth, &jobs(depth)), SEED));
    let files = [("few.json", &*reports[0]), ("many.json", &*reports[1])];
    let wanted = ["flash.t_program_slc_us=200..2000"];
    let outcome =
        fitted_to(&files, &How { wanted: &wanted, precondition: steady, ..How::default() })
            .unwrap();
    assert_found(&outcome, &truth, 0.02);
    // Both files are on a drive that was not used by the other.
    assert!(outcome.differences()[1] < 0.02, "{outcome}");
    assert_eq!(outcome.files, ["few.json", "many.json"]);
    // Both jobs have one name.
    assert_eq!(
        (&*outcome.rows[0].job, &*outcome.rows.last().unwrap().job),
        ("w (few.json)", "w (many.json)")
    );
    // On drives that were filled once, the same writes are faster than any program time in the range makes them slow.
    let fresh = fitted_to(&files, &How { wanted: &wanted, ..How::default() }).unwrap();
    assert!(fresh.differences()[1] > 2.0 * outcome.differences()[1], "{fresh}");
}
