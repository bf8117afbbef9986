//! Files that are read. Nobody reads one whole without a limit, and nobody opens one another way (`tests/tidy.rs` tells).
//!
//! What was opened is remembered by what it is, not by its name, so that nothing is written over it: two names may lead to one
//! file.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes of a file that somebody has written by hand: a board, a job file, a sweep, a study.
pub const OF_HAND: u64 = 1 << 20;
/// Bytes of a file that a program has written: a report, a history, a table.
pub const OF_PROGRAM: u64 = 1 << 28;

/// What a file is that must not be written to.
pub const A_FILE_READ: &str = "a file that this command reads";

/// What tells a file from all others: device and number there, or where there are none, its path without links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    #[cfg(unix)]
    Number(u64, u64),
    #[cfg(not(unix))]
    Path(std::path::PathBuf),
}

/// The files that were opened.
static OPENED: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Opens a file to be read.
///
/// # Errors
/// When it cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    note(path);
    Ok(file)
}

/// States that a file is read by whoever opens it.
pub fn note(path: &Path) {
    if let Some(identity) = identity(path) {
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).insert(identity);
    }
}

/// Whether a path leads to a file that was opened to be read. Devices and pipes are none.
pub fn was_read(path: &Path) -> bool {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    identity(path).is_some_and(|identity| opened.contains(&identity))
}

/// Looks whether a path may be written to.
///
/// # Errors
/// If it leads to a file that was opened to be read.
pub fn must_not_be(path: &Path) -> io::Result<()> {
    match was_read(path) {
        true => Err(io::Error::other(A_FILE_READ)),
        false => Ok(()),
    }
}

/// Whether two paths lead to one file that is there. Devices and pipes are none.
pub fn are_one(first: &Path, second: &Path) -> bool {
    let identity = identity(first);
    identity.is_some() && identity == self::identity(second)
}

/// What a path leads to, if that is a file.
fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    if !found.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(Identity::Number(found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    fs::canonicalize(path).ok().map(Identity::Path)
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read, or has more than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bytes_of(open(path)?, most)
}

/// The text of a file.
///
/// # Errors
/// As those of [`bytes`], and when it is no UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    text_of(open(path)?, most)
}

/// All bytes that a reader has.
///
/// # Errors
/// When it fails, or has more than `most` bytes.
pub fn bytes_of(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("more than {}", size(most))));
    }
    Ok(bytes)
}

/// All text that a reader has.
///
/// # Errors
/// As those of [`bytes_of`], and when it is no UTF-8.
pub fn text_of(from: impl Read, most: u64) -> io::Result<String> {
    let text = String::from_utf8(bytes_of(from, most)?);
    // As `Read::read_to_string` says it.
    text.map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")
    })
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{bytes} bytes"),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_at_the_limit() {
        let error = bytes_of(io::repeat(0), 1 << 20).expect_err("it has no end");
        assert_eq!(error.to_string(), "more than 1 MiB");
        assert_eq!(bytes_of(&b"1234"[..], 4).expect("four bytes"), b"1234");
        assert_eq!(bytes_of(&b"12345"[..], 4).expect_err("five").to_string(), "more than 4 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_known_by_each_of_its_names() {
        let folder = std::env::temp_dir().join(format!("firmament-foreign-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let [file, other, link, hard] = ["file", "other", "link", "hard"].map(|n| folder.join(n));
        for path in [&file, &other] {
            fs::write(path, "text").expect("a file");
        }
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        fs::hard_link(&file, &hard).expect("a link");
        assert_eq!(text(&link, 4).expect("text"), "text");
        assert_eq!([&file, &other, &link, &hard].map(|p| was_read(p)), [true, false, true, true]);
        assert_eq!([&other, &link, &hard].map(|p| are_one(&file, p)), [false, true, true]);
        let device = Path::new("/dev/null");
        bytes(device, 1).expect("nothing");
        assert!(!was_read(device) && !are_one(device, device), "a device takes any number");
        fs::remove_dir_all(&folder).expect("it is removed");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(text_of("é".as_bytes(), 2).expect("a letter of two bytes"), "é");
        let error = text_of(&b"\xff"[..], 2).expect_err("no UTF-8");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
