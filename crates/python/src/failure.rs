//! What cannot be used, and drives that fail, as Python's exceptions with the program's one line.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use recipe::Failure;

pyo3::import_exception!(firmament.errors, InputError);
pyo3::import_exception!(firmament.errors, DriveError);

/// The exception of a failure.
pub fn raised(failure: Failure) -> PyErr {
    let line = failure.to_string();
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
