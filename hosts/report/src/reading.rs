//! Takes a JSON report in again.

use crate::provenance::Provenance;
use crate::result::RunResult;
use serde::de::DeserializeOwned;
use serde_json::{json, Value};
use std::fmt;

/// Why JSON is not a report that can be used: it is of something else, or of another version of
/// Firmament. One line: place, found, expected.
#[derive(Debug)]
pub struct ReadError {
    /// The key that is not as it should be.
    key: &'static str,
    /// What is wrong with it.
    found: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, expected a JSON report of firmament run", self.key, self.found)
    }
}

impl std::error::Error for ReadError {}

/// What `report` tells of what was run.
///
/// # Errors
/// When it does not tell.
pub fn read_provenance(report: &Value) -> Result<Provenance, ReadError> {
    part(own(report)?, "provenance")
}

/// The result that `report` was written from.
///
/// # Errors
/// When it is not a JSON report of this version.
pub fn read_json(report: &Value) -> Result<RunResult, ReadError> {
    let own = own(report)?;
    let mut run: RunResult = part(&lines(own, "data"), "data")?;
    if let Some(blocks) = run.blocks.as_ref().filter(|blocks| !blocks.is_whole()) {
        let found = format!("{} cells in {} columns of blocks", blocks.cells.len(), blocks.columns);
        return Err(ReadError { key: "data", found });
    }
    let provenance: Option<Provenance> = part(own, "provenance")?;
    run.provenance = provenance;
    let speed = |key: &str| own[key].as_f64().unwrap_or(0.0);
    (run.speed.wall_s, run.speed.cpu_s) = (speed("wall_s"), speed("cpu_s"));
    Ok(run)
}

/// The object with the part under `key`, each of whose strings is one line: a name in a file that somebody made by hand may
/// look like other lines of the report.
fn lines(own: &Value, key: &str) -> Value {
    let Some(mut part) = own.get(key).cloned() else { return json!({}) };
    to_lines(&mut part);
    json!({ key: part })
}

fn to_lines(value: &mut Value) {
    match value {
        Value::String(text) => *text = foreign::one_line(text),
        Value::Array(values) => values.iter_mut().for_each(to_lines),
        Value::Object(values) => values.values_mut().for_each(to_lines),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn own(report: &Value) -> Result<&Value, ReadError> {
    let nothing = || ReadError { key: "firmament", found: "nothing".to_owned() };
    report.get("firmament").ok_or_else(nothing)
}

/// The part of the `firmament` object under `key`.
fn part<T: DeserializeOwned>(own: &Value, key: &'static str) -> Result<T, ReadError> {
    let Some(value) = own.get(key) else {
        return Err(ReadError { key, found: "nothing".to_owned() });
    };
    T::deserialize(value).map_err(|error| ReadError { key, found: error.to_string() })
}
