//! What is said about options that are set aside, that contradict each other or that a raw virtual
//! drive does not take as fio would.

use super::direction::Direction;
use super::engines::{self, Engine};
use super::entry::Entry;
use super::error::JobError;
use super::names::{engines_of, nearest_option};
use super::options::{treatment, Treatment};
use super::settings::Settings;

/// The error for an option whose value is not what was expected.
pub(super) fn wrong(entry: &Entry, expected: String) -> JobError {
    JobError::Value {
        place: entry.place.clone(),
        key: entry.key.clone(),
        found: entry.value.clone(),
        expected,
    }
}

/// The engine that a job names, if it names one.
fn named(entries: &[Entry]) -> Option<&Entry> {
    entries.iter().rev().find(|entry| entry.key == "ioengine")
}

/// Refuses a job whose engine does something else than block I/O.
pub(super) fn engine(entries: &[Entry]) -> Result<(), JobError> {
    let Some(entry) = named(entries) else { return Ok(()) };
    match engines::engine(&entry.value) {
        Engine::Queued | Engine::Synchronous => Ok(()),
        Engine::Other(does) => {
            let expected = "an engine for block devices such as libaio or io_uring";
            Err(wrong(entry, format!("{expected}, as this one {does}")))
        }
        Engine::Unknown => Err(wrong(entry, "one of fio's engines such as libaio".to_string())),
    }
}

/// Refuses an option of some engines in a job with another, as fio does.
pub(super) fn belongs(key: &str, entry: &Entry, entries: &[Entry]) -> Result<(), JobError> {
    let Some(owners) = engines_of(key) else { return Ok(()) };
    let engine = named(entries).map_or("", |entry| &entry.value);
    if owners.contains(&engine) {
        return Ok(());
    }
    let expected = format!("ioengine={}, whose option it is", owners.join(" or "));
    let engine = if engine.is_empty() { "a job without ioengine" } else { engine };
    Err(JobError::Value {
        place: entry.place.clone(),
        key: entry.key.clone(),
        found: engine.to_string(),
        expected,
    })
}

/// Refuses an option that is not a setting: one that fio does not know, or that would change the
/// result.
pub(super) fn set_aside(key: &str, entry: &Entry) -> Result<(), JobError> {
    match treatment(key) {
        Treatment::Ignore => Ok(()),
        Treatment::Unknown => Err(JobError::Unknown {
            place: entry.place.clone(),
            key: entry.key.clone(),
            nearest: nearest_option(&entry.key),
        }),
        Treatment::Refuse(harmless) if harmless.contains(&entry.value.as_str()) => Ok(()),
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
    let most = [&settings.pace.rate, &settings.pace.rate_iops];
    if let Some((key, expected)) = settings.steering.contradiction(most) {
        return Err(settings.error(key, None, expected));
    }
    if !settings.origin("filename").1.is_empty() && settings.files.count == Some(0) {
        return Err(settings.error("filename", None, "a name, or several: a:b".to_string()));
    }
    let set = |key: &str| !settings.origin(key).1.is_empty();
    if set("cmdprio_percentage") && set("cmdprio_bssplit") {
        let expected = "cmdprio_percentage or cmdprio_bssplit, not both".to_string();
        return Err(settings.error("cmdprio_bssplit", None, expected));
    }
    Ok(())
}

/// Names what is accepted but taken otherwise than a reader of the job might think.
pub(super) fn remarks(settings: &mut Settings, warnings: &mut Vec<String>) {
    let (_, engine) = settings.origin("ioengine");
    let depth = settings.jobs.iodepth;
    let synchronous = engines::engine(&engine) == Engine::Synchronous;
    if synchronous {
        settings.jobs.iodepth = 1;
    }
    let mut say = |key: &str, text: String| {
        let (place, _) = settings.origin(key);
        warnings.push(format!("{place}: {key}: {text}"));
    };
    if depth > 1 && synchronous {
        say("ioengine", format!("{engine} has one request in flight, not {depth}"));
    }
    for key in ["cmdprio_percentage", "cmdprio_bssplit"] {
        if settings.origin(key).1.chars().any(|c| ('1'..='9').contains(&c)) {
            let what = "no priority reaches an NVMe drive, which has none for a command";
            say(key, what.to_string());
        }
    }
    for key in ["rate", "rate_iops"] {
        if settings.origin(key).1.contains('%') {
            say(key, "has no effect in percent: fio takes such a rate as none".to_string());
        }
    }
    match (settings.end.steady, settings.end.steady_duration_ps) {
        (Some(_), 0) => {
            say("steadystate", "has no effect without steadystate_duration".to_string())
        }
        (None, 1..) => say("steadystate_duration", "has no effect without steadystate".to_string()),
        _ => {}
    }
    for (key, cached) in [("direct", ["0", "false"]), ("buffered", ["1", "true"])] {
        if cached.contains(&settings.origin(key).1.as_str()) {
            say(key, "there is no page cache; I/O is direct".to_string());
        }
    }
    if settings.end.time_based && settings.end.runtime_ps.is_none() {
        // What fio does.
        say("time_based", "has no effect without runtime".to_string());
        settings.end.time_based = false;
    }
}
