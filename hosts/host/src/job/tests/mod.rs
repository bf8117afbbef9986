//! Whole jobs, from text to requests.

mod files;
mod going_back;
mod parsing;
mod played_back;
mod resolving;
mod steering;
mod stepping;
mod walking;

use super::{parse_file, DriveShape, JobSpec};

const GIB: u64 = 1 << 30;
const DRIVE: DriveShape =
    DriveShape { capacity_bytes: 8 * GIB, block_bytes: 4096, placement_handles: 0, zones: None };

/// The clones of a job file, or the message that says what is wrong with it.
fn resolve(text: &str) -> Result<Vec<JobSpec>, String> {
    parse_file("job.fio", text).and_then(|file| file.resolve(DRIVE)).map_err(|e| e.to_string())
}

/// The only clone of a job with these options, separated by spaces.
fn spec(options: &str) -> JobSpec {
    let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
    let mut specs = resolve(&text).unwrap_or_else(|e| panic!("{options}: {e}"));
    assert_eq!(specs.len(), 1, "{options}");
    specs.remove(0)
}
