//! What is said about options that are set aside, that contradict each other or that a raw virtual
//! drive does not take as fio would.

use super::error::JobError;
use super::options::{treatment, Treatment};
use super::parse::Entry;
use super::settings::Settings;
use super::spec::Direction;

/// Engines of fio that keep one request in flight whatever `iodepth` says.
const SYNCHRONOUS_ENGINES: [&str; 7] =
    ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];

/// The error for an option whose value is not what was expected.
pub(super) fn wrong(entry: &Entry, expected: String) -> JobError {
    JobError::Value {
        place: entry.place.clone(),
        key: entry.key.clone(),
        found: entry.value.clone(),
        expected,
    }
}

/// Deals with an option that is not a setting: a warning if it is unknown, an error if it would
/// change the result.
pub(super) fn set_aside(key: &str, entry: &Entry) -> Result<Option<String>, JobError> {
    match treatment(key) {
        Treatment::Ignore => Ok(None),
        Treatment::Unknown => {
            Ok(Some(format!("{}: {}: unknown option, ignored", entry.place, entry.key)))
        }
        Treatment::Refuse(harmless) if harmless.contains(&entry.value.as_str()) => Ok(None),
        Treatment::Refuse(harmless) => Err(JobError::Unsupported {
            place: entry.place.clone(),
            key: entry.key.clone(),
            found: entry.value.clone(),
            harmless,
        }),
    }
}

/// Finds options that cannot hold together, whatever the drive.
pub(super) fn contradictions(settings: &Settings) -> Result<(), JobError> {
    for direction in [Direction::Read, Direction::Write, Direction::Trim] {
        let rate = settings.pace.rate.of(direction).unwrap_or(0);
        let iops = settings.pace.rate_iops.of(direction).unwrap_or(0);
        if rate > 0 && iops > 0 {
            let expected = "rate or rate_iops, not both for one direction".to_string();
            return Err(settings.error("rate_iops", None, expected));
        }
    }
    Ok(())
}

/// Names what is accepted but taken otherwise than a reader of the job might think.
pub(super) fn remarks(settings: &mut Settings, warnings: &mut Vec<String>) {
    let mut say = |key: &str, text: String| {
        let (place, _) = settings.origin(key);
        warnings.push(format!("{place}: {key}: {text}"));
    };
    let (_, engine) = settings.origin("ioengine");
    let depth = settings.jobs.iodepth;
    if depth > 1 && SYNCHRONOUS_ENGINES.contains(&engine.as_str()) {
        say("ioengine", format!("{engine} has a depth of 1 in fio; iodepth={depth} is used"));
    }
    if settings.origin("filename").1.replace("\\:", "").contains(':') {
        say("filename", "the one virtual drive stands for all files".to_string());
    }
    for (key, cached) in [("direct", ["0", "false"]), ("buffered", ["1", "true"])] {
        if cached.contains(&settings.origin(key).1.as_str()) {
            say(key, "there is no page cache; I/O is direct".to_string());
        }
    }
    if !settings.origin("percentile_list").1.is_empty() {
        say("percentile_list", "the report has fio's default percentiles".to_string());
    }
    for (key, plain) in [
        ("slat_percentiles", ["0", "false"]),
        ("lat_percentiles", ["0", "false"]),
        ("clat_percentiles", ["1", "true"]),
    ] {
        let value = settings.origin(key).1;
        if !value.is_empty() && !plain.contains(&value.as_str()) {
            say(key, "the report has percentiles of clat".to_string());
        }
    }
    if settings.end.time_based && settings.end.runtime_ps.is_none() {
        // What fio does.
        say("time_based", "has no effect without runtime".to_string());
        settings.end.time_based = false;
    }
}
