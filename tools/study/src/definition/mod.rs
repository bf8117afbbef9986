//! Reading a study: `study.toml` and the files that it names.
//!
//! Whatever is wrong is found here, before anything runs.

mod bound;
mod calibrate;
mod claims;
mod compares;
mod evidence;
mod exhibits;
mod experiment;
mod figures;
mod file;
pub(crate) mod scalar;
mod summaries;
mod timelines;

use std::path::Path;

use crate::error::{one_of, Fault, StudyError};
use crate::experiment::Experiment;
use crate::files::{StudyFiles, Wanted};
use crate::grid::Selection;
use crate::published::Published;
use crate::study::Study;

use file::StudyFile;

/// The file that makes a folder a study.
pub(crate) const FILE: &str = "study.toml";

/// What a study's file is expected to be.
const EXPECTED: &str = "TOML with the keys of docs/spec/study-files.md";

/// No study is larger than this; what is larger is not a study.
const LARGEST_FILE: u64 = 1 << 20;

/// Where a study is read from.
pub(crate) struct Source<'a> {
    /// The study's files.
    pub files: &'a StudyFiles,
    /// `study.toml` in it.
    pub file: &'a Path,
}

impl Source<'_> {
    /// A fault of `study.toml`.
    fn fault(&self, fault: Fault) -> StudyError {
        fault.in_file(self.file)
    }

    /// A file of published values.
    fn published(&self, name: &str) -> Result<Published, StudyError> {
        Published::read(self.files, name)
    }
}

/// Reads a study.
pub(crate) fn load(files: StudyFiles) -> Result<Study, StudyError> {
    let file = files.path(FILE);
    let written = parse(&files, &file)?;
    let source = Source { files: &files, file: &file };
    let experiments: Vec<Experiment> = written
        .experiments
        .iter()
        .map(|experiment| experiment::read(&source, experiment))
        .collect::<Result<_, _>>()?;
    if experiments.is_empty() {
        return Err(source.fault(Fault::new("experiment", "none", "at least one")));
    }
    check_names(&experiments).map_err(|fault| source.fault(fault))?;
    let mut quick = Vec::new();
    for (id, table) in &written.quick {
        let nth = position(&experiments, "quick", id).map_err(|fault| source.fault(fault))?;
        let selection = Selection::read(&experiments[nth].grid, &format!("quick.{id}"), table)
            .map_err(|fault| source.fault(fault))?;
        quick.push((nth, selection));
    }
    let exhibits = written.exhibits.as_ref();
    let exhibits = exhibits.map(|list| exhibits::read(&source, &experiments, list)).transpose()?;
    let calibration = written.calibrate.as_ref();
    let calibration = calibration
        .map(|calibrate| calibrate::read(calibrate, &experiments))
        .transpose()
        .map_err(|fault| source.fault(fault.below("calibrate")))?;
    Ok(Study {
        name: files.study(),
        title: written.title,
        paper: written.paper,
        files,
        file,
        boards: written.boards,
        cited_as: written.cited_as,
        experiments,
        quick,
        calibration,
        exhibits: exhibits.unwrap_or_default(),
    })
}

fn parse(files: &StudyFiles, file: &Path) -> Result<StudyFile, StudyError> {
    let text = files.read(&Wanted { name: FILE, most: LARGEST_FILE, expected: "a study" })?;
    toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count() as u64;
        let file = file.to_string_lossy().into_owned();
        StudyError::Syntax { file, line, reason: error.message().to_owned(), expected: EXPECTED }
    })
}

/// Position of the experiment of this name.
fn position(experiments: &[Experiment], key: &str, id: &str) -> Result<usize, Fault> {
    experiments.iter().position(|experiment| experiment.id == id).ok_or_else(|| {
        let names = one_of(experiments.iter().map(|experiment| experiment.id.as_str()));
        Fault::new(key, format!("{id:?}"), format!("an experiment: {names}"))
    })
}

/// Names become files and rows of one table, so each stands once.
fn check_names(experiments: &[Experiment]) -> Result<(), Fault> {
    let ids = experiments.iter().map(|experiment| &experiment.id);
    let rows = experiments.iter().flat_map(|experiment| {
        let values = experiment.values.iter().map(|value| &value.id);
        let claims = experiment.claims.iter().map(|claim| &claim.id);
        values.chain(claims).chain(experiment.summaries.iter().map(|summary| &summary.id))
    });
    let pictures = experiments.iter().flat_map(|experiment| {
        let figures = experiment.figures.iter().map(|figure| &figure.id);
        figures.chain(experiment.timelines.iter().map(|timeline| &timeline.id))
    });
    only_once("experiment", ids)?;
    only_once("row", rows)?;
    only_once("figure", pictures)
}

fn only_once<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Fault> {
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let found = format!("{:?} twice", pair[0]);
            Err(Fault::new(format!("{what}: id"), found, "another name for each"))
        }
    }
}

/// Checks a name that becomes the name of a file or of a row.
fn plain_name(key: &str, name: &str) -> Result<String, Fault> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(Fault::new(key, format!("{name:?}"), "letters, digits, _ and -"));
    }
    Ok(name.to_owned())
}
