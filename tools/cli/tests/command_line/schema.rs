//! The published schema of JSON reports, held against real ones.

use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas, ValidationError};
use serde_json::{json, Value};

use crate::program::{json, short_run};

/// The schema, which is itself valid, ready to be held against reports.
struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn new() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/report.schema.json");
        let text = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("report.schema.json", text).unwrap();
        let index = compiler.compile("report.schema.json", &mut schemas);
        Schema { index: index.unwrap_or_else(|error| panic!("{error:#}")), schemas }
    }

    /// Where `report` breaks the schema, and how.
    fn faults(&self, report: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        if let Err(error) = self.schemas.validate(report, self.index) {
            leaves(&error, &mut faults);
        }
        faults
    }
}

/// The errors that have no other as their cause.
fn leaves(error: &ValidationError<'_, '_>, faults: &mut Vec<String>) {
    if error.causes.is_empty() {
        faults.push(format!("{}: {}", error.instance_location, error.kind));
    }
    error.causes.iter().for_each(|cause| leaves(cause, faults));
}

#[test]
fn reports_keep_the_schema() {
    let directory = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 10] = [
        &["--output-format=json"],
        &["--output-format=json", "--precondition=steady-run"],
        &["--output-format=json+", "--fsync=16", "--group_reporting", "--numjobs=2"],
        &["--output-format=json", "--monitor=m.jsonl", "--monitor-interval=500us"],
        &["--output-format=json", "--set", "processor.clock_mhz=500", "--precondition=none"],
        &["--output-format=json", "--name=b", "--rw=trim", "--bs=1m", "--size=2m"],
        &["--output-format=json", "--name=b", "--stonewall", "--rw=write", "--payload=full"],
        &["--output-format=json", "--until=converged:error=10%,of=mean+p50+waf", "--loops=50"],
        &["--output-format=json", "--until=converged", "--seeds=2"],
        &[
            "--output-format=json",
            "--set=nvme.command_set=open-channel",
            "--set=flash.metadata_bytes=36",
        ],
    ];
    let schema = Schema::new();
    for more in cases {
        let report = json(short_run(more).current_dir(&directory));
        assert_eq!(schema.faults(&report), [] as [String; 0], "{more:?}");
    }
}

#[test]
fn reports_of_replays_keep_the_schema() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("t.txt"), "0 0 0 8 1\n5000 0 8 8 0\n").unwrap();
    let mut replay = crate::program::firmament([
        "replay",
        "small",
        "t.txt",
        "--speed=2x",
        "--output-format=json",
    ]);
    let report = json(replay.current_dir(&directory));
    assert_eq!(Schema::new().faults(&report), [] as [String; 0]);
}

/// A run that tells how well its figures are known.
fn known() -> assert_cmd::Command {
    short_run(&["--output-format=json", "--until=converged", "--seeds=2"])
}

#[test]
fn no_key_may_come_that_the_schema_does_not_name() {
    let (schema, report) = (Schema::new(), json(&mut known()));
    let mut places = Vec::new();
    objects(&report["firmament"], "/firmament".to_owned(), &mut places);
    // Modules and percentiles go by names that the schema does not list.
    places.retain(|place| !["/modules", "/percentile"].iter().any(|end| place.ends_with(end)));
    assert!(places.len() > 40, "{places:?}");
    for place in places {
        let mut changed = report.clone();
        changed.pointer_mut(&place).unwrap()["new_key"] = json!(1);
        assert!(!schema.faults(&changed).is_empty(), "{place} takes any key");
    }
}

/// Pointers to all objects in `value`, of lists to those in the first element.
fn objects(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                objects(field, format!("{at}/{}", key.replace('/', "~1")), places);
            }
            places.push(at);
        }
        Value::Array(list) => {
            if let Some(first) = list.first() {
                objects(first, format!("{at}/0"), places);
            }
        }
        _ => {}
    }
}
