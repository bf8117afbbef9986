//! Studies whose job has others beside it.

use study::Plan;

use crate::folder::Folder;

const STUDY: &str = r#"
title = "Beside"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["small"]

[[experiment]]
id = "company"
title = "Reads beside writes"
place = "Table 1"
board = "small"
precondition = "sequential"
job = { rw = "read", bs = "16k", size = "4m" }

[[experiment.axis]]
name = "writers"
points = [
    { is = 0 },
    { is = 1, beside = { one = { rw = "write", bs = "16k", size = "4m" } } },
    { is = 2, beside = { one = { rw = "write", bs = "16k", size = "4m" }, other = { rw = "write", bs = "16k", offset = "4m", size = "4m" } } },
]

[[experiment.claim]]
id = "amount"
says = "what is measured is the job's alone"
evidence = "derived"
let.iops = { metric = "iops", at = {} }
let.rate = { metric = "throughput_mb_s", at = {} }
value = "rate / iops"
each = { writers = [0, 1, 2] }
published = 0.016384
unit = "MB"

[[experiment.claim]]
id = "latency"
says = "the job's latency"
evidence = "derived"
let.us = { metric = "latency_us", at = {} }
value = "us"
each = { writers = [0, 1, 2] }
published = 100
unit = "us"

[[experiment.claim]]
id = "amplification"
says = "writes of both are the drive's"
evidence = "derived"
let.waf = { metric = "write_amplification", at = {} }
value = "waf"
each = { writers = [1, 2] }
published = 1
unit = ""
"#;

fn load(from: &str, to: &str) -> Result<study::Study, study::StudyError> {
    let folder = Folder::empty();
    assert!(STUDY.contains(from), "{from}");
    folder.write("study.toml", &STUDY.replacen(from, to, 1));
    folder.load()
}

#[test]
fn jobs_beside_the_job_hold_it_up_and_are_not_measured() {
    let study = load("", "").unwrap();
    let plan = Plan::new(&study).unwrap();
    assert_eq!(plan.runs(), 3);
    let outcome = plan.run(2, &mut |_| ()).unwrap();
    let rows = &outcome.experiments[0].rows;
    let measured = |claim: &str| -> Vec<f64> {
        let of_claim = rows.iter().filter(|row| row.id.starts_with(claim));
        of_claim.map(|row| row.measured).collect()
    };
    let amounts = measured("amount");
    assert!(amounts.iter().all(|mb| (mb / 0.016384 - 1.0).abs() < 1e-9), "{amounts:?}");
    let [alone, one, two] = measured("latency")[..] else { panic!("three points") };
    assert!(alone < one && one < two, "{alone} {one} {two}");
    let amplification = measured("amplification");
    assert_eq!(amplification.len(), 2);
    assert!(amplification.iter().all(|factor| (0.5..4.0).contains(factor)), "{amplification:?}");
}

#[test]
fn a_job_beside_has_a_name_of_its_own_and_options_of_fio() {
    let first = "beside = { one = { rw = \"write\"";
    for (to, expected) in [
        ("beside = { job = { rw = \"write\"", "beside.job: found it, expected another name"),
        ("beside = { before = { rw = \"write\"", "beside.before: found it, expected another name"),
        ("beside = { \"o.e\" = { rw = \"write\"", "beside.o.e: found it, expected another name"),
        ("beside = { x = 3, one = { rw = \"write\"", "beside.x: found 3, expected a table"),
        ("beside = { one = { rw = [1]", "beside.one: job.rw: found [1], expected a text"),
        ("beside = { one = { name = \"x\"", "beside.one: job.name: found it"),
        ("beside = { one = { wr = \"write\"", "wr: found an option that fio does not know"),
    ] {
        let error = match load(first, to) {
            Err(error) => error.to_string(),
            Ok(study) => Plan::new(&study).expect_err(to).to_string(),
        };
        assert!(error.contains(expected), "{error}");
    }
}
