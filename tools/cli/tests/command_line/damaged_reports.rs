//! Reports whose numbers somebody has changed: each is refused, or drawn and compared, and none ends with a panic.

use std::collections::BTreeSet;
use std::{fs, io};

use report::{read_json, Compared, Comparison};
use serde_json::{json, Value};

use crate::program::short_run;

/// Numbers that no run reports: the largest of each size.
fn absurd() -> [Value; 2] {
    [json!(u64::MAX), json!(u32::MAX)]
}

/// The pointers to numbers of a value, those of a list under one, with `#` in the place of what counts its elements.
fn kinds(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Number(_) => drop(found.insert(path.to_owned())),
        Value::Array(values) => {
            values.iter().for_each(|value| kinds(value, &format!("{path}/#"), found))
        }
        Value::Object(values) => {
            values.iter().for_each(|(key, value)| kinds(value, &format!("{path}/{key}"), found))
        }
        _ => {}
    }
}

/// Puts a number in the place of all of a kind.
fn damage(value: &mut Value, kind: &[&str], number: &Value) {
    match (kind, value) {
        ([], value @ Value::Number(_)) => *value = number.clone(),
        (["#", rest @ ..], Value::Array(values)) => {
            values.iter_mut().for_each(|value| damage(value, rest, number));
        }
        ([key, rest @ ..], Value::Object(values)) => {
            values.get_mut(*key).into_iter().for_each(|value| damage(value, rest, number));
        }
        _ => {}
    }
}

/// Does with a report all that can be done, as the commands `report` and `compare` do.
fn use_it(damaged: &Value, sound: &report::RunResult) {
    let Ok(run) = read_json(damaged) else { return };
    report::write_normal(&run, &mut io::sink()).unwrap();
    report::write_html(&run, &mut io::sink()).unwrap();
    let runs = [run, sound.clone()];
    let compared = ["one", "other"].into_iter().zip(&runs);
    let reports = compared.map(|(name, run)| Compared { name, run }).collect();
    let (settings, paired) = (recipe::settings(&runs), recipe::paired(&runs));
    let comparison = Comparison { reports, settings, paired };
    report::write_comparison(&comparison, &mut io::sink()).unwrap();
    report::write_comparison_html(&comparison, &mut io::sink()).unwrap();
}

#[test]
fn no_number_of_a_report_ends_in_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--seeds=2", "--monitor=m.jsonl", "--monitor-interval=1s", "--json=a.json"];
    short_run(&words).current_dir(&folder).assert().success();
    let text = fs::read_to_string(folder.path().join("a.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    // What is read back of a report.
    let mut sound = json!({ "firmament": { "version": whole["firmament"]["version"].clone() } });
    for key in ["data", "provenance", "wall_s", "cpu_s"] {
        sound["firmament"][key] = whole["firmament"][key].clone();
    }
    let read = read_json(&sound).expect("a report");
    let mut found = BTreeSet::new();
    kinds(&sound, "", &mut found);
    assert!(found.len() > 150, "{} kinds of numbers", found.len());
    let mut panicked = Vec::new();
    for kind in &found {
        let steps: Vec<&str> = kind.split('/').skip(1).collect();
        for number in &absurd() {
            let mut damaged = sound.clone();
            damage(&mut damaged, &steps, number);
            if std::panic::catch_unwind(|| use_it(&damaged, &read)).is_err() {
                panicked.push(format!("{kind}: {number}"));
            }
        }
    }
    assert!(panicked.is_empty(), "{panicked:#?}");
}
