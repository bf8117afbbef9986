//! Files of `blktrace`: one for each processor, `NAME.blktrace.0` and so on, which together are the trace of one device.

use std::fs;
use std::path::{Path, PathBuf};

/// The most files of a device that are looked for.
const MOST_FILES: usize = 4096;

/// The device and the processor that the name of a file tells.
pub(crate) fn device(name: &str) -> Option<(String, u32)> {
    let compressed = [".gz", ".zst", ".xz", ".bz2"].into_iter();
    let name = compressed.filter_map(|end| name.strip_suffix(end)).next().unwrap_or(name);
    let (before, processor) = name.rsplit_once('.')?;
    let device = before.strip_suffix(".blktrace").filter(|device| !device.is_empty())?;
    let is_plain = processor.len() <= 9 && processor.bytes().all(|byte| byte.is_ascii_digit());
    Some((device.to_owned(), processor.parse().ok().filter(|_| is_plain)?))
}

/// All files of the device that a file is of, in the order of processors.
pub(crate) fn files(file: &Path) -> Vec<PathBuf> {
    let name = file.file_name().and_then(|name| name.to_str());
    name.and_then(device).map_or_else(Vec::new, |(device, _)| files_of(folder(file), &device))
}

/// What files are given, where `NAME` stands for the files of a device as it does for `blkparse`: there is no such file, but there
/// are `NAME.blktrace.0` and so on.
pub fn expanded(paths: &[PathBuf]) -> Vec<PathBuf> {
    let all = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let device = name.map(|name| name.strip_suffix(".blktrace").unwrap_or(name));
        let files = match device {
            Some(device) if !path.exists() => files_of(folder(path), device),
            _ => Vec::new(),
        };
        if files.is_empty() {
            vec![path.clone()]
        } else {
            files
        }
    };
    paths.iter().flat_map(all).collect()
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

fn files_of(folder: &Path, wanted: &str) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(here) else { return Vec::new() };
    let processor = |name: &str| {
        device(name).filter(|(device, _)| device == wanted).map(|(_, processor)| processor)
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<_> =
        names.filter_map(|name| Some((processor(&name)?, name))).take(MOST_FILES).collect();
    found.sort();
    found.into_iter().map(|(_, name)| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_device_and_processor() {
        for (name, expected) in [
            ("bt.blktrace.0", Some(("bt", 0))),
            ("sda.blktrace.12.gz", Some(("sda", 12))),
            ("a.b.blktrace.3", Some(("a.b", 3))),
            ("bt.blktrace", None),
            (".blktrace.0", None),
            ("bt.blktrace.x", None),
            ("bt.blktrace.+1", None),
            ("bt.blktrace.99999999999", None),
            ("hm_0.csv", None),
        ] {
            let expected = expected.map(|(device, processor)| (device.to_owned(), processor));
            assert_eq!(device(name), expected, "{name}");
        }
    }

    #[test]
    fn a_device_stands_for_its_files() {
        let directory = tempfile::tempdir().unwrap();
        for nth in [10, 2, 0] {
            fs::write(directory.path().join(format!("sda.blktrace.{nth}")), "").unwrap();
        }
        fs::write(directory.path().join("sdb.blktrace.0"), "").unwrap();
        let all = [0, 2, 10].map(|nth| directory.path().join(format!("sda.blktrace.{nth}")));
        for name in ["sda", "sda.blktrace"] {
            assert_eq!(expanded(&[directory.path().join(name)]), all);
        }
        assert_eq!(files(&all[1]), all);
        // A file that is there is itself.
        fs::write(directory.path().join("sda"), "").unwrap();
        let itself = [directory.path().join("sda"), directory.path().join("none")];
        assert_eq!(expanded(&itself), itself);
    }
}
