//! A study as it is meant.

use std::fs;
use std::path::{Path, PathBuf};

use crate::calibrate::Goal;
use crate::definition;
use crate::error::{Fault, StudyError};
use crate::experiment::Experiment;
use crate::files::StudyFiles;
use crate::grid::Selection;
use crate::outcome::Exhibit;

/// A paper's experiments, read and checked.
#[derive(Clone, Debug)]
pub struct Study {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) paper: String,
    pub(crate) files: StudyFiles,
    pub(crate) file: PathBuf,
    pub(crate) boards: Vec<String>,
    /// Words by which sources of the boards' values name the study's own paper; nothing where none of them is told apart.
    pub(crate) cited_as: Vec<String>,
    pub(crate) experiments: Vec<Experiment>,
    /// Of some experiments, by index: the points of the quick subset.
    pub(crate) quick: Vec<(usize, Selection)>,
    pub(crate) calibration: Option<Goal>,
    pub(crate) exhibits: Vec<Exhibit>,
}

impl Study {
    /// Reads the study in `folder`: `study.toml` and the files of published values that it names.
    ///
    /// # Errors
    /// The first fault that is found in them.
    pub fn load(folder: &Path) -> Result<Study, StudyError> {
        definition::load(StudyFiles::Folder(folder.to_owned()))
    }

    /// The built-in study of this name, one of [`built_in_names`](crate::built_in_names); `None` if
    /// there is none.
    ///
    /// # Errors
    /// The first fault that is found in it.
    pub fn built_in(name: &str) -> Option<Result<Study, StudyError>> {
        StudyFiles::built_in(name).map(definition::load)
    }

    /// The folder's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is about.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The paper's figures and tables from front to back, and what is done about each; nothing if
    /// the study does not list them.
    pub fn exhibits(&self) -> &[Exhibit] {
        &self.exhibits
    }

    /// The quick subset: the experiments that `[quick]` names, and of them the values, claims and
    /// summaries that need no points but its own. There is nothing to calibrate in it.
    pub fn quick(&self) -> Study {
        let part = |(nth, selection): &(usize, Selection)| {
            (*nth, self.experiments[*nth].within(selection))
        };
        let mut parts: Vec<(usize, Experiment)> = self.quick.iter().map(part).collect();
        parts.sort_by_key(|(nth, _)| *nth);
        let experiments = parts.into_iter().map(|(_, experiment)| experiment).collect();
        Study { experiments, quick: Vec::new(), calibration: None, ..self.clone() }
    }

    /// Places a fault in `study.toml`.
    pub(crate) fn fault(&self, fault: Fault) -> StudyError {
        fault.in_file(&self.file)
    }

    /// What `drive/board` calls a board that the study names: a file is looked for in the folder.
    pub(crate) fn board_path(&self, name: &str) -> String {
        match name.ends_with(".toml") {
            true => self.files.path(name).to_string_lossy().into_owned(),
            false => name.to_owned(),
        }
    }
}

/// Names of the studies in a folder, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn names(studies: &Path) -> Result<Vec<String>, StudyError> {
    let refuse = |error| StudyError::file(studies, &error, "a folder of studies");
    let mut names = Vec::new();
    for entry in fs::read_dir(studies).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        if entry.path().join(definition::FILE).is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
