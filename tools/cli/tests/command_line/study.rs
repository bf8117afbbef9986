//! The command `study`: exit codes, and what it leaves behind.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::str::contains;
use tempfile::TempDir;

use crate::program::{firmament, names, stdout};

const HEADING: &str =
    "id,conditions,published,measured,unit,error_percent,tolerance_percent,evidence,role,status,published_to,complement_of,interval";

/// Studies that a test may change, and where their output goes.
struct Bench {
    directory: TempDir,
}

impl Bench {
    /// The study `tiny` of the crate `study`, which passes.
    fn new() -> Bench {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../study/tests/studies/tiny");
        let bench = Bench { directory: tempfile::tempdir().unwrap() };
        fs::create_dir_all(bench.path("studies/tiny")).unwrap();
        for file in ["study.toml", "latency.csv"] {
            fs::copy(fixture.join(file), bench.path("studies/tiny").join(file)).unwrap();
        }
        bench
    }

    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below)
    }

    /// The program with `study` and these arguments, in the folder that has the studies.
    fn study(&self, arguments: &str) -> Command {
        let mut command = firmament(["study"]);
        command.args(arguments.split_whitespace()).args(["--studies", "studies"]);
        command.current_dir(self.directory.path());
        command
    }

    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} does not hold {from:?}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }
}

/// The built-in study, small, far from the repository. What lies outside are parts of latencies, which
/// the page of fidelity shows; what the paper orders and bounds holds.
#[test]
fn the_quick_subset_of_cosmos_plus_is_built_in_and_lies_within_its_tolerances() {
    let place = tempfile::tempdir().unwrap();
    let mut command = firmament(["study", "cosmos-plus", "--quick", "--out", "results"]);
    let told = command.current_dir(&place).assert().code(0).get_output().clone();
    let printed = String::from_utf8(told.stdout).unwrap();
    for part in ["table7/system_us/read/slc/16", "crossing_read", "Rows by kind of evidence"] {
        assert!(printed.contains(part), "{printed}");
    }
    let csv = fs::read_to_string(place.path().join("results/cosmos-plus/result.csv")).unwrap();
    let outside: Vec<&str> = csv.lines().filter(|row| row.contains(",outside,")).collect();
    assert_eq!(outside, [""; 0]);
    assert_eq!(names(place.path()), ["results"]);
}

#[test]
fn built_in_studies_are_listed_anywhere() {
    let place = tempfile::tempdir().unwrap();
    let list = stdout(firmament(["study"]).current_dir(&place));
    let all = "bluessd      BlueSSD\ncosmos-plus  Cosmos+ OpenSSD\ndata-sheets  Data sheets\n\
               fdp          Flexible data placement\nocowfc       OCOWFC\nopenexpress  OpenExpress\nozone        Ozone (O3)\n\
               zns          Zones\n";
    assert_eq!(list, all);
    let told = firmament(["study", "cosmos"]).current_dir(&place).assert().code(2);
    let line = "firmament: cosmos: found no study of this name, expected a study of the built-in \
                ones: bluessd, cosmos-plus, data-sheets, fdp, ocowfc, openexpress, ozone, zns; --studies DIR runs others\n";
    told.stdout("").stderr(line);
    let told = firmament(["study", "calibrate", "cosmos-plus"]).current_dir(&place).assert();
    told.code(2)
        .stdout("")
        .stderr(contains("boards: found no folder, expected the folder of board"));
}

#[test]
fn a_study_that_passes_leaves_its_files_and_no_report_of_claims() {
    let bench = Bench::new();
    let told = stdout(&mut bench.study("tiny --out results"));
    assert!(
        told.contains("depth/latency_us/read/1") && told.contains("random_is_uneven"),
        "{told}"
    );
    let csv = bench.read("results/tiny/result.csv");
    assert_eq!(csv.lines().next(), Some(HEADING));
    assert_eq!(csv.lines().count(), 1 + 10);
    let files = names(&bench.path("results/tiny"));
    assert_eq!(files, ["result.csv", "throughput.png", "throughput.svg"]);
    assert!(bench.read("results/index.html").contains("two_are_faster"));
    assert_eq!(names(&bench.path("")), ["results", "studies"]);
}

#[test]
fn all_runs_every_study_and_writes_the_report_of_claims_where_that_is_asked_for() {
    let bench = Bench::new();
    bench.study("all").assert().success();
    assert_eq!(names(&bench.path("")), ["out", "studies"], "this is not the repository");
    assert_eq!(names(&bench.path("out/studies")), ["index.html", "tiny"]);
    fs::create_dir(bench.path("docs")).unwrap();
    fs::create_dir(bench.path("boards")).unwrap();
    fs::write(bench.path("docs/fidelity.md"), "old").unwrap();
    for asked in ["all --quick", "all"] {
        bench.study(asked).assert().success();
        assert_eq!(bench.read("docs/fidelity.md"), "old", "{asked}: nobody has asked for it");
    }
    bench.study("all --fidelity docs/fidelity.md").assert().success();
    assert!(bench.read("docs/fidelity.md").contains("give more than one"));
    bench.study("tiny --fidelity claims.md").assert().success();
    assert!(bench.read("claims.md").contains("give more than one"));
}

#[test]
fn a_value_outside_its_tolerance_is_exit_code_1_after_everything_is_written() {
    let bench = Bench::new();
    bench.change("studies/tiny/latency.csv", "read,1,190", "read,1,19");
    let line = "firmament: 2 of 9 rows lie outside their tolerances\n";
    bench.study("tiny").assert().code(1).stderr(line);
    let csv = bench.read("out/studies/tiny/result.csv");
    let row = csv.lines().find(|row| row.starts_with("depth/latency_us/read/1,")).unwrap();
    assert!(row.contains(",fitted,outside,"), "{row}");
}

#[test]
fn the_files_do_not_depend_on_the_number_of_jobs() {
    let bench = Bench::new();
    let printed = ["1", "3"]
        .map(|jobs| stdout(&mut bench.study(&format!("tiny --jobs {jobs} --out out{jobs}"))));
    assert_eq!(printed[0], printed[1]);
    for file in ["tiny/result.csv", "tiny/throughput.svg", "index.html"] {
        let [one, three] = ["1", "3"].map(|jobs| bench.read(&format!("out{jobs}/{file}")));
        assert_eq!(one, three, "{file}");
    }
}

#[test]
fn quick_runs_its_subset_only() {
    let bench = Bench::new();
    bench.study("tiny --quick").assert().success();
    let csv = bench.read("out/studies/tiny/result.csv");
    assert_eq!(csv.lines().count(), 1 + 7);
    assert!(!csv.contains("random_is_uneven"));
}

#[test]
fn without_a_name_the_studies_are_listed() {
    assert_eq!(stdout(&mut Bench::new().study("")), "tiny  Tiny\n");
}

#[test]
fn input_that_cannot_be_used_is_exit_code_2_before_anything_is_written() {
    let bench = Bench::new();
    bench.change("studies/tiny/study.toml", "time_percent:issuer", "time_percent:none");
    for (arguments, line) in [
        ("tiny", "studies/tiny/study.toml: experiment again, claim processor_is_idle: let.issuer"),
        ("tinny", "tinny: found no study of this name, expected a study of studies: tiny"),
        ("tiny --jobs 0", "--jobs: found \"0\", expected a whole number from 1"),
        ("tiny --quick --fidelity a", "found it"),
        ("calibrate", "found too few arguments, expected <NAME>"),
        ("calibrate tinny", "tinny: found no study of this name"),
    ] {
        let told = bench.study(arguments).assert().code(2).stdout("").stderr(contains(line));
        let errors = String::from_utf8(told.get_output().stderr.clone()).unwrap();
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert_eq!(names(&bench.path("")), ["studies"]);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_runs() {
    let bench = Bench::new();
    let line = "studies/tiny/study.toml: found";
    let told = bench.study("tiny --out studies/tiny/study.toml").assert();
    told.code(2).stdout("").stderr(contains(line));
}

#[test]
fn calibrate_writes_the_board_beside_the_studies_once() {
    const CALIBRATE: &str = "\n[calibrate]\nexperiment = \"depth\"\ncolumns = { latency_us = 1 }\n\
                             max_rounds = 5\n[[calibrate.parameter]]\nboard = \"cosmos-plus\"\n\
                             key = \"ecc.decode_latency_us\"\nstart = 3\nlow = 0\nhigh = 30\n\
                             step = 1\n";
    let bench = Bench::new();
    let study = bench.read("studies/tiny/study.toml") + CALIBRATE;
    fs::write(bench.path("studies/tiny/study.toml"), study).unwrap();
    fs::create_dir(bench.path("boards")).unwrap();
    let boards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    for file in ["cosmos-plus.toml", "small.toml"] {
        fs::copy(boards.join(file), bench.path("boards").join(file)).unwrap();
    }
    let told = stdout(&mut bench.study("calibrate tiny"));
    assert!(told.contains("ecc.decode_latency_us") && told.contains("written: "), "{told}");
    let written = bench.read("boards/cosmos-plus.toml");
    let source = "fitted to Tiny, Table 1 (op read; outstanding 1)";
    assert!(written.contains(source), "{written}");
    let told = stdout(&mut bench.study("calibrate tiny --jobs 1"));
    assert!(told.ends_with("nothing changed\n"), "{told}");
    assert_eq!(bench.read("boards/cosmos-plus.toml"), written);
    firmament(["board"])
        .arg(bench.path("boards/cosmos-plus.toml"))
        .assert()
        .success()
        .stdout(contains("role = \"calibrated\""));
}
