//! Reads a snapshot. Nothing of a state is looked at before the whole file was found undamaged.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use foreign::input;
use sha2::{Digest, Sha256};

use crate::snapshot::about::About;
use crate::snapshot::error::SnapshotError;
use crate::snapshot::{CHECKSUM_BYTES, FRONT_BYTES, MAGIC, MOST_HEAD_BYTES, VERSION};

/// A snapshot that was found undamaged.
#[derive(Debug)]
pub struct Snapshot<S = File> {
    path: PathBuf,
    about: About,
    /// The file's checksum, in hexadecimal digits.
    sha256: String,
    file: S,
    /// Where the compressed state begins, and where it ends.
    state: (u64, u64),
}

impl Snapshot {
    /// Opens a file and looks at all of it.
    ///
    /// # Errors
    /// When it cannot be read, is no snapshot, one of another version, truncated or damaged.
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        let file = input::open(path).map_err(|error| SnapshotError::system(path, &error))?;
        Snapshot::of(path, file)
    }
}

impl<S: Read + Seek> Snapshot<S> {
    /// Looks at all of what is in a file, or in memory; errors name it `path`.
    ///
    /// # Errors
    /// As those of [`Snapshot::open`].
    pub fn of(path: &Path, mut file: S) -> Result<Self, SnapshotError> {
        let system = |error: io::Error| SnapshotError::system(path, &error);
        let wrong = |key: &str, found: String, expected: &str| {
            Err(SnapshotError::new(path, key, (found, expected)))
        };
        let bytes = file.seek(SeekFrom::End(0)).map_err(system)?;
        file.seek(SeekFrom::Start(0)).map_err(system)?;
        let mut front = Vec::new();
        file.by_ref().take(FRONT_BYTES as u64).read_to_end(&mut front).map_err(system)?;
        if !front.starts_with(&MAGIC) {
            return wrong("", "another file".to_owned(), "a snapshot of a drive");
        }
        let number =
            |at: usize| front.get(at..at + 4)?.first_chunk().map(|b| u32::from_le_bytes(*b));
        let (Some(version), Some(head)) = (number(8), number(12)) else {
            return wrong("", format!("{bytes} bytes"), "an undamaged snapshot");
        };
        if version != VERSION {
            return wrong("version", version.to_string(), &VERSION.to_string());
        }
        let begin = FRONT_BYTES as u64 + u64::from(head);
        let end = bytes.saturating_sub(CHECKSUM_BYTES);
        if head > MOST_HEAD_BYTES || begin > end {
            return wrong("", format!("{bytes} bytes"), "an undamaged snapshot");
        }
        let sha256 = checked(&mut file, end).map_err(system)?;
        let Some(sha256) = sha256 else {
            return wrong("", "a wrong checksum".to_owned(), "an undamaged snapshot");
        };
        file.seek(SeekFrom::Start(FRONT_BYTES as u64)).map_err(system)?;
        let mut text = String::new();
        file.by_ref().take(head.into()).read_to_string(&mut text).map_err(system)?;
        let about = About::of_text(path, &text)?;
        Ok(Snapshot { path: path.to_owned(), about, sha256, file, state: (begin, end) })
    }

    /// What the head says.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's checksum, in hexadecimal digits: what a report names it by.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Lets `take` read the state, all of it.
    ///
    /// # Errors
    /// When it cannot be read, or is longer than `take` reads.
    pub fn state<T>(
        &mut self,
        take: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T, SnapshotError> {
        let taken = self.try_state(take);
        taken.map_err(|error| {
            let expected = "the state of a drive of its board";
            SnapshotError::new(&self.path, "state", (error, expected))
        })
    }

    fn try_state<T>(&mut self, take: impl FnOnce(&mut dyn Read) -> io::Result<T>) -> io::Result<T> {
        let (begin, end) = self.state;
        self.file.seek(SeekFrom::Start(begin))?;
        let compressed = BufReader::with_capacity(1 << 16, (&mut self.file).take(end - begin));
        let mut state = BufReader::with_capacity(1 << 16, zstd::Decoder::with_buffer(compressed)?);
        let taken = take(&mut state)?;
        match state.read(&mut [0])? {
            0 => Ok(taken),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "more than was asked for")),
        }
    }
}

/// The checksum of a file up to a place, if it is what stands behind it.
fn checked(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut sum = Sha256::new();
    io::copy(&mut file.by_ref().take(end), &mut sum)?;
    let mut expected = [0; CHECKSUM_BYTES as usize];
    file.read_exact(&mut expected)?;
    let sum = sum.finalize();
    let digits = || sum.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((sum[..] == expected).then(digits))
}
