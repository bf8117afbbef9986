//! JSON reports that were written earlier.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use recipe::Failure;

/// No report is larger than this; what is larger is not a report.
const LARGEST_FILE: u64 = 1 << 28;

/// What an input that is none should have been.
const EXPECTED: &str = "a JSON report of firmament run";

/// Reads a file as JSON.
///
/// # Errors
/// When it cannot be read or is not JSON.
pub fn read(path: &Path) -> Result<Value, Failure> {
    let text = read_text(path).map_err(|error| Failure::file(path, &error, EXPECTED))?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::unexpected(path.display(), error, EXPECTED))
}

fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let read = File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut text)?;
    if read as u64 > LARGEST_FILE {
        return Err(io::Error::other("more than 256 MiB"));
    }
    Ok(text)
}
