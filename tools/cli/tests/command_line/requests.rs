//! All requests of a run in a file.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use predicates::str::contains;
use serde_json::Value;

use crate::program::short_run;

/// Requests that a file of Parquet has, each as values by name.
fn rows(path: &std::path::Path) -> Vec<Vec<(String, Field)>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let owned = |row: parquet::record::Row| {
        row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()
    };
    rows.map(|row| owned(row.unwrap())).collect()
}

#[test]
fn requests_are_those_of_the_report_with_their_causes() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["r.parquet", "r.csv"] {
        let file = format!("--requests={name}");
        let mut command = short_run(&[&file, "--json=r.json", "--name=a, \"b\""]);
        command.current_dir(&directory).assert().success();
    }
    let report = fs::read_to_string(directory.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let rows = rows(&directory.path().join("r.parquet"));
    let number = |row: &[(String, Field)], name: &str| {
        let found = row.iter().find(|(own, _)| own == name);
        match found.map(|(_, field)| field) {
            Some(Field::ULong(value)) => *value,
            other => panic!("{name}: {other:?}"),
        }
    };
    for direction in ["read", "write"] {
        let told = &report["jobs"][0][direction];
        let word = Field::Str(direction.to_owned());
        let own: Vec<_> = rows.iter().filter(|row| row[1].1 == word).collect();
        assert_eq!(own.len() as u64, told["total_ios"].as_u64().unwrap());
        let longest = own.iter().map(|row| number(row, "clat_ps")).max().unwrap();
        assert_eq!(longest / 1000, told["clat_ns"]["max"].as_u64().unwrap());
    }
    for row in &rows {
        assert_eq!(row[0].1, Field::Str("a, \"b\"".to_owned()));
        let causes = row[7..].iter().map(|(name, _)| number(row, name));
        assert_eq!(causes.sum::<u64>(), number(row, "clat_ps"));
    }
    let csv = fs::read_to_string(directory.path().join("r.csv")).unwrap();
    let head: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(csv.lines().next(), Some(&*head.join(",")));
    assert_eq!(csv.lines().count(), 1 + rows.len());
    let first = csv.lines().nth(1).unwrap();
    let numbers: Vec<String> =
        rows[0][2..].iter().map(|(name, _)| number(&rows[0], name).to_string()).collect();
    let Field::Str(direction) = &rows[0][1].1 else { panic!("a word") };
    assert_eq!(first, format!("\"a, \"\"b\"\"\",{direction},{}", numbers.join(",")));
}

#[test]
fn keeping_requests_changes_nothing_and_files_are_checked_first() {
    let directory = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = short_run(more);
        command.current_dir(&directory);
        command
    };
    run(&["--json=plain.json"]).assert().success();
    run(&["--json=kept.json", "--requests=r.csv", "--causes=none"]).assert().success();
    let jobs = |name: &str| -> Value {
        let text = fs::read_to_string(directory.path().join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["jobs"].take()
    };
    assert_eq!(jobs("plain.json"), jobs("kept.json"));
    let csv = fs::read_to_string(directory.path().join("r.csv")).unwrap();
    let head = "job,direction,end_ps,offset_bytes,length_bytes,slat_ps,clat_ps";
    assert_eq!(csv.lines().next(), Some(head));
    for (file, line) in [
        ("r.txt", "--requests: found r.txt, expected a file that ends in .parquet or .csv"),
        ("none/r.csv", "none/r.csv: found"),
    ] {
        let more = format!("--requests={file}");
        run(&[&more]).assert().code(2).stderr(contains(line));
    }
    let twice = ["--requests=same.csv", "--output=same.csv"];
    run(&twice).assert().code(2).stderr(contains("expected a file for each report"));
}
