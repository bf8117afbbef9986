//! Reports that were written earlier: drawn, and put beside each other.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{firmament, short_run, stdout};

/// A folder with three reports, and the page and the text of the first.
fn reported() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = short_run(more);
        command.current_dir(&directory).assert().success();
    };
    let monitored = ["--monitor=m.jsonl", "--monitor-interval=500us"];
    run(&[&["--json=a.json", "--html=a.html", "--output=a.txt"], &monitored[..]].concat());
    run(&["--json=b.json", "--seed=2"]);
    run(&["--json=c.json", "--set", "flash.t_read_slc_us=990"]);
    directory
}

#[test]
fn a_report_is_drawn_later_as_it_was_drawn_at_once() {
    let directory = reported();
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    let draw = ["report", "a.json", "--html=later.html"];
    firmament(draw).current_dir(&directory).assert().success().stdout("");
    // Figures of speed are rounded in JSON.
    let steady = |page: &str| -> String {
        let speed = ["<dt>Real time</dt>", "<dt>Requests a CPU second</dt>"];
        let piece = |piece: &str| !speed.iter().any(|figure| piece.contains(figure));
        page.split("<div>").filter(|text| piece(text)).collect()
    };
    assert!(steady(&read("later.html")) == steady(&read("a.html")), "the pages differ");
    let text = stdout(firmament(["report", "a.json"]).current_dir(&directory));
    let steady = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("  Speed:")).map(str::to_owned).collect()
    };
    assert_eq!(steady(&text), steady(&read("a.txt")));
}

#[test]
fn reports_stand_beside_each_other() {
    let directory = reported();
    let compare = ["compare", "a.json", "b.json", "c.json", "--html=page.html"];
    let text = stdout(firmament(compare).current_dir(&directory));
    for line in [
        "A: a.json (small, command line, seed 1)",
        "B: b.json (small, command line, seed 2)",
        "  seed: A 1, B 2, C 1",
        "job1 read:",
        "job1 write:",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }
    assert!(text.contains("  flash.t_read_slc_us: A "), "{text}");
    assert!(!text.contains("geometry.channels"), "what is equal is left out\n{text}");
    for figure in ["IOPS", "bandwidth", "clat mean", "clat p99.9", "write amplification"] {
        let row = |line: &&str| line.starts_with(&format!("  {figure} "));
        assert_eq!(text.lines().filter(row).count(), 2, "{figure} of reads and of writes\n{text}");
    }
    let mean = text.lines().find(|line| line.starts_with("  clat mean")).unwrap();
    let change = mean.rsplit_once('+').unwrap().1.trim_end_matches(" %");
    assert!(change.parse::<f64>().unwrap() > 20.0, "ten times the read latency: {mean}");

    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.len() < 2 << 20);
    for text in ["<td>seed</td>", "<option value=\"0\">job1 read</option>", "c.json"] {
        assert!(page.contains(text), "{text}");
    }
    let data = page.split("<script type=\"application/json\">").nth(1).unwrap();
    let chart: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let names: Vec<_> = chart["lines"].as_array().unwrap().iter().map(|l| &l["name"]).collect();
    assert_eq!(names[..3], ["A: job1 read", "B: job1 read", "C: job1 read"]);
    // A plot of each figure of reads and of writes, and for each of three reports two distributions and, for reads and writes,
    // the course of bandwidth, mean and longest latency.
    assert_eq!(page.matches("<figure class=\"plot\"").count(), 2 * 7 + 3 * (2 + 2 * 3));
    for panel in [
        "job1 read clat p99.9, us",
        "B: job1 write: share at most this long, %",
        "C: read: bandwidth, MB/s",
    ] {
        assert!(page.contains(&format!("aria-label=\"{panel}\"")), "{panel}");
    }
    let compare = ["compare", "a.json", "b.json", "--html=two.html"];
    firmament(compare).current_dir(&directory).assert().success();
    let two = fs::read_to_string(directory.path().join("two.html")).unwrap();
    assert!(
        two.contains("Figures beside each other") && !two.contains("One report after the other")
    );
}

/// Each report's own interval stands on its bar.
#[test]
fn bars_of_reports_with_seeds_have_intervals() {
    let directory = tempfile::tempdir().unwrap();
    for (name, more) in
        [("a.json", &["--seeds=3"][..]), ("b.json", &["--seeds=3", "--seed=7"]), ("c.json", &[])]
    {
        let file = format!("--json={name}");
        short_run(&[more, &[&file]].concat()).current_dir(&directory).assert().success();
    }
    let lines = |other: &str| {
        let compare = ["compare", "a.json", other, "--html=page.html"];
        firmament(compare).current_dir(&directory).assert().success();
        let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
        let panel = page.split("aria-label=\"job1 read p99, us\"").nth(1);
        panel.map(|panel| {
            let panel = panel.split("</figure>").next().unwrap();
            panel.matches("<line").count() + panel.matches("<polyline").count()
        })
    };
    let with = lines("b.json").expect("figures over seeds have a plot");
    assert!(with > 2 * 3, "{with}");
    // A report of one seed has no interval, and other figures are drawn.
    assert_eq!(lines("c.json"), None);
}

#[test]
fn equal_runs_differ_in_nothing() {
    let directory = reported();
    let text = stdout(firmament(["compare", "a.json", "a.json"]).current_dir(&directory));
    assert!(text.contains("What was not the same:\n  nothing\n"), "{text}");
    assert!(text.contains(" +0.0 %") && !text.contains("-0.0 %"), "{text}");
}

/// A board whose reads take ten times as long, one that is equal, and one report with a seed that the others have not.
#[test]
fn reports_with_the_same_seeds_are_compared_seed_by_seed() {
    let directory = tempfile::tempdir().unwrap();
    for (name, more) in [
        ("a.json", &["--seeds=4"][..]),
        ("slow.json", &["--seeds=4", "--set", "flash.t_read_slc_us=990"]),
        ("other.json", &["--seeds=4", "--seed=2"]),
        ("alone.json", &["--seed=9"]),
    ] {
        let file = format!("--json={name}");
        short_run(&[more, &[&file]].concat()).current_dir(&directory).assert().success();
    }
    let compare = |more: &[&str]| {
        let mut command = firmament([&["compare", "a.json"], more].concat());
        command.current_dir(&directory).assert()
    };
    let told = compare(&["slow.json", "other.json", "--html=page.html"]).success();
    let text = String::from_utf8(told.get_output().stdout.clone()).unwrap();
    assert!(text.contains("B against A with the same 4 seeds;"), "{text}");
    assert!(text.contains("C against A with the same 3 seeds;"), "{text}");
    let means: Vec<&str> = text.lines().filter(|line| line.contains("job1 read mean ")).collect();
    let [slow, other] = means[..] else { panic!("{text}") };
    assert!(!slow.contains("no difference shown") && slow.contains(" +"), "{slow}");
    assert!(other.contains(" +0.00 ± 0.00 %"), "the same board and seeds: {other}");
    assert!(other.ends_with("no difference shown"), "{other}");
    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.contains("B against A, seed by seed"), "the table of seeds");
    assert!(page.contains("1, the first of 4") && text.contains("seed 1, the first of 4)"));
    // Percentiles, and the cause in which the slow chips show; what is hardly there has no line.
    for figure in ["p50", "p99.9", "flash busy"] {
        let row = text.lines().find(|line| line.contains(&format!("job1 read {figure} ")));
        let row = row.unwrap_or_else(|| panic!("{figure}: {text}"));
        assert!(row.contains(" +") && !row.contains("no difference shown"), "{row}");
    }
    compare(&["slow.json", "--fail-if=read p50>20%"]).code(1);

    compare(&["slow.json", "--fail-if=read mean<1%", "--fail-if", "read rate>0%"]).success();
    let line = compare(&["slow.json", "--fail-if=read mean>20%"]).code(1);
    line.stderr(
        contains("slow.json: job1 read mean differs by +").and(contains("expected at most +20 %")),
    );
    // One seed each, and none in common: means are told, and no interval.
    compare(&["alone.json", "--fail-if=read mean>50%"]).success();
    compare(&["alone.json", "--fail-if=read p98>1%"])
        .code(2)
        .stderr(contains("--fail-if: found \"read p98\", expected words of a figure that both reports have: job1 read rate, "));
    compare(&["alone.json", "--fail-if=p99"])
        .code(2)
        .stderr(contains("found \"p99\", expected words of a figure"));
}

#[test]
fn what_is_no_report_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("no.json"), "{}").unwrap();
    fs::write(directory.path().join("old.json"), "{\"firmament\": {\"board\": \"small\"}}")
        .unwrap();
    for (file, said) in [
        ("no.json", "no.json: firmament: found nothing, expected a JSON report"),
        ("old.json", "old.json: data: found nothing, expected a JSON report"),
        ("none.json", "none.json: found No such file"),
    ] {
        for command in [&["compare", file, file][..], &["report", file], &["rerun", file]] {
            let said =
                said.replace("data:", if command[0] == "rerun" { "provenance:" } else { "data:" });
            let one_line = |text: &str| text.matches('\n').count() == 1;
            let told = contains(said).and(predicate::function(one_line));
            firmament(command).current_dir(&directory).assert().code(2).stderr(told);
        }
    }
    firmament(["compare", "no.json"]).assert().code(2);
}
