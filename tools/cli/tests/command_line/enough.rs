//! `--until` and `--seeds`: what is told of how well figures are known.

use predicates::str::contains;
use serde_json::Value;

use crate::program::{json, short_run, stdout};

const ENOUGH: &str = "--until=converged:error=10%,of=mean";

#[test]
fn a_run_that_is_known_ends_and_says_so_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let mut run = short_run(&[ENOUGH, "--loops=1000", "--json=r.json", "--html=r.html"]);
    let text = stdout(run.current_dir(&directory));
    let read = |name| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    let stage = &report["firmament"]["precision"][0];
    assert_eq!((&stage["converged"], &stage["error"]), (&Value::from(true), &Value::from(0.1)));
    assert!(stage["sections"].as_u64().unwrap() > 10, "{stage}");
    for part in ["stage 0 converged: known to 10 % at 95 %", "    read mean ", "    write mean "] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let (_, told) = text.split_once("How well figures are known:").unwrap();
    for line in told.lines().take_while(|line| !line.starts_with("Board")) {
        assert_eq!(line, line.trim_end());
    }
    assert!(read("r.html").contains("<h2>How well figures are known</h2>"));
}

#[test]
fn a_run_that_is_too_short_is_told_in_a_line_and_succeeds() {
    let line = "firmament: warning: stage 0 did not converge before the jobs came to their end";
    short_run(&["--until=converged"]).assert().success().stderr(contains(line));
    short_run(&[]).assert().success().stderr("");
}

/// On a drive whose reads all take the same time, that is known as soon as there are enough of them.
#[test]
fn a_latency_that_never_differs_is_known() {
    let run = [
        "run",
        "openexpress",
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--time_based",
        "--runtime=1",
        "--until=converged",
        "--output-format=json",
    ];
    let report = json(&mut crate::program::firmament(run));
    let stage = &report["firmament"]["precision"][0];
    assert_eq!(stage["converged"], true, "{stage}");
    assert_eq!(stage["figures"][0]["half_width"], 0.0, "{stage}");
}

#[test]
fn means_over_seeds_are_those_of_runs_with_each() {
    let options = ["--output-format=json", "--number_ios=200"];
    let alone = |seed: u64| json(short_run(&options).arg(format!("--seed={seed}")));
    let runs = [5, 6, 7].map(alone);
    let together = json(short_run(&options).args(["--seed=5", "--seeds=3"]));
    assert_eq!(together["jobs"], runs[0]["jobs"]);
    let over = &together["firmament"]["over_seeds"];
    assert_eq!(over["seeds"], serde_json::json!([5, 6, 7]));
    let figure = over["figures"]
        .as_array()
        .unwrap()
        .iter()
        .find(|figure| figure["direction"] == "read" && figure["figure"] == "mean");
    let figure = figure.unwrap();
    let means = runs.map(|run| run["jobs"][0]["read"]["clat_ns"]["mean"].as_f64().unwrap());
    let mean = means.iter().sum::<f64>() / 3.0;
    assert!((figure["value"].as_f64().unwrap() / mean - 1.0).abs() < 1e-6, "{figure} {means:?}");
    // 4.303 is Student's t of 97.5 % with two degrees of freedom.
    let squares: f64 = means.iter().map(|own| (own - mean).powi(2)).sum();
    let width = 4.3027 * (squares / 2.0 / 3.0).sqrt();
    assert!((figure["half_width"].as_f64().unwrap() / width - 1.0).abs() < 1e-3, "{figure}");
    assert!(width > 0.0, "seeds differ");
}
