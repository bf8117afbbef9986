//! Files of jobs: where each lies on the drive.
//!
//! A job without `filename` and `directory` works on the drive itself, and so does one on a file below
//! `/dev`. What else a job names would lie in a file system; here the files lie one behind another.

use super::error::JobError;
use super::settings::Settings;
use super::spec::{DriveShape, JobSpec};

/// What a clone of a job works on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// The drive, under a name that stands for it.
    Drive(String),
    /// A file.
    File(String),
}

/// A file that was met, as long as its furthest request reaches.
struct Extent {
    name: String,
    bytes: u64,
}

/// Moves the ranges of jobs on files to where the files lie. `jobs` are those of `specs`.
///
/// # Errors
/// Two drives, or files that together are larger than the drive.
pub(super) fn lay_out(
    jobs: &[&Settings],
    specs: &mut [JobSpec],
    drive: DriveShape,
) -> Result<(), JobError> {
    let targets: Vec<_> =
        jobs.iter().zip(&*specs).map(|(job, spec)| target(job, spec.clone)).collect();
    check_drives(jobs, &targets)?;
    let mut files: Vec<Extent> = Vec::new();
    for (target, spec) in targets.iter().zip(&*specs) {
        let Some(Target::File(name)) = target else { continue };
        let end = spec.range.start + spec.range.len;
        match files.iter_mut().find(|file| file.name == *name) {
            Some(file) => file.bytes = file.bytes.max(end),
            None => files.push(Extent { name: name.clone(), bytes: end }),
        }
    }
    for ((job, target), spec) in jobs.iter().zip(&targets).zip(specs) {
        let Some(Target::File(name)) = target else { continue };
        let before = files.iter().take_while(|file| file.name != *name);
        let start: u128 = before.map(|file| u128::from(file.bytes)).sum();
        let end = start + u128::from(spec.range.start) + u128::from(spec.range.len);
        if end > u128::from(drive.capacity_bytes) {
            let found = format!("{} files, of which {name} ends at byte {end}", files.len());
            let expected = format!("files of at most {} bytes in all", drive.capacity_bytes);
            return Err(job.error("size", Some(found), expected));
        }
        spec.range.start += start as u64;
    }
    Ok(())
}

fn target(job: &Settings, clone: u32) -> Option<Target> {
    let (_, filename) = job.origin("filename");
    let (_, directory) = job.origin("directory");
    match (filename.as_str(), directory.as_str()) {
        ("", "") => None,
        ("", _) => Some(Target::File(format!("{}.{clone}", job.name))),
        (name, _) if name.starts_with("/dev/") => Some(Target::Drive(filename)),
        _ => Some(Target::File(filename)),
    }
}

/// Refuses jobs on several drives, or on a drive and on files of another.
fn check_drives(jobs: &[&Settings], targets: &[Option<Target>]) -> Result<(), JobError> {
    let mut named =
        jobs.iter().zip(targets).filter_map(|(job, target)| Some((job, target.as_ref()?)));
    let Some((_, first)) = named.next() else { return Ok(()) };
    let others = |target: &Target| match (first, target) {
        (Target::File(_), Target::File(_)) => false,
        (first, other) => first != other,
    };
    let Some((job, _)) = named.find(|(_, target)| others(target)) else { return Ok(()) };
    let (Target::Drive(name) | Target::File(name)) = first;
    let expected = format!("one drive, and another job is on {name}");
    Err(job.error("filename", None, expected))
}
