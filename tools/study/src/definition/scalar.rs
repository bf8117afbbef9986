//! Scalars of `study.toml` as texts: names of points, values of fio options and of boards' keys.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::error::Fault;

/// A scalar as text: the name of a point.
pub(crate) fn text(key: &str, value: &Value) -> Result<String, Fault> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) if number.is_finite() => Ok(number.to_string()),
        other => Err(Fault::new(key, shown(other), "a text or a number")),
    }
}

/// fio's options.
pub(crate) fn options(job: &Table) -> Result<BTreeMap<String, String>, Fault> {
    if job.contains_key("name") {
        return Err(Fault::new("job.name", "it", "no such option: a point has one job"));
    }
    values("job", job)
}

/// fio's options of jobs, a table each: by name of the job, dot and option. Some names are those of other jobs.
pub(crate) fn jobs(tables: &Table, taken: &[&str]) -> Result<BTreeMap<String, String>, Fault> {
    let mut flat = BTreeMap::new();
    for (name, job) in tables {
        let key = format!("beside.{name}");
        if taken.contains(&name.as_str()) || name.is_empty() || name.contains('.') {
            let expected = "another name, without a dot: the name of a job that runs beside the one that is measured";
            return Err(Fault::new(&key, "it", expected));
        }
        let Value::Table(job) = job else {
            return Err(Fault::new(key, shown(job), "a table of fio's options"));
        };
        for (option, value) in options(job).map_err(|fault| fault.below(&key))? {
            flat.insert(format!("{name}.{option}"), value);
        }
    }
    Ok(flat)
}

/// Values of a table, `key`, as they would stand on a command line.
pub(crate) fn values(key: &str, table: &Table) -> Result<BTreeMap<String, String>, Fault> {
    let option = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Boolean(flag) => u8::from(*flag).to_string(),
            other => text(&format!("{key}.{name}"), other)?,
        };
        Ok((name.clone(), value))
    };
    table.iter().map(option).collect()
}

/// Values for a board, by dotted key. Sections may be tables as well.
pub(crate) fn overrides(set: &Table) -> Result<BTreeMap<String, String>, Fault> {
    let mut flat = BTreeMap::new();
    flatten(set, "", &mut flat)?;
    Ok(flat)
}

fn flatten(set: &Table, section: &str, flat: &mut BTreeMap<String, String>) -> Result<(), Fault> {
    for (name, value) in set {
        let key = format!("{section}{name}");
        match value {
            Value::Table(table) => flatten(table, &format!("{key}."), flat)?,
            Value::Array(list) => {
                let place = format!("set.{key}");
                let texts: Result<Vec<_>, _> = list.iter().map(|v| text(&place, v)).collect();
                flat.insert(key, texts?.join(","));
            }
            scalar => {
                let value = text(&format!("set.{key}"), scalar)?;
                flat.insert(key, value);
            }
        }
    }
    Ok(())
}

/// What stands in the file, in one line.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => format!("{text:?}"),
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_may_be_dotted_keys_or_tables() {
        let set: Table = "geometry.channels = 8\n\"ftl.cache\" = \"write-back\"\n\
                          namespace = { block_formats_bytes = [512, 4096] }\n\
                          flash.t_erase_us = 2.5"
            .parse()
            .unwrap();
        let flat = overrides(&set).unwrap();
        let expected = [
            ("flash.t_erase_us", "2.5"),
            ("ftl.cache", "write-back"),
            ("geometry.channels", "8"),
            ("namespace.block_formats_bytes", "512,4096"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(flat, BTreeMap::from(expected));
    }

    #[test]
    fn what_is_no_scalar_is_refused_by_its_key() {
        let job: Table = "bs = [1, 2]".parse().unwrap();
        let fault = options(&job).unwrap_err();
        assert_eq!((fault.key.as_str(), fault.found.as_str()), ("job.bs", "[1, 2]"));
    }
}
