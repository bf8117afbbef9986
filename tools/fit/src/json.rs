//! An outcome as JSON.

use serde_json::{json, Value};

use crate::outcome::{Combined, FittedKey, Moved, Outcome, Row, Verdict};

impl Outcome {
    /// All that is known, for other programs: values of keys in their units, rates in requests a second, latencies in
    /// nanoseconds, shares as such.
    pub fn to_json(&self) -> Value {
        let [before, after] = self.differences();
        let set = self.set.iter().map(|(key, value)| json!({ "key": key, "value": value }));
        json!({
            "base": self.base,
            "set": set.collect::<Vec<_>>(),
            "files": self.files,
            "precondition": self.precondition,
            "seed": self.seed,
            "error": self.error,
            "runs": self.runs,
            "converged": self.converged,
            "intervals_widened_by": self.widened,
            "difference_before": before,
            "difference_after": after,
            "measurements": self.rows.iter().map(row).collect::<Vec<_>>(),
            "keys": self.keys.iter().map(key).collect::<Vec<_>>(),
            "combinations": self.combinations.iter().map(|own| combined(own, &self.keys)).collect::<Vec<_>>(),
        })
    }
}

fn row(row: &Row) -> Value {
    json!({
        "job": row.job,
        "direction": row.going.name(),
        "figure": row.figure.name(),
        "measured": row.measured,
        "base": row.base,
        "fitted": row.fitted,
        "difference": row.difference(),
    })
}

fn key(key: &FittedKey) -> Value {
    let (verdict, interval, group) = match key.verdict {
        Verdict::Determined { low, high } => ("determined", Some([low, high]), None),
        Verdict::Together(group) => ("together", None, Some(group)),
        Verdict::NotDetermined => ("not determined", None, None),
    };
    let moves = key
        .moves
        .as_ref()
        .map(|Moved { figure, share }| json!({ "figure": figure, "share_of_a_tenth_more": share }));
    json!({
        "keys": key.keys,
        "base": key.base,
        "fitted": key.values,
        "verdict": verdict,
        "interval": interval,
        "combination": group,
        "as_base": key.kept,
        "at_end_of_range": key.at_end,
        "moves_most": moves,
    })
}

fn combined(combined: &Combined, keys: &[FittedKey]) -> Value {
    let members: Vec<&String> = combined.members.iter().map(|nth| &keys[*nth].keys[0]).collect();
    let known = combined.combination.as_ref();
    json!({
        "keys": members,
        "is": known.map(|(text, _)| text),
        "value": known.map(|(_, [value, ..])| value),
        "interval": known.map(|(_, [_, low, high])| [low, high]),
    })
}
