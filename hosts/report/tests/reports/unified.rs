//! Jobs whose directions are reported together (`unified_rw_reporting`), as fio 3.33 has it.

use crate::{json_of, normal_of, sample};
use report::{Direction, JsonForm, LatencySearch, RunResult, TerseVersion, Unified};
use serde_json::{json, Value};

/// A job that reads and writes.
fn mix(unified: Unified) -> RunResult {
    let mut run = sample::large();
    let is_mix = |job: &report::JobResult| {
        [Direction::Read, Direction::Write].iter().all(|&way| job.active(way).is_some())
    };
    run.jobs.retain(is_mix);
    run.jobs.truncate(1);
    run.jobs[0].unified = unified;
    run
}

fn parsed(run: &RunResult) -> Value {
    serde_json::from_str(&json_of(run, JsonForm::Plus)).unwrap()
}

fn ios(run: &RunResult) -> (u64, u64) {
    let [read, write] = [Direction::Read, Direction::Write];
    (run.jobs[0].active(read).unwrap().ios, run.jobs[0].active(write).unwrap().ios)
}

#[test]
fn the_sum_stands_in_place_of_directions_or_behind_them() {
    let keys = |run: &RunResult| -> Vec<String> {
        let names = ["read", "write", "trim", "sync", "mixed"];
        let report = parsed(run);
        let job = report["jobs"][0].as_object().unwrap();
        job.keys().filter(|key| names.contains(&key.as_str())).cloned().collect()
    };
    assert_eq!(keys(&mix(Unified::None)), ["read", "write", "trim", "sync"]);
    assert_eq!(keys(&mix(Unified::Mixed)), ["mixed"]);
    assert_eq!(keys(&mix(Unified::Both)), ["read", "write", "trim", "sync", "mixed"]);
    let report = parsed(&mix(Unified::Both));
    let job = &report["jobs"][0];
    let number = |way: &str, key: &str| job[way][key].as_u64().unwrap();
    for key in ["total_ios", "io_bytes"] {
        assert_eq!(number("mixed", key), number("read", key) + number("write", key), "{key}");
    }
    let edge = |way: &str, key: &str| job[way]["clat_ns"][key].as_u64().unwrap();
    assert_eq!(edge("mixed", "max"), edge("read", "max").max(edge("write", "max")));
    assert_eq!(edge("mixed", "N"), number("mixed", "total_ios"));
    // A report of sums alone is still seen to have bins.
    let mixed = parsed(&mix(Unified::Mixed));
    assert_eq!(JsonForm::of(&mixed), JsonForm::Plus);
    assert_eq!(mixed["jobs"][0]["mixed"], job["mixed"]);
}

#[test]
fn text_has_lines_of_the_sum() {
    let starts = |run: &RunResult, heads: [&str; 6]| {
        let text = normal_of(run);
        heads.map(|head| text.lines().filter(|line| line.starts_with(head)).count())
    };
    let heads = ["  read:", "  write:", "  mixed:", "   READ:", "  WRITE:", "  MIXED:"];
    assert_eq!(starts(&mix(Unified::None), heads), [1, 1, 0, 1, 1, 0]);
    assert_eq!(starts(&mix(Unified::Mixed), heads), [0, 0, 1, 0, 0, 1]);
    assert_eq!(starts(&mix(Unified::Both), heads), [1, 1, 1, 1, 1, 1]);
    let (reads, writes) = ios(&mix(Unified::Mixed));
    let total = |run: &RunResult, rwts: String| normal_of(run).contains(&format!("total={rwts},"));
    assert!(total(&mix(Unified::Mixed), format!("{},0,0", reads + writes)));
    assert!(total(&mix(Unified::Both), format!("{reads},{writes},0")));
}

/// Fields as fio 3.33 wrote them, by version.
#[test]
fn terse_lines_have_the_sum_behind_the_directions() {
    let rows = [
        (TerseVersion::V2, 41, 3, 4),
        (TerseVersion::V3, 41, 2, 5),
        (TerseVersion::V4, 41, 3, 5),
        (TerseVersion::V5, 47, 3, 5),
    ];
    for (version, each, directions, head) in rows {
        for (unified, count) in
            [(Unified::None, directions), (Unified::Mixed, 1), (Unified::Both, directions + 1)]
        {
            let mut out = Vec::new();
            report::write_terse(&mix(unified), version, &mut out).unwrap();
            let line = String::from_utf8(out).unwrap();
            let expected = head + count * each + 34;
            assert_eq!(line.split(';').count(), expected, "{version:?} {unified:?}");
        }
    }
}

#[test]
fn a_search_for_a_depth_is_told_in_fio_units() {
    let mut run = sample::small();
    run.jobs[0].latency_search = Some(LatencySearch {
        target_ps: 5_000_000_000,
        window_ps: 20_000_000_000,
        percentile: 99.5,
        depth: 24,
    });
    let line = "     latency   : target=5000000, window=20000, percentile=99.50%, depth=24\n";
    assert!(normal_of(&run).contains(line));
    let job = &parsed(&run)["jobs"][0];
    let found = ["latency_depth", "latency_target", "latency_percentile", "latency_window"];
    let found = found.map(|key| job[key].clone());
    assert_eq!(found, [json!(24), json!(5_000_000), json!(99.5), json!(20_000)]);
}
