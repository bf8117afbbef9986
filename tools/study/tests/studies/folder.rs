//! A study's folder that a test may change.

use std::fs;
use std::path::{Path, PathBuf};

use study::{Study, StudyError};
use tempfile::TempDir;

const STUDY: &str = include_str!("tiny/study.toml");
const LATENCY: &str = include_str!("tiny/latency.csv");

/// A copy of the study `tiny`, removed when dropped.
pub struct Folder {
    directory: TempDir,
}

impl Folder {
    /// The study as it is.
    pub fn tiny() -> Folder {
        let folder = Folder::empty();
        folder.write("study.toml", STUDY);
        folder.write("latency.csv", LATENCY);
        folder
    }

    /// A folder without files.
    pub fn empty() -> Folder {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("tiny")).expect("a new directory");
        Folder { directory }
    }

    /// Where the files are.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("tiny")
    }

    /// A folder beside that of the study.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).expect("the file can be written");
    }

    /// The study with `from`, which stands in the file, replaced by `to`.
    pub fn with(file: &str, from: &str, to: &str) -> Folder {
        let folder = Folder::tiny();
        let text = if file == "study.toml" { STUDY } else { LATENCY };
        assert!(text.contains(from), "{file} does not hold {from:?}");
        folder.write(file, &text.replacen(from, to, 1));
        folder
    }

    /// Reads the study.
    pub fn load(&self) -> Result<Study, StudyError> {
        Study::load(&self.path())
    }
}

/// The folder of the repository's boards.
pub fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards")
}
