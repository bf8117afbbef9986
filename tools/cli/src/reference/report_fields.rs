//! Fields of JSON reports, from their schema.

use serde_json::{Map, Value};

/// The schema that tests hold reports against.
const SCHEMA: &str = include_str!("../../../../docs/spec/report.schema.json");

/// What the end of a field's name says of its unit.
const ENDS: [(&str, &str); 4] =
    [("_ps", "picoseconds"), ("_ns", "nanoseconds"), ("_ms", "milliseconds"), ("_s", "seconds")];

/// What a word of a field's name says of its unit.
const WORDS: [(&str, &str); 3] = [("bytes", "bytes"), ("pages", "pages"), ("blocks", "blocks")];

/// A section for the report, and one for each object that has a name in the schema.
pub fn sections() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).expect("a test reads the schema");
    let mut text = section("The report", &schema);
    let named = schema["$defs"].as_object().expect("the schema has definitions");
    for (name, definition) in named {
        text.push('\n');
        text += &section(&format!("`{name}`"), definition);
    }
    text
}

fn section(heading: &str, object: &Value) -> String {
    let mut rows = Vec::new();
    fields("", object, &mut rows);
    let mut text = format!("### {heading}\n\n");
    if let Some(description) = object["description"].as_str() {
        text += &format!("{description}\n\n");
    }
    if rows.is_empty() {
        text += &format!("{}.\n", capital(&kind(object)));
        return text;
    }
    text += "| Field | Type | Unit | Meaning |\n|---|---|---|---|\n";
    for Row { path, kind, unit, meaning } in rows {
        text += &format!("| `{path}` | {kind} | {unit} | {meaning} |\n");
    }
    text
}

/// A field, described.
struct Row {
    /// From the object of the section: dots before fields, `[]` behind lists.
    path: String,
    kind: String,
    unit: &'static str,
    meaning: String,
}

/// The fields of an object and, of those that are objects themselves, theirs.
fn fields(path: &str, object: &Value, rows: &mut Vec<Row>) {
    if let Some(properties) = object["properties"].as_object() {
        for (name, field) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let mut meaning = field["description"].as_str().unwrap_or_default().to_owned();
            if !is_required(object, name) {
                meaning += if meaning.is_empty() { "May be absent." } else { " May be absent." };
            }
            rows.push(Row { kind: kind(field), unit: unit(name), meaning, path: path.clone() });
            fields(&path, field, rows);
        }
    }
    if object["items"].is_object() {
        fields(&format!("{path}[]"), &object["items"], rows);
    }
    if object["additionalProperties"].is_object() {
        fields(&format!("{path}.*"), &object["additionalProperties"], rows);
    }
    for choice in object["anyOf"].as_array().into_iter().flatten() {
        fields(path, choice, rows);
    }
}

fn is_required(object: &Value, name: &str) -> bool {
    object["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
}

fn unit(name: &str) -> &'static str {
    let end = ENDS.iter().find(|(end, _)| name.ends_with(end));
    let word = WORDS.iter().find(|(word, _)| name.split('_').any(|part| part == *word));
    end.or(word).map_or("", |(_, unit)| unit)
}

/// What a value is, in words; definitions as links to their sections.
fn kind(value: &Value) -> String {
    let Some(value) = value.as_object() else { return "anything".to_owned() };
    if let Some(definition) = value.get("$ref").and_then(Value::as_str) {
        return referred(definition);
    }
    if let Some(choices) = value.get("anyOf").and_then(Value::as_array) {
        return alternatives(choices.iter().map(kind));
    }
    if let Some(words) = value.get("enum").and_then(Value::as_array) {
        return alternatives(words.iter().map(|word| match word {
            Value::String(word) => format!("`{word}`"),
            other => other.to_string(),
        }));
    }
    match value.get("type") {
        Some(Value::String(one)) => typed(one, value),
        Some(Value::Array(several)) => {
            alternatives(several.iter().filter_map(Value::as_str).map(|one| typed(one, value)))
        }
        _ => "anything".to_owned(),
    }
}

/// A definition, or a field of one, to which the schema refers.
fn referred(definition: &str) -> String {
    if definition == "#" {
        return "[the report](#the-report)".to_owned();
    }
    let path = definition.trim_start_matches("#/$defs/");
    match path.split_once("/properties/") {
        None => format!("[{path}](#{path})"),
        Some((owner, field)) => format!("as `{field}` of [{owner}](#{owner})"),
    }
}

/// What a value of this type is.
fn typed(name: &str, value: &Map<String, Value>) -> String {
    match name {
        "array" => match (value.get("prefixItems").and_then(Value::as_array), value.get("items")) {
            (Some(members), _) => {
                let members: Vec<String> = members.iter().map(kind).collect();
                format!("list of {}", members.join(" and "))
            }
            (None, Some(items)) if items.is_object() => format!("list of {}", kind(items)),
            _ => "list".to_owned(),
        },
        "object" => match value.get("additionalProperties") {
            Some(each) if each.is_object() => format!("object of {} by name", kind(each)),
            _ => "object".to_owned(),
        },
        "string" => "text".to_owned(),
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => other.to_owned(),
    }
}

fn alternatives(kinds: impl Iterator<Item = String>) -> String {
    kinds.collect::<Vec<String>>().join(" or ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_has_a_section_and_no_field_of_it_is_left_out() {
        let (text, schema) = (sections(), serde_json::from_str::<Value>(SCHEMA).unwrap());
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            let section = text.split(&format!("### `{name}`\n")).nth(1).unwrap();
            let section = section.split("\n### ").next().unwrap();
            for field in definition["properties"].as_object().into_iter().flatten() {
                assert!(section.contains(&format!("| `{}` |", field.0)), "{name}: {}", field.0);
            }
        }
    }

    #[test]
    fn types_and_units_are_in_words() {
        let text = sections();
        for row in [
            "| `processor.cores[].busy` | number |",
            "| `provenance` | [provenance](#provenance) or null |",
            "| `monitor_interval_ps` | whole number or null | picoseconds |",
            "| `way_utilization` | list of list of number |",
            "| `host_bytes_read` | whole number | bytes |",
            "| `gc_pages_moved` | whole number | pages |",
            "| `requests_per_cpu_second` | number |  |",
        ] {
            assert!(text.contains(row), "{row}");
        }
    }
}
