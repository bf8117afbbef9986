//! Whether two JSON reports say the same.

use crate::json_firmament::SPEED_KEYS;
use serde_json::Value;

/// The first place at which two reports differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place, such as `$.jobs[0].read.iops`.
    pub path: String,
    /// What stands there in the first report, in short; `None` if nothing does.
    pub first: Option<String>,
    /// What stands there in the second.
    pub second: Option<String>,
}

/// Longest text of a value in a [`Difference`], in characters.
const LONGEST_TEXT: usize = 60;

/// The first place, in the order of `first`, at which two reports differ. Speed figures may differ,
/// and so may the version and the commit of the program.
pub fn first_difference(first: &Value, second: &Value) -> Option<Difference> {
    difference("$".to_owned(), Some(first), Some(second))
}

fn difference(path: String, first: Option<&Value>, second: Option<&Value>) -> Option<Difference> {
    match (first, second) {
        (Some(Value::Object(first)), Some(Value::Object(second))) => {
            let more = second.keys().filter(|key| !first.contains_key(*key));
            let compared = first.keys().chain(more).map(|key| (key, format!("{path}.{key}")));
            compared
                .filter(|(_, path)| !may_differ(path))
                .find_map(|(key, path)| difference(path, first.get(key), second.get(key)))
        }
        (Some(Value::Array(first)), Some(Value::Array(second))) => (0..first
            .len()
            .max(second.len()))
            .find_map(|nth| difference(format!("{path}[{nth}]"), first.get(nth), second.get(nth))),
        (first, second) if first == second => None,
        (first, second) => {
            Some(Difference { path, first: first.map(short), second: second.map(short) })
        }
    }
}

/// Whether equal runs may differ at `path`.
fn may_differ(path: &str) -> bool {
    let Some(key) = path.strip_prefix("$.firmament.") else { return false };
    SPEED_KEYS.contains(&key) || ["provenance.version", "provenance.commit"].contains(&key)
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_TEXT) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let report = json!({
            "jobs": [{ "iops": 1.5 }, { "iops": 2.5 }],
            "firmament": { "seed": 1, "wall_s": 1.0, "provenance": { "commit": "a", "seed": 1 } },
        });
        let cases = [
            ("/jobs/1/iops", json!(2.6), Some(("$.jobs[1].iops", "2.5", "2.6"))),
            ("/jobs/1", json!(null), Some(("$.jobs[1]", r#"{"iops":2.5}"#, "null"))),
            ("/firmament/seed", json!(2), Some(("$.firmament.seed", "1", "2"))),
            (
                "/firmament/provenance/seed",
                json!(2),
                Some(("$.firmament.provenance.seed", "1", "2")),
            ),
            ("/firmament/wall_s", json!(2.0), None),
            ("/firmament/provenance/commit", json!("b"), None),
        ];
        assert_eq!(first_difference(&report, &report), None);
        for (place, value, expected) in cases {
            let mut other = report.clone();
            *other.pointer_mut(place).unwrap() = value;
            let expected = expected.map(|(path, first, second)| Difference {
                path: path.to_owned(),
                first: Some(first.to_owned()),
                second: Some(second.to_owned()),
            });
            assert_eq!(first_difference(&report, &other), expected, "{place}");
        }
    }

    #[test]
    fn what_only_one_has_is_a_difference_either_way() {
        let (less, more) = (json!({ "a": [1] }), json!({ "a": [1, 2], "b": 3 }));
        let found = |first, second| {
            let Difference { path, first, second } = first_difference(first, second).unwrap();
            (path, first.is_some(), second.is_some())
        };
        assert_eq!(found(&less, &more), ("$.a[1]".to_owned(), false, true));
        assert_eq!(found(&more, &less), ("$.a[1]".to_owned(), true, false));
        let more = json!({ "a": [1], "wall_s": 3 });
        assert_eq!(found(&less, &more), ("$.wall_s".to_owned(), false, true));
    }
}
