//! JSON reports that were written earlier.

use std::path::Path;

use foreign::input;
use serde_json::Value;

use recipe::Failure;

/// What an input that is none should have been.
const EXPECTED: &str = "a JSON report of firmament run";

/// Reads a file as JSON.
///
/// # Errors
/// When it cannot be read or is not JSON.
pub fn read(path: &Path) -> Result<Value, Failure> {
    let text = input::bytes(path, input::OF_PROGRAM)
        .map_err(|error| Failure::file(path, &error, EXPECTED))?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::unexpected(path.display(), error, EXPECTED))
}
