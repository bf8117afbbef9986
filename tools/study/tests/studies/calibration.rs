//! Calibration finds what is known, and finds it again.

use std::fs;
use std::path::PathBuf;

use study::{Calibration, Plan};

use crate::folder::{boards, Folder};

/// `small` has all three values from the file of `cosmos-plus`.
const CALIBRATE: &str = r#"
[calibrate]
experiment = "parts"
columns = { host_interface_us = 1, storage_us = 1 }
max_rounds = 10

[[calibrate.parameter]]
key = "host.fetch_latency_us"
board = "cosmos-plus"
start = 1
low = 0
high = 20
step = 0.1

[[calibrate.parameter]]
key = "ecc.decode_latency_us"
board = "cosmos-plus"
start = 20
low = 0
high = 40
step = 0.5
"#;

const EXPERIMENT: &str = r#"
title = "Parts"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["small"]

[[experiment]]
id = "parts"
title = "Latency by part"
place = "Table 1"
board = "small"
precondition = "sequential"
job = { rw = "randread", bs = "16k", number_ios = 2000 }
SET

[[experiment.axis]]
name = "outstanding"
job = "iodepth"
values = [1, 2, 4]

[[experiment.compare]]
file = "parts.csv"
column = "host_interface_us"
metric = "host_interface_us"
unit = "us"
evidence = "published"
tolerance_percent = 1
fitted = { outstanding = [1, 4] }

[[experiment.compare]]
file = "parts.csv"
column = "storage_us"
metric = "storage_us"
unit = "us"
evidence = "published"
tolerance_percent = 1
fitted = { outstanding = [1, 4] }
"#;

/// The parts of the latency of a drive whose true values are known, as a paper would publish them.
fn published() -> String {
    let folder = Folder::empty();
    let truth = "set = { \"host.fetch_latency_us\" = 7.3, \"ecc.decode_latency_us\" = 12.5 }";
    folder.write("study.toml", &EXPERIMENT.replace("SET", truth));
    let points = "outstanding,host_interface_us,storage_us\n1,1,1\n2,1,1\n4,1,1\n";
    folder.write("parts.csv", points);
    let study = folder.load().unwrap();
    let outcome = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap();
    let measured: Vec<f64> = outcome.experiments[0].rows.iter().map(|row| row.measured).collect();
    let mut text = "outstanding,host_interface_us,storage_us\n".to_owned();
    for (nth, outstanding) in [1, 2, 4].into_iter().enumerate() {
        text += &format!("{outstanding},{},{}\n", measured[nth], measured[nth + 3]);
    }
    text
}

/// A study to calibrate by, and a copy of the repository's boards beside it.
struct Bench {
    folder: Folder,
    boards: PathBuf,
}

impl Bench {
    fn new(study: &str) -> Bench {
        let folder = Folder::empty();
        folder.write("study.toml", study);
        folder.write("parts.csv", &published());
        let copies = folder.beside("boards");
        fs::create_dir(&copies).unwrap();
        for name in ["cosmos-plus.toml", "small.toml"] {
            fs::copy(boards().join(name), copies.join(name)).unwrap();
        }
        Bench { folder, boards: copies }
    }

    fn calibrate(&self, threads: usize) -> Calibration {
        let study = self.folder.load().unwrap();
        study.calibrate(&self.boards, threads, &mut |_| ()).unwrap()
    }

    fn board(&self) -> String {
        fs::read_to_string(self.boards.join("cosmos-plus.toml")).unwrap()
    }
}

fn study() -> String {
    EXPERIMENT.replace("SET", "") + CALIBRATE
}

#[test]
fn known_values_are_found_and_written_once() {
    let bench = Bench::new(&study());
    let before = bench.board();
    let first = bench.calibrate(2);
    let fitted: Vec<&str> = first.parameters.iter().map(|p| p.fitted.as_str()).collect();
    assert_eq!(fitted, ["7.3", "12.5"], "{first}");
    assert!(first.after_percent.iter().all(|error| *error == 0.0), "{first}");
    assert!(first.before_percent.iter().any(|error| error.abs() > 5.0), "{first}");
    assert_eq!(first.written, [bench.boards.join("cosmos-plus.toml")]);
    assert_eq!(first.fits.len(), 1);

    let after = bench.board();
    let source = "fitted to Parts, Table 1 (outstanding 1, 4) by firmament study calibrate tiny";
    let leaf = format!("{{ value = 12.5, source = \"{source}\", role = \"calibrated\" }}");
    assert!(after.contains(&format!("decode_latency_us = {leaf}")), "{after}");
    let changed = before.lines().zip(after.lines()).filter(|(old, new)| old != new).count();
    assert_eq!((changed, before.lines().count()), (2, after.lines().count()));

    // Again, on another number of threads, from the file as it is now.
    let second = bench.calibrate(1);
    assert_eq!(second.written, Vec::<PathBuf>::new());
    assert_eq!(second.parameters, first.parameters);
    assert!(second.to_string().ends_with("nothing changed\n"), "{second}");
    assert_eq!(bench.board(), after);
}

#[test]
fn fits_from_other_places_are_told_and_the_best_is_written() {
    // From the study's own start, one round leads nowhere near.
    let far = study()
        .replace("start = 1\n", "start = 20\n")
        .replace("start = 20\nlow = 0\nhigh = 40", "start = 40\nlow = 0\nhigh = 40");
    let rounds = far.replace("max_rounds = 10", "max_rounds = 1\nstarts = 3");
    let bench = Bench::new(&rounds);
    let found = bench.calibrate(2);
    assert_eq!(found.fits.len(), 3);
    let squares = |errors: &[f64]| errors.iter().map(|error| error * error).sum::<f64>();
    let costs: Vec<f64> = found.fits.iter().map(|fit| squares(&fit.errors_percent)).collect();
    let best = costs.iter().copied().fold(f64::MAX, f64::min);
    assert_eq!(squares(&found.after_percent), best, "{found}");
    assert!(costs[0] > best, "the first start is not the best here: {found}");
    let written: Vec<&str> = found.parameters.iter().map(|p| p.fitted.as_str()).collect();
    for fit in &found.fits {
        let is_best = fit.fitted == written;
        assert_eq!(fit.apart_percent.iter().all(|apart| *apart == 0.0), is_best, "{found}");
    }
    assert!(bench.board().contains(&format!("fetch_latency_us = {{ value = {},", written[0])));
}

#[test]
fn what_is_held_out_is_predicted_and_no_board_changed() {
    let bench = Bench::new(&study());
    let before = bench.board();
    let study = bench.folder.load().unwrap();
    let without = |pairs: &[(&str, &str)]| {
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
        study.cross_validate(&bench.boards, &pairs, (2, &mut |_| ()))
    };
    let found = without(&[("outstanding", "4")]).unwrap();
    assert_eq!((found.kept_percent.len(), found.held_out_percent.len()), (2, 2), "{found}");
    // From the other points the true values are found, or others that do as well.
    assert!(found.held_out_percent.iter().all(|error| error.abs() < 1.0), "{found}");
    assert_eq!(found.held_out, "outstanding 4");
    assert_eq!(bench.board(), before);
    for (pairs, parts) in [
        (&[("depth", "4")][..], "--without: found \"depth\", expected"),
        (&[("outstanding", "3")], "--without: found \"3\", expected"),
        (&[("outstanding", "2")], "--without: found no fitted value, expected some of them"),
    ] {
        let line = without(pairs).unwrap_err().to_string();
        assert!(line.contains(parts) && line.lines().count() == 1, "{line}");
    }
}

#[test]
fn what_cannot_be_calibrated_is_refused_before_anything_runs() {
    for (from, to, parts) in [
        (
            "experiment = \"parts\"",
            "experiment = \"part\"",
            "calibrate: experiment: found \"part\"",
        ),
        ("columns = { host", "columns = { x = 1, host", "calibrate: columns: found \"x\""),
        (
            "storage_us = 1",
            "storage_us = -1",
            "calibrate: columns.storage_us: found -1, expected a weight above 0",
        ),
        ("max_rounds = 10", "max_rounds = 0", "calibrate: max_rounds: found 0, expected"),
        ("max_rounds = 10", "max_rounds = 1\nstarts = 65", "calibrate: starts: found 65, expected"),
        ("start = 20", "start = 50", "ecc.decode_latency_us: start: found 50, expected"),
        ("step = 0.5", "step = 0", "ecc.decode_latency_us: step: found 0, expected"),
        (
            "step = 0.5",
            "step = 50",
            "ecc.decode_latency_us: step: found 50, expected a step of which",
        ),
        (
            "key = \"ecc.decode",
            "key = \"ecc.decoding",
            "cosmos-plus.toml: ecc.decoding_latency_us: found",
        ),
        (
            "board = \"cosmos-plus\"\nstart = 20",
            "board = \"none\"\nstart = 20",
            "none.toml: found No",
        ),
        (
            "board = \"cosmos-plus\"\nstart = 20",
            "board = \"small\"\nstart = 20",
            "small.toml: ecc.decode_latency_us: found nothing, expected a value",
        ),
        ("[[calibrate.parameter]]", "[[calibrate.parameters]]", "unknown field `parameters`"),
    ] {
        assert!(study().contains(from), "{from}");
        let bench = Bench::new(&study().replacen(from, to, 1));
        let told = bench.folder.load().and_then(|study| {
            let none = |_| panic!("nothing is to be run: {to}");
            study.calibrate(&bench.boards, 1, &mut { none })
        });
        let line = told.unwrap_err().to_string();
        assert!(line.contains(parts) && line.lines().count() == 1, "{line}\n{parts}");
    }
}

#[test]
fn a_study_without_the_section_has_nothing_to_calibrate() {
    let bench = Bench::new(&EXPERIMENT.replace("SET", ""));
    let study = bench.folder.load().unwrap();
    let line = study.calibrate(&bench.boards, 1, &mut |_| ()).unwrap_err().to_string();
    assert!(
        line.ends_with("calibrate: found nothing, expected what is to be calibrated"),
        "{line}"
    );
}

/// What bears on the values that are predicted is told, the most first; a parameter that has nothing to do with them moves none.
#[test]
fn predicted_values_move_with_what_they_depend_on() {
    let bench = Bench::new(&study());
    let before = bench.board();
    let study = bench.folder.load().unwrap();
    let sensitivity = study.sensitivity(2, &mut |_| ()).unwrap();
    assert_eq!(sensitivity.values, 2);
    let moved = |key: &str| {
        let found = sensitivity.parameters.iter().find(|moved| moved.key == key);
        found.unwrap_or_else(|| panic!("{key} is told: {sensitivity}"))
    };
    let decoding = moved("ecc.decode_latency_us");
    assert!(decoding.largest_percent > 0.1, "{sensitivity}");
    assert!(decoding.largest.starts_with("parts/storage_us"), "{sensitivity}");
    assert_eq!(moved("flash.t_program_csb_us").largest_percent, 0.0);
    // What is 0 becomes 1.
    assert_eq!(moved("channel.turn_gap_us").to, "1");
    let sizes: Vec<f64> =
        sensitivity.parameters.iter().map(|moved| moved.largest_percent.abs()).collect();
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sensitivity}");
    assert_eq!(bench.board(), before);
}
