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

/// What the first seed did is told, whatever comes of the others.
#[test]
fn the_report_of_the_first_seed_outlasts_the_failure_of_another() {
    let longest = |seed: u64| {
        let run = json(short_run(&["--output-format=json"]).arg(format!("--seed={seed}")));
        let of =
            |direction: &str| run["jobs"][0][direction]["clat_ns"]["max"].as_u64().unwrap_or(0);
        of("read").max(of("write"))
    };
    let (seed, limit) = (1..)
        .map(|seed| (seed, longest(seed), longest(seed + 1)))
        .find(|(_, first, second)| first + 2_000 < *second)
        .map(|(seed, first, _)| (seed, first + 1_000))
        .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let limit = format!("--max_latency={}us", limit.div_ceil(1_000));
    let mut run = short_run(&["--seeds=2", "--json=r.json", &limit]);
    run.arg(format!("--seed={seed}")).current_dir(&directory);
    run.assert().code(1).stderr(contains(format!("seed {}: ", seed + 1)));
    let text = std::fs::read_to_string(directory.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["firmament"].get("over_seeds"), None);
}

/// Jobs of one name have figures of their own.
#[test]
fn clones_are_told_apart_over_seeds() {
    let options = ["--output-format=json", "--number_ios=100", "--numjobs=2", "--seeds=2"];
    let alone = |seed: u64| json(short_run(&options[..3]).arg(format!("--seed={seed}")));
    let runs = [5, 6].map(alone);
    let together = json(short_run(&options).arg("--seed=5"));
    let figures = together["firmament"]["over_seeds"]["figures"].as_array().unwrap();
    let means: Vec<f64> = figures
        .iter()
        .filter(|figure| figure["direction"] == "read" && figure["figure"] == "mean")
        .map(|figure| figure["value"].as_f64().unwrap())
        .collect();
    let of_clone = |nth: usize| -> f64 {
        runs.iter().map(|run| run["jobs"][nth]["read"]["clat_ns"]["mean"].as_f64().unwrap()).sum()
    };
    let expected = [of_clone(0) / 2.0, of_clone(1) / 2.0];
    assert_eq!(means.len(), 2, "{figures:?}");
    assert_ne!(expected[0], expected[1], "clones differ");
    for (mean, expected) in means.iter().zip(expected) {
        assert!((mean / expected - 1.0).abs() < 1e-6, "{means:?} {expected:?}");
    }
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
