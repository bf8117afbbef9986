//! What system calls waited for, in all reports.

use crate::{html_of, json_of, normal_of, sample};
use report::{CallWaits, Cause, JsonForm, Latency, RunResult, Waited, Waits};
use serde_json::{json, Value};

const US: u64 = 1_000_000;

/// Calls of so many microseconds each, of which the flash takes nine tenths.
fn waited(calls: u64, us: u64) -> Waited {
    let total_ps = calls * us * US;
    let mut waited = Waited { calls, total_ps, commands: 3 * calls, ..Waited::default() };
    waited.causes_ps[Cause::Flash as usize] = total_ps / 10 * 8;
    waited.causes_ps[Cause::Die as usize] = total_ps / 10;
    waited
}

fn row(file: &str, us: u64) -> CallWaits {
    let mut latency = Latency::new();
    (0..200).for_each(|_| latency.record(us * US));
    CallWaits {
        process: "sqlite3".to_owned(),
        call: "fdatasync".to_owned(),
        file: file.to_owned(),
        latency,
        all: waited(200, us),
        slowest: waited(2, us),
    }
}

/// A run with more rows than text has.
fn run() -> RunResult {
    let files = ["db-<wal>"].map(str::to_owned).into_iter();
    let files = files.chain((1..20).map(|nth| format!("file{nth}")));
    let calls = files.zip((1..).map(|nth| 1000 / nth)).map(|(file, us)| row(&file, us)).collect();
    RunResult { waits: Some(Box::new(Waits { calls, lost: 7 })), ..sample::small() }
}

#[test]
fn text_has_the_rows_of_most_time_with_the_largest_causes() {
    let text = normal_of(&run());
    let expected = "    sqlite3  fdatasync  db-<wal>       200     1000.00     1000.00   90.0%: flash busy 80.0%, waiting for the die 10.0%";
    assert!(text.lines().any(|line| line == expected), "{text}");
    assert!(text.contains("slowest         2     1000.00"), "{text}");
    assert!(text.contains("    8 more rows, of less time in sum each, are in JSON\n"), "{text}");
    assert!(text.contains("    7 calls came too fast to be told of\n"), "{text}");
    assert!(!normal_of(&sample::small()).contains("system calls"));
}

#[test]
fn json_has_all_rows_and_their_times_add_up() {
    let text = json_of(&run(), JsonForm::Plain);
    let report: Value = serde_json::from_str(&text).unwrap();
    let waits = &report["firmament"]["waits"];
    assert_eq!((waits["calls"].as_array().unwrap().len(), &waits["lost"]), (20, &json!(7)));
    let row = &waits["calls"][0];
    assert_eq!(row["latency_ns"]["N"], 200);
    let expected = json!({
        "calls": 2,
        "commands": 6,
        "total_ns": 2e6,
        "linux_ns": 2e5,
        "causes_ns": { "wait_die": 2e5, "flash_busy": 1.6e6 },
    });
    assert_eq!(row["slowest"], expected);
    let again = report::read_json(&report).unwrap();
    assert_eq!(normal_of(&again), normal_of(&run()), "a report is read as it was written");
    let without: Value = serde_json::from_str(&json_of(&sample::small(), JsonForm::Plain)).unwrap();
    assert_eq!(without["firmament"].get("waits"), None);
}

#[test]
fn the_page_has_a_bar_of_all_calls_and_of_the_slowest() {
    let page = html_of(&run());
    assert!(page.contains("What system calls waited for"));
    assert!(page.contains("sqlite3 fdatasync db-&lt;wal&gt;, slowest"), "names are escaped");
    assert!(!html_of(&sample::small()).contains("What system calls waited for"));
}
