//! What can be wrong with a study: each is one line that names place, found and expected, and is
//! found before anything runs.

use study::{Plan, StudyError};

use crate::folder::Folder;

/// File, what stands there, what stands there instead, and what the line must hold.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

fn error(folder: &Folder) -> StudyError {
    match folder.load() {
        Err(error) => error,
        Ok(study) => Plan::new(&study).expect_err("the study has a fault"),
    }
}

fn check(cases: &[Case]) {
    for (file, from, to, parts) in cases {
        let error = error(&Folder::with(file, from, to));
        let line = error.to_string();
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(!error.is_fault_of_drive(), "{line}");
        for part in parts.iter().chain([file]) {
            assert!(line.contains(part), "{to:?}: {line:?} does not hold {part:?}");
        }
    }
}

const TOML: &str = "study.toml";

#[test]
fn keys_that_do_not_exist_or_hold_no_value_are_named_with_their_line() {
    check(&[
        (TOML, "title = \"Tiny\"", "titel = \"Tiny\"", &["line 4", "titel", "title"]),
        (TOML, "precondition = \"sequential\"", "precond = \"none\"", &["precond"]),
        (
            TOML,
            "bs = \"16k\",",
            "bs = ,",
            &["line 14: found a fault (", "), expected TOML with the keys of docs"],
        ),
    ]);
    check(&[
        (TOML, "id = \"depth\"", "id = \"de pth\"", &["id: found \"de pth\", expected letters"]),
        (TOML, "id = \"again\"", "id = \"depth\"", &["experiment: id: found \"depth\" twice"]),
        (TOML, "id = \"latency_mean\"", "id = \"reads_are_faster\"", &["row: id: found"]),
        (
            TOML,
            "precondition = \"sequential\"",
            "precondition = \"old\"",
            &["experiment depth: precondition: found \"old\", expected one of none, sequential"],
        ),
    ]);
}

#[test]
fn axes_points_and_metrics_must_be_known() {
    check(&[
        (TOML, "where = { op", "where = { opp", &[
            "experiment depth: when 1: where: found \"opp\", expected an axis: one of op, outst",
        ]),
        (TOML, "fitted = { outstanding = 1 }", "fitted = { outstanding = 3 }", &[
            "compare 1 (latency_us): fitted.outstanding: found 3, expected one of 1, 2, 4, 32",
        ]),
        (TOML, "metric = \"latency_us\"", "metric = \"latency\"", &[
            "metric: found \"latency\", expected one of latency_us",
        ]),
        (TOML, "time_percent:issuer", "time_percent:isuer", &["let.issuer: metric", "issuer"]),
        (TOML, "values = [1, 2, 4, 32]", "values = [1, 2, 2]", &["the point \"2\" twice"]),
        (TOML, "values = [1, 2, 4, 32]", "values = []", &["axis outstanding: points: found nothing"]),
        (TOML, "at = { op = \"read\", outstanding = 1 }", "at = { op = \"read\" }", &[
            "claim reads_are_faster: let.read: at.outstanding: found nothing, expected one of 1, 2",
        ]),
        (TOML, "at = { outstanding = 1 }", "at = { op = \"read\", outstanding = 1 }", &[
            "claim two_are_faster: let.one: at.op: found a point, expected nothing",
        ]),
        (TOML, "of = [\"latency_us\"]", "of = [\"latency\"]", &[
            "summary latency_mean: of: found \"latency\", expected a column",
        ]),
        (TOML, "mean_abs_error_percent", "median", &["statistic: found \"median\", expected one of"]),
        (TOML, "x = \"outstanding\"", "x = \"op\"", &["figure throughput: x_scale: found an axis of"]),
        (TOML, "x_scale = \"log2\"", "x_scale = \"log3\"", &["x_scale: found \"log3\", expected"]),
        (TOML, "at = { op = \"read\", outstanding = [1, 2] }", "series = [\"op\", \"op\"]", &[
            "figure throughput: series: found \"op\" twice, expected each axis once",
        ]),
        (TOML, "at = { op = \"read\", outstanding = [1, 2] }", "at = { outstanding = [2, 2] }", &[
            "figure throughput: at.outstanding: found 2 twice, expected each point once",
        ]),
        (TOML, "depth = { outst", "deep = { outst", &["quick: found \"deep\", expected an exper"]),
        (TOML, "[1, 2] }\n", "[1, 3] }\n", &["outstanding: found 3"]),
    ]);
}

#[test]
fn boards_and_fio_options_are_tried_before_the_first_run() {
    check(&[
        (TOML, "board = \"small\"", "board = \"smal\"", &[
            "experiment depth, op read, outstanding 1: board: smal: found no board of this name",
        ]),
        (TOML, "boards = [\"small\"]", "boards = []\nbord = 1", &["bord"]),
        (TOML, "boards = [\"small\"]", "boards = [\"small\", \"small\"]", &[
            "boards: 2: found \"small\" twice, expected each board once",
        ]),
        (TOML, "boards = [\"small\"]", "boards = [\"smal\"]", &[
            "boards: 1: found \"smal\", no board of this name, expected one such as small",
        ]),
        (TOML, "set = { \"ftl.cache\" =", "set = { \"ftl.cash\" =", &[
            "experiment placement, scheme channel-first: set.ftl.cash: found an unknown key",
        ]),
        (TOML, "job = \"iodepth\"", "job = \"iodepht\"", &["job.iodepht: found an option that fio does not know"]),
        (TOML, "bs = \"16k\", number_ios = 400 }\n\n[[experiment.axis", "bs = \"1k\", number_ios = 400 }\n\n[[experiment.axis", &[
            "experiment depth, op read, outstanding 1: job.bs: found", "expected a multiple of",
        ]),
        (TOML, "job = { number_ios = 300 }", "job = { size = \"1t\" }", &[
            "experiment depth, op write, outstanding 1: job.size: found \"1t\", expected at most",
        ]),
        (TOML, "job = { number_ios = 300 }", "job = { name = \"x\" }", &["job.name: found it"]),
    ]) ;
}

#[test]
fn claims_have_one_bound_and_an_expression_over_their_names() {
    check(&[
        (
            TOML,
            "above = 1\nunit = \"times\"",
            "unit = \"times\"",
            &["claim two_are_faster: published: found nothing, expected one of published, at_most"],
        ),
        (
            TOML,
            "above = 1\nunit = \"times\"",
            "above = 1\nbelow = 3\nunit = \"times\"",
            &["found above and below, expected one of"],
        ),
        (
            TOML,
            "value = \"two / one\"",
            "value = \"two / on\"",
            &["value: found the name \"on\", expected one of one, two"],
        ),
        (TOML, "value = \"two / one\"", "value = \"two /\"", &["value: found \"two /\""]),
        (
            TOML,
            "evidence = \"ordering\"",
            "evidence = \"hearsay\"",
            &["claim two_are_faster: evidence: found \"hearsay\", expected one of published, ord"],
        ),
        (
            TOML,
            "evidence = \"ordering\"",
            "evidence = \"published\"",
            &["found \"published\" with a limit, expected one of ordering, bound, derived, goal"],
        ),
        (
            TOML,
            "evidence = \"derived\"",
            "evidence = \"bound\"",
            &["compare 2 (storage_us): evidence: found \"bound\" with a published value, expected"],
        ),
        (TOML, "evidence = \"goal\"\n", "", &["missing field `evidence`"]),
        (
            TOML,
            "tolerance_percent = 40",
            "tolerance_percent = -1",
            &["compare 1 (latency_us): tolerance_percent: found -1, expected a number from 0"],
        ),
    ]);
}

#[test]
fn published_values_stand_at_points_of_the_experiment() {
    const CSV: &str = "latency.csv";
    check(&[
        (CSV, "read,1,190", "read,3,190", &["line 3: outstanding: found \"3\", expected one of 1"]),
        (CSV, "read,1,190", "read,1,x", &["line 3: latency_us: found \"x\", expected a number"]),
        (
            CSV,
            "op,outstanding,latency_us",
            "op,outstanding,system_us",
            &["line 1: found no column \"latency_us\", expected one of op, outstanding, system_us"],
        ),
        (CSV, "read,2,", "read,1,", &["line 4: latency_us: found a second value at op read"]),
        (CSV, "op,outstanding", "oper,outstanding", &["at.op: found nothing", "or a column op"]),
    ]);
    let missing = Folder::tiny();
    std::fs::remove_file(missing.path().join(CSV)).unwrap();
    let line = error(&missing).to_string();
    assert!(line.contains("latency.csv: found No such file"), "{line}");
}

#[test]
fn a_study_without_anything_to_run_is_no_success() {
    let folder = Folder::empty();
    folder.write("study.toml", "title = \"A\"\npaper = \"B\"\nboards = []\n");
    let line = error(&folder).to_string();
    assert!(line.ends_with("study.toml: experiment: found none, expected at least one"), "{line}");
    let folder = Folder::with(TOML, "depth = { outstanding = [1, 2] }\n", "");
    let quick = folder.load().unwrap().quick();
    let line = Plan::new(&quick).expect_err("no quick subset").to_string();
    assert!(line.ends_with("quick: found nothing, expected points of an experiment"), "{line}");
}

#[test]
fn a_run_that_measures_nothing_is_named() {
    let folder =
        Folder::with(TOML, "rw = \"randread\" }", "rw = \"randread\", ramp_time = \"9s\" }");
    let study = folder.load().unwrap();
    let error = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap_err().to_string();
    assert!(
        error.contains("experiment depth, op read, outstanding 1: found nothing to take"),
        "{error}"
    );
}
