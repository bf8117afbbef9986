//! Where the files of a study come from: a folder, or the program itself.

use std::io;
use std::path::{Path, PathBuf};

use foreign::input;

use crate::error::StudyError;

/// A built-in study: its name, and its files by name with their text.
type BuiltIn = (&'static str, &'static [(&'static str, &'static str)]);

/// The studies that are compiled in.
const BUILT_IN: [BuiltIn; 8] = [
    (
        "bluessd",
        &[
            ("study.toml", include_str!("../../../studies/bluessd/study.toml")),
            ("exhibits.csv", include_str!("../../../studies/bluessd/exhibits.csv")),
            ("figure3.csv", include_str!("../../../studies/bluessd/figure3.csv")),
        ],
    ),
    (
        "cosmos-plus",
        &[
            ("study.toml", include_str!("../../../studies/cosmos-plus/study.toml")),
            ("exhibits.csv", include_str!("../../../studies/cosmos-plus/exhibits.csv")),
            ("table7.csv", include_str!("../../../studies/cosmos-plus/table7.csv")),
            ("figure21.csv", include_str!("../../../studies/cosmos-plus/figure21.csv")),
            ("figure24.csv", include_str!("../../../studies/cosmos-plus/figure24.csv")),
            ("ecc_area.csv", include_str!("../../../studies/cosmos-plus/ecc_area.csv")),
            ("figure32.csv", include_str!("../../../studies/cosmos-plus/figure32.csv")),
        ],
    ),
    (
        "data-sheets",
        &[
            ("study.toml", include_str!("../../../studies/data-sheets/study.toml")),
            ("drives.csv", include_str!("../../../studies/data-sheets/drives.csv")),
        ],
    ),
    ("fdp", &[("study.toml", include_str!("../../../studies/fdp/study.toml"))]),
    (
        "ocowfc",
        &[
            ("study.toml", include_str!("../../../studies/ocowfc/study.toml")),
            ("exhibits.csv", include_str!("../../../studies/ocowfc/exhibits.csv")),
        ],
    ),
    (
        "openexpress",
        &[
            ("study.toml", include_str!("../../../studies/openexpress/study.toml")),
            ("exhibits.csv", include_str!("../../../studies/openexpress/exhibits.csv")),
            ("figure4.csv", include_str!("../../../studies/openexpress/figure4.csv")),
            ("maximum.csv", include_str!("../../../studies/openexpress/maximum.csv")),
        ],
    ),
    (
        "ozone",
        &[
            ("study.toml", include_str!("../../../studies/ozone/study.toml")),
            ("exhibits.csv", include_str!("../../../studies/ozone/exhibits.csv")),
        ],
    ),
    ("zns", &[("study.toml", include_str!("../../../studies/zns/study.toml"))]),
];

/// The files of one study.
#[derive(Clone, Debug)]
pub(crate) enum StudyFiles {
    /// In a folder.
    Folder(PathBuf),
    /// In the program, under the name of the study.
    BuiltIn(&'static str, &'static [(&'static str, &'static str)]),
}

/// What is read of a study.
pub(crate) struct Wanted<'a> {
    /// The file's name.
    pub name: &'a str,
    /// Most bytes that it may have.
    pub most: u64,
    /// What it ought to be, for errors.
    pub expected: &'static str,
}

/// Names of the built-in studies.
pub fn built_in_names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

impl StudyFiles {
    /// The built-in study of this name.
    pub fn built_in(name: &str) -> Option<StudyFiles> {
        let known = BUILT_IN.iter().find(|(known, _)| *known == name);
        known.map(|(name, files)| StudyFiles::BuiltIn(name, files))
    }

    /// The name of the study.
    pub fn study(&self) -> String {
        match self {
            StudyFiles::Folder(folder) => {
                folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
            }
            StudyFiles::BuiltIn(name, _) => (*name).to_owned(),
        }
    }

    /// What errors call a file; of a built-in study its place in the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        match self {
            StudyFiles::Folder(folder) => folder.join(name),
            StudyFiles::BuiltIn(study, _) => Path::new("studies").join(study).join(name),
        }
    }

    /// The text of a file.
    ///
    /// # Errors
    /// When there is no such file, or it is too long or no text.
    pub fn read(&self, wanted: &Wanted<'_>) -> Result<String, StudyError> {
        let text = match self {
            StudyFiles::Folder(folder) => input::text(&folder.join(wanted.name), wanted.most),
            StudyFiles::BuiltIn(_, files) => files
                .iter()
                .find(|(name, _)| *name == wanted.name)
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| io::Error::other("no such file in the program")),
        };
        let refuse =
            |error: io::Error| StudyError::file(&self.path(wanted.name), &error, wanted.expected);
        text.map_err(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_studies_of_the_repository_are_built_in_whole() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
        assert_eq!(crate::names(&folder).unwrap(), built_in_names());
        for (study, files) in BUILT_IN {
            let names = |path: PathBuf| -> Vec<String> {
                let entries = std::fs::read_dir(path).unwrap();
                let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
                let mut names: Vec<_> =
                    entries.map(|entry| name(entry).into_string().unwrap()).collect();
                names.sort();
                names
            };
            let mut known: Vec<_> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
            known.sort();
            assert_eq!(names(folder.join(study)), known, "{study}");
        }
    }
}
