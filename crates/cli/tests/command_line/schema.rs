//! The published schema of JSON reports, held against real ones.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{json, Value};

use crate::program::{json, short_run};

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/report.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

/// Where `report` breaks the schema, and how.
fn faults(validator: &Validator, report: &Value) -> Vec<String> {
    let faults = validator.iter_errors(report);
    faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

#[test]
fn the_schema_is_one() {
    jsonschema::draft202012::meta::validate(&schema()).unwrap();
}

#[test]
fn reports_keep_the_schema() {
    let directory = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 6] = [
        &["--output-format=json"],
        &["--output-format=json+", "--fsync=16", "--group_reporting", "--numjobs=2"],
        &["--output-format=json", "--monitor=m.jsonl", "--monitor-interval=500us"],
        &["--output-format=json", "--set", "processor.clock_mhz=500", "--precondition=none"],
        &["--output-format=json", "--name=b", "--rw=trim", "--bs=1m", "--size=2m"],
        &["--output-format=json", "--name=b", "--stonewall", "--rw=write", "--payload=full"],
    ];
    let validator = validator();
    for more in cases {
        let report = json(short_run(more).current_dir(&directory));
        assert_eq!(faults(&validator, &report), [] as [String; 0], "{more:?}");
    }
}

#[test]
fn no_key_may_come_that_the_schema_does_not_name() {
    let (validator, report) = (validator(), json(short_run(&[]).arg("--output-format=json")));
    let mut places = Vec::new();
    objects(&report["firmament"], "/firmament".to_owned(), &mut places);
    // Modules and percentiles go by names that the schema does not list.
    places.retain(|place| !["/modules", "/percentile"].iter().any(|end| place.ends_with(end)));
    assert!(places.len() > 40, "{places:?}");
    for place in places {
        let mut changed = report.clone();
        changed.pointer_mut(&place).unwrap()["new_key"] = json!(1);
        assert!(!validator.is_valid(&changed), "{place} takes any key");
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
