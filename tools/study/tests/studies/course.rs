//! Studies that look at what a drive does over time, and at percentiles, behind a job that is not measured.

use study::outcome::StudyOutcome;
use study::Plan;

use crate::folder::Folder;

const STUDY: &str = r#"
title = "Course"
paper = "Nobody: Nothing. Nowhere, 2020"
boards = ["small"]

[[experiment]]
id = "placed"
title = "Reads behind writes"
place = "Table 1"
board = "small"
set = { "nvme.command_set" = "open-channel", "flash.metadata_bytes" = 36 }
before = { rw = "write", bs = "64k", size = "4m", iodepth = 8 }
job = { rw = "read", bs = "16k", size = "4m", iodepth = 2 }

[[experiment.axis]]
name = "percent"
look = "percentile"
values = [1, 50, 99]

[[experiment.axis]]
name = "us"
look = "time_us"
values = [100, 200, 300]

[[experiment.claim]]
id = "rises"
says = "a higher percentile is no lower"
evidence = "ordering"
let.low = { metric = "latency_percentile_us", at = { percent = 1, us = 100 } }
let.high = { metric = "latency_percentile_us", at = { percent = 99, us = 100 } }
value = "high / low"
at_least = 1
unit = "times"

[[experiment.claim]]
id = "two"
says = "two reads are in the drive nearly always, and at first what is left of the writes"
evidence = "bound"
let.mean = { metric = "drive_commands", at = { percent = 1, us = 100 } }
value = "mean"
at_most = 2.5
unit = "commands"

[[experiment.claim]]
id = "starved"
says = "four ways have as many commands at first alone"
evidence = "bound"
let.share = { metric = "starved_percent", at = { percent = 1, us = 100 } }
value = "share"
at_least = 90
unit = "%"

[[experiment.claim]]
id = "amount"
says = "what is measured is the job's alone"
evidence = "derived"
let.iops = { metric = "iops", at = { percent = 1, us = 100 } }
let.rate = { metric = "throughput_mb_s", at = { percent = 1, us = 100 } }
value = "rate / iops"
published = 0.016384
unit = "MB"

[[experiment.figure]]
id = "now"
title = "Commands over time"
x = "us"
y = { metric = "drive_commands_now", label = "commands" }
at = { percent = 1 }
"#;

fn folder(from: &str, to: &str) -> Folder {
    let folder = Folder::empty();
    assert!(STUDY.contains(from), "{from}");
    folder.write("study.toml", &STUDY.replacen(from, to, 1));
    folder
}

fn outcome() -> StudyOutcome {
    let study = folder("", "").load().unwrap();
    let plan = Plan::new(&study).unwrap();
    assert_eq!(plan.runs(), 1, "what is looked at changes no run");
    plan.run(2, &mut |_| ()).unwrap()
}

#[test]
fn one_run_is_looked_at_in_many_places_and_the_job_before_is_left_out() {
    let outcome = outcome();
    let experiment = &outcome.experiments[0];
    let measured = |id: &str| {
        let row = experiment.rows.iter().find(|row| row.id == id);
        row.unwrap_or_else(|| panic!("{id}")).measured
    };
    assert!(measured("rises") > 1.0);
    let mean = measured("two");
    assert!((1.5..=2.5).contains(&mean), "{mean}: the job before has four in the drive");
    assert!(measured("starved") > 90.0);
    assert!((measured("amount") / 0.016384 - 1.0).abs() < 1e-9, "the job before moves 64 KiB");
    let points = &experiment.figures[0].curves[0].measured;
    assert_eq!(points.iter().map(|(x, _)| *x).collect::<Vec<_>>(), [100.0, 200.0, 300.0]);
    assert!(points.iter().all(|&(_, y)| (1.0..=6.0).contains(&y)), "{points:?}");
}

#[test]
fn what_cannot_be_looked_at_is_told_in_a_line() {
    let figure = "y = { metric = \"drive_commands_now\"";
    let cases = [
        (
            "look = \"percentile\"",
            "look = \"percent\"",
            "look: found \"percent\", expected one of percentile, time_us",
        ),
        (
            "look = \"percentile\"",
            "job = \"iodepth\"",
            "expected an axis with look = \"percentile\"",
        ),
        (
            "look = \"time_us\"",
            "job = \"iodepth\"",
            "drive_commands_now without one, expected an axis with look = \"time_us\"",
        ),
        (
            "values = [100, 200, 300]",
            "values = [\"a\", \"b\"]",
            "values: found names, expected numbers",
        ),
        (
            figure,
            "y = { metric = \"way_deviation_kib\"",
            "and another that is watched for otherwise, expected one of both",
        ),
        ("before = { rw = \"write\"", "before = { rw = \"wrote\"", "wrote"),
    ];
    for (from, to, expected) in cases {
        let error = match folder(from, to).load() {
            Err(error) => error,
            Ok(study) => Plan::new(&study).err().unwrap_or_else(|| panic!("{to}: no fault")),
        };
        let line = error.to_string();
        assert!(line.contains(expected), "{line:?} does not hold {expected:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
