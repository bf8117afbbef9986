//! Options of fio's program, as against those of its jobs, that this program does not have.

use recipe::Failure;

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None, or one behind an equals sign.
    None,
    /// One value, in the same argument or in the next one.
    One,
}

/// Options that change no result here: how fio's program keeps its memory and what it says beside.
const IGNORED: [(&str, Takes); 6] = [
    ("alloc-size", Takes::One),
    ("aux-path", Takes::One),
    ("debug", Takes::One),
    ("idle-prof", Takes::One),
    ("max-jobs", Takes::One),
    ("warnings-fatal", Takes::None),
];

/// Options that are asked for something that is not here, and what there is in its place.
const REFUSED: [(&str, &str); 15] = [
    ("bandwidth-log", "write_bw_log=NAME in a job"),
    ("client", ONE_MACHINE),
    ("cpuclock-test", "none: time is virtual"),
    ("crctest", "none: no checksums are computed"),
    ("daemonize", ONE_MACHINE),
    ("inflate-log", "none: logs are written as text"),
    ("latency-log", "write_lat_log=NAME in a job"),
    ("merge-blktrace-only", "firmament replay, which takes several traces"),
    ("remote-config", ONE_MACHINE),
    ("server", ONE_MACHINE),
    ("trigger", NO_TRIGGER),
    ("trigger-file", NO_TRIGGER),
    ("trigger-remote", NO_TRIGGER),
    ("trigger-timeout", NO_TRIGGER),
    ("append-terse", "--output-format=normal,terse"),
];

const ONE_MACHINE: &str = "none: a run is one program on one machine";
const NO_TRIGGER: &str = "none: a job has no triggers; runtime=TIME ends it";

/// What an option takes that is read and changes nothing; none if it is no such option.
///
/// # Errors
/// For an option that asks for something that is not here.
pub fn ignored(name: &str) -> Result<Option<Takes>, Failure> {
    if let Some((_, expected)) = REFUSED.iter().find(|(known, _)| *known == name) {
        let found = "an option of fio's program that does nothing here";
        return Err(Failure::unexpected(format!("--{name}"), found, expected));
    }
    Ok(IGNORED.iter().find(|(known, _)| *known == name).map(|(_, takes)| *takes))
}
