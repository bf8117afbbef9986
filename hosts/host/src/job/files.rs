//! Files of jobs: where each lies on the drive.
//!
//! A job without `filename` and `directory` works on the drive itself, and so does one on a file below
//! `/dev`. Where the drive has several namespaces, `/dev/nvme0n2` is the second. What else a job names
//! would lie in a file system; here the files lie one behind another in the first namespace, and so do the
//! files of a job that has several, wherever they are.

use super::error::JobError;
use super::extent::ByteRange;
use super::parts;
use super::settings::Settings;
use super::spec::{DriveShape, JobSpec, Namespace};

/// What a clone of a job works on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// The drive, under a name that stands for it.
    Drive(String),
    /// A file of this name, which lies somewhere on the drive.
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
    namespaces: &[DriveShape],
) -> Result<(), JobError> {
    let drive = namespaces[0];
    let targets: Vec<_> = jobs.iter().zip(&*specs).map(|(job, spec)| targets(job, spec)).collect();
    check_drives(jobs, &targets, namespaces.len())?;
    let mut files: Vec<Extent> = Vec::new();
    for (targets, spec) in targets.iter().zip(&mut *specs) {
        for (target, range) in targets.iter().zip(ranges(spec)) {
            let Target::File(name) = target else { continue };
            let end = range.start + range.len;
            match files.iter_mut().find(|file| file.name == *name) {
                Some(file) => file.bytes = file.bytes.max(end),
                None => files.push(Extent { name: name.clone(), bytes: end }),
            }
        }
    }
    for ((job, targets), spec) in jobs.iter().zip(&targets).zip(specs) {
        for (target, range) in targets.iter().zip(ranges(spec)) {
            let Target::File(name) = target else { continue };
            let before = files.iter().take_while(|file| file.name != *name);
            let start: u128 = before.map(|file| u128::from(file.bytes)).sum();
            let end = start + u128::from(range.start) + u128::from(range.len);
            if end > u128::from(drive.capacity_bytes) {
                let found = format!("{} files, of which {name} ends at byte {end}", files.len());
                let expected = format!("files of at most {} bytes in all", drive.capacity_bytes);
                return Err(job.error("size", Some(found), expected));
            }
            range.start += start as u64;
        }
        if let Some(parts) = &spec.parts {
            spec.range = parts.hull();
        }
    }
    Ok(())
}

/// The namespace that a job is on: that of the device file that it names, of a drive that has several. All else is on the first.
///
/// # Errors
/// A namespace that the drive does not have.
pub(super) fn namespace(job: &Settings, namespaces: &[DriveShape]) -> Result<Namespace, JobError> {
    let names = match namespaces.len() {
        1 => Vec::new(),
        _ => parts::names(&job.origin("filename").1),
    };
    let mut ids = names.iter().filter_map(|name| split(name)).map(|(_, id)| id);
    let id = ids.next().unwrap_or(1);
    if ids.any(|other| other != id) {
        let expected = "one namespace, and jobs of their own for others".to_owned();
        return Err(job.error("filename", None, expected));
    }
    let before = match id {
        0 => None,
        _ => namespaces.get(..id as usize),
    };
    let Some((own, before)) = before.and_then(<[DriveShape]>::split_last) else {
        let expected = format!("a namespace from n1 to n{}, which the drive has", namespaces.len());
        return Err(job.error("filename", None, expected));
    };
    let bytes: u64 = before.iter().map(|shape| shape.capacity_bytes).sum();
    Ok(Namespace { id, first_block: bytes / u64::from(own.block_bytes) })
}

/// Device file of a controller and number of a namespace in the name of its device file, as in `/dev/nvme0` and 2 of `/dev/nvme0n2`.
fn split(name: &str) -> Option<(&str, u32)> {
    let (controller, namespace) = name.rsplit_once('n')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_device = is_number(controller.strip_prefix("/dev/nvme")?) && is_number(namespace);
    // No drive has a namespace whose number is too large to be read.
    is_device.then(|| (controller, namespace.parse().unwrap_or(u32::MAX)))
}

/// The ranges of a clone, one a file.
fn ranges(spec: &mut JobSpec) -> &mut [ByteRange] {
    match &mut spec.parts {
        Some(parts) => &mut parts.ranges,
        None => std::slice::from_mut(&mut spec.range),
    }
}

/// What a clone works on, one a file; nothing if that is the drive without a name. A log that is played
/// back has files of its own.
fn targets(job: &Settings, spec: &JobSpec) -> Vec<Target> {
    let (_, filename) = job.origin("filename");
    let (_, directory) = job.origin("directory");
    let (count, clone) = (spec.parts.as_ref().map_or(1, |parts| parts.ranges.len()), spec.clone);
    if job.log_to_play().is_some() {
        return Vec::new();
    }
    match (filename.as_str(), directory.as_str(), count) {
        ("", "", 1) => Vec::new(),
        ("", "", _) => (0..count).map(|nth| Target::File(format!("file {nth}"))).collect(),
        ("", _, 1) => vec![Target::File(format!("{}.{clone}", job.name))],
        ("", _, _) => {
            (0..count).map(|nth| Target::File(format!("{}.{clone}.{nth}", job.name))).collect()
        }
        (names, _, 1) => parts::names(names)
            .into_iter()
            .take(1)
            .map(|name| match name.starts_with("/dev/") {
                true => Target::Drive(name),
                false => Target::File(name),
            })
            .collect(),
        (names, _, _) => parts::names(names).into_iter().map(Target::File).collect(),
    }
}

/// Refuses jobs on several drives, or on a drive and on files of another. Namespaces of a drive that has several are one drive.
fn check_drives(
    jobs: &[&Settings],
    targets: &[Vec<Target>],
    namespaces: usize,
) -> Result<(), JobError> {
    let of_job = |(job, targets): (_, &'_ Vec<Target>)| (job, targets.first().cloned());
    let named: Vec<(&&Settings, Option<Target>)> = jobs.iter().zip(targets).map(of_job).collect();
    let mut named = named.iter().filter_map(|(job, target)| Some((job, target.as_ref()?)));
    let Some((_, first)) = named.next() else { return Ok(()) };
    let others = |target: &Target| match (first, target) {
        (Target::File(_), Target::File(_)) => false,
        (Target::Drive(first), Target::Drive(other)) if namespaces > 1 => {
            let drive = |name| split(name).map_or(name, |(controller, _)| controller);
            drive(first.as_str()) != drive(other.as_str())
        }
        (first, other) => first != other,
    };
    let Some((job, _)) = named.find(|(_, target)| others(target)) else { return Ok(()) };
    let (Target::Drive(name) | Target::File(name)) = first;
    let expected = format!("one drive, and another job is on {name}");
    Err(job.error("filename", None, expected))
}
