//! Fits a program to a drive: one job on all of it.

use std::sync::Arc;

use super::{FittedProgram, Limits, ProgramLoad};
use crate::job::{from_pairs, DriveShape, JobError, JobSpec, Lengths, Load, PerDirection};

/// Fits a program to a drive.
///
/// # Errors
/// When its depth is none, or its longest request cannot be one.
pub(crate) fn fit(load: &ProgramLoad, drive: DriveShape) -> Result<Vec<JobSpec>, JobError> {
    let ProgramLoad { name, depth, most_bytes, .. } = load;
    let block_bytes = u64::from(drive.block_bytes);
    let capacity_bytes = drive.capacity_bytes / block_bytes * block_bytes;
    let refuse = |key: &str, found: u64, expected: String| {
        Err(JobError::Program(format!("{name}: {key}: found {found}, expected {expected}")))
    };
    if *depth == 0 {
        return refuse("iodepth", 0, "at least 1".to_owned());
    }
    if *most_bytes == 0 || most_bytes % block_bytes != 0 || *most_bytes > capacity_bytes {
        let expected =
            format!("a multiple of {block_bytes} bytes, at most the {capacity_bytes} of the drive");
        return refuse("max_bytes", *most_bytes, expected);
    }
    let option = |key: &str, value: String| (key.to_owned(), value);
    let options = [
        option("name", name.clone()),
        option("rw", "randrw".to_owned()),
        option("bs", block_bytes.to_string()),
        option("iodepth", depth.to_string()),
    ];
    let [mut spec] = <[JobSpec; 1]>::try_from(from_pairs(&options)?.resolve(drive)?)
        .expect("one job has one clone");
    let lengths = Lengths::Range { min: block_bytes, max: *most_bytes };
    spec.lengths = PerDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
    spec.stop.total_bytes = None;
    spec.written.retain(|(key, _)| key == "name" || key == "iodepth");
    let limits = Limits { capacity_bytes, block_bytes, most_bytes: *most_bytes };
    spec.load = Load::Program(Arc::new(FittedProgram { load: load.clone(), limits }));
    Ok(vec![spec])
}
