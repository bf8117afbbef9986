//! What cannot be used, and drives that fail, as Python's exceptions with the program's one line.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use recipe::Failure;

pyo3::import_exception!(firmament.errors, InputError);
pyo3::import_exception!(firmament.errors, DriveError);

/// Options of the program, and the arguments that stand for them in Python.
const ARGUMENTS: [(&str, &str); 19] = [
    ("--assumed-latency", "assumed_latency"),
    ("--dependency", "dependency"),
    ("--depth", "depth"),
    ("--format", "format"),
    ("--from", "from_snapshot"),
    ("--in-flight", "in_flight"),
    ("--payload", "payload"),
    ("--precondition", "precondition"),
    ("--remap", "remap"),
    ("--save", "save"),
    ("--seeds", "seeds"),
    ("--set", "set"),
    ("--speed", "speed"),
    ("--studies", "folder"),
    ("--time-unit", "time_unit"),
    ("--timeline", "timeline"),
    ("--volume", "volumes"),
    ("--weights", "weights"),
    ("--strict", "strict"),
];

/// A line of the program for somebody who has no command line: arguments stand where it names options.
pub fn without_options(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let name = word.trim_end_matches([':', ',']);
        let argument = ARGUMENTS.iter().find(|(option, _)| *option == name);
        argument.map_or(word.to_owned(), |(option, argument)| word.replacen(option, argument, 1))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The exception of a failure.
pub fn raised(failure: Failure) -> PyErr {
    let line = without_options(&failure.to_string());
    match failure {
        Failure::Input(_) => InputError::new_err(line),
        Failure::Drive(_) | Failure::Different(_) | Failure::Tolerance(_) => {
            DriveError::new_err(line)
        }
        Failure::Stopped(_) => PyKeyboardInterrupt::new_err(line),
    }
}

/// The exception of an argument that is not what it should be.
pub fn unexpected(what: &str, found: impl std::fmt::Display, expected: &str) -> PyErr {
    raised(Failure::unexpected(what, found, expected))
}
