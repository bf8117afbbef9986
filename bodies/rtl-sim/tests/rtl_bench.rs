//! The program `rtl-bench`, in short: it measures everything once, in a small way.

use serde_json::Value;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Small runs do worse, but nothing stands still, and out of order is never behind.
const SHARE: RangeInclusive<f64> = 0.3..=1.001;
const GAIN: RangeInclusive<f64> = 1.0..=10.0;
/// Cycles of a command among others, and of one alone, do not depend on how long a run is.
const CYCLES: RangeInclusive<f64> = 1.0..=40.0;
const CYCLES_ALONE: RangeInclusive<f64> = 1.0..=100.0;

/// Figures with keys of their own, and what they may be.
const KEYS: [(&str, RangeInclusive<f64>); 10] = [
    ("ocowfc_read_util", SHARE),
    ("ocowfc_program_of_limit", SHARE),
    ("cosmos_read_util", SHARE),
    ("ozone_util_8chips", SHARE),
    ("ozone_gain_vs_decoupled", GAIN),
    ("ozone_gain_vs_sequential", GAIN),
    ("nvme_read_4k_of_link", SHARE),
    ("nvme_write_4k_of_link", SHARE),
    ("nvme_cycles_per_command", CYCLES),
    ("nvme_qd1_overhead_cycles", CYCLES_ALONE),
];

fn rtl_bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rtl-bench"));
    // Counting what its many small models reached would take longer than running them.
    command.args(arguments).env_remove("RTL_COVERAGE");
    command.output().expect("the program starts")
}

fn directory(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn every_figure_is_measured_and_stands_beside_its_bound() {
    let out = directory("rtl-bench");
    let _ = fs::remove_dir_all(&out);
    let output = rtl_bench(&["--quick", "--out", &out.to_string_lossy()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(out.join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    for (key, range) in KEYS {
        let value = report[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", report[key]));
        assert!(range.contains(&value), "{key}: found {value}, expected {range:?}");
    }
    let tables = report["tables"].as_object().expect("tables");
    let printed = String::from_utf8_lossy(&output.stdout);
    for (title, rows) in tables {
        assert!(printed.contains(&format!("### {title}\n")), "{title} was not printed");
        let rows = rows.as_object().expect("rows");
        assert!(!rows.is_empty(), "{title}");
        for figure in rows.values().flat_map(|row| row.as_object().expect("figures").values()) {
            let value = figure["value"].as_f64().expect("a value");
            let above = figure["at_most"].as_f64().is_some_and(|most| value > most * 1.001);
            let below = figure["at_least"].as_f64().is_some_and(|least| value < least);
            assert!(!above && !below, "{title}: {figure}");
        }
    }
    assert_eq!(tables.len(), 11);
}

#[test]
fn a_part_is_measured_alone() {
    let out = directory("rtl-bench-part");
    let _ = fs::remove_dir_all(&out);
    let output = rtl_bench(&["--quick", "--only", "cosmos", "--out", &out.to_string_lossy()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(out.join("report-cosmos.json")).expect("a report of the part");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert!(report["cosmos_read_util"].is_f64(), "{report}");
    assert!(report["ozone_util_8chips"].is_null(), "{report}");
    assert!(!out.join("report.json").exists(), "a part is no whole report");
}

#[test]
fn bad_arguments_are_told_in_a_line() {
    for (arguments, told) in [
        (
            &["--fast"][..],
            "rtl-bench: found \"--fast\", expected --quick, --only <part> or --out <directory>\n",
        ),
        (
            &["--only", "nvme"][..],
            "rtl-bench: --only: found \"nvme\", expected one of ocowfc, cosmos, ozone, host\n",
        ),
        (&["--quick", "--out"][..], "rtl-bench: --out: found nothing, expected a directory\n"),
    ] {
        let output = rtl_bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), told);
        assert!(output.stdout.is_empty());
    }
}
